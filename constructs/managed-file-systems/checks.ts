import { type Duration, RemovalPolicy, type Size, SizeRoundingBehavior, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { IGridNetwork } from '../grid-network';
import { parseCidr, prefixLength } from '../grid-network/cidr';
import { requireOtherZone } from '../private/subnet-zone';
import { invalid, isConcrete } from '../private/validation';
import { FSX_BACKUP_DAYS } from '../sizing';
import type { Problem } from '../sizing/facts';
import type { FsxFileSystemProps, StandbyZone } from './props';

// Wider is no company's network, but the internet.
const WIDEST_PREFIX = 8;
// FSx API reference, BackupId.
const BACKUP_ID = /^backup-[0-9a-f]{8,}$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const WEEKLY_TIME = /^[1-7]:([01]\d|2[0-3]):[0-5]\d$/;

/** Throws the first problem. */
export function refuse(scope: IConstruct | undefined, problems: Problem[]): void {
  const [problem] = problems;
  if (problem) throw invalid(scope, problem.what, problem.value, problem.allowed, problem.fix);
}

/** Rejects a value that is not in a list. Tokens pass. */
export function requireOneOf(
  scope: IConstruct | undefined,
  what: string,
  value: number | string | undefined,
  values: readonly (number | string)[],
  fix: string,
): void {
  if (!isConcrete(value)) return;
  if (!values.includes(value!)) throw invalid(scope, what, value, values.join(', '), fix);
}

/** The GiB of a size, also parts of one; the checks tell what is allowed. */
export function gibibytes(scope: IConstruct | undefined, what: string, size: Size): number {
  if (size.isUnresolved()) {
    throw invalid(scope, what, 'a token', 'a size known at synthesis', 'Spell it out.');
  }
  return size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
}

/** Rejects what is no IPv4 range, and what is wider than /8. Tokens pass. */
export function requireRange(scope: IConstruct | undefined, what: string, cidr: string): void {
  if (!isConcrete(cidr)) return;
  const range = parseCidr(cidr);
  if (range && prefixLength(range) >= WIDEST_PREFIX) return;
  throw invalid(
    scope,
    what,
    cidr,
    `an IPv4 range from /${WIDEST_PREFIX} to /32 that starts at its first address, such as 10.20.0.0/16`,
    'Name the range as narrow as it is.',
  );
}

/** The checked backups and maintenance of an FSx file system, as CloudFormation takes them. */
export interface FsxSchedule {
  readonly automaticBackupRetentionDays: number;
  readonly copyTagsToBackups?: boolean;
  readonly dailyAutomaticBackupStartTime?: string;
  readonly weeklyMaintenanceStartTime?: string;
}

/** Checks and translates when an FSx file system is backed up and maintained. */
export function fsxSchedule(
  scope: IConstruct,
  props: FsxFileSystemProps,
  defaultRetention: Duration,
): FsxSchedule {
  const days = backupDays(scope, props.backupRetention ?? defaultRetention);
  requireTime(scope, 'dailyBackupStart', props.dailyBackupStart, TIME, "HH:MM, for example '03:30'");
  requireTime(
    scope,
    'weeklyMaintenanceStart',
    props.weeklyMaintenanceStart,
    WEEKLY_TIME,
    "d:HH:MM, for example '7:03:30' for Sunday",
  );
  if (days === 0 && props.dailyBackupStart !== undefined) {
    throw invalid(
      scope,
      'dailyBackupStart',
      props.dailyBackupStart,
      'nothing without backups',
      'Leave it out, or give a backupRetention of a day or more.',
    );
  }
  return {
    automaticBackupRetentionDays: days,
    dailyAutomaticBackupStartTime: props.dailyBackupStart,
    weeklyMaintenanceStartTime: props.weeklyMaintenanceStart,
  };
}

function backupDays(scope: IConstruct, retention: Duration): number {
  const { min, max } = FSX_BACKUP_DAYS;
  if (retention.isUnresolved()) {
    throw invalid(scope, 'backupRetention', 'a token', `${min} to ${max} days`, 'Spell it out.');
  }
  const days = retention.toDays({ integral: false });
  if (!Number.isInteger(days) || days < min || days > max) {
    throw invalid(
      scope,
      'backupRetention in days',
      days,
      `a whole number from ${min} to ${max}`,
      'Change it; AWS Backup keeps backups for longer.',
    );
  }
  return days;
}

function requireTime(
  scope: IConstruct,
  what: string,
  value: string | undefined,
  form: RegExp,
  allowed: string,
): void {
  if (!isConcrete(value) || form.test(value!)) return;
  throw invalid(scope, what, value, allowed, 'Times are in UTC, with two digits each.');
}

/** Rejects what is no id of a backup of FSx. Tokens pass. */
export function requireBackupId(scope: IConstruct, backupId: string | undefined): void {
  if (!isConcrete(backupId) || BACKUP_ID.test(backupId!)) return;
  const allowed = 'the id of a backup, such as backup-0123456789abcdef0';
  throw invalid(scope, 'backupId', backupId, allowed, 'aws fsx describe-backups shows them.');
}

/** Rejects what CloudFormation has no meaning for. */
export function removalPolicyOf(scope: IConstruct, policy: RemovalPolicy | undefined): RemovalPolicy {
  if (policy === RemovalPolicy.SNAPSHOT) {
    throw invalid(
      scope,
      'removalPolicy',
      policy,
      'RETAIN, DESTROY or RETAIN_ON_UPDATE_OR_DELETE',
      'CloudFormation makes no snapshots of file systems: retain it, and back it up.',
    );
  }
  return policy ?? RemovalPolicy.RETAIN;
}

/** Checks that a second zone is there when the deployment type needs one, and only then. */
export function checkStandby(
  scope: IConstruct,
  deploymentType: string,
  { standby, network }: { readonly standby?: StandbyZone; readonly network: IGridNetwork },
): void {
  if (standby) requireOtherZone(scope, 'standby.subnet', standby.subnet, network.availabilityZone);
  const multiple = deploymentType.startsWith('MULTI_AZ');
  if (multiple === (standby !== undefined)) {
    if (standby && !Token.isUnresolved(standby.routeTableIds) && standby.routeTableIds.length === 0) {
      throw invalid(
        scope,
        'standby.routeTableIds',
        [],
        'one route table or more',
        'Name the tables of all subnets from which the file system is used, or they do not find it.',
      );
    }
    return;
  }
  throw invalid(
    scope,
    'standby',
    multiple ? 'missing' : 'given',
    multiple ? `a second zone with ${deploymentType}` : `nothing with ${deploymentType}`,
    multiple ? 'Name a subnet in another zone.' : 'Leave it out, or choose a Multi-AZ deployment type.',
  );
}
