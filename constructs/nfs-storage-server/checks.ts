import { Duration, type Size, SizeRoundingBehavior, Token } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { SNAPSHOT_HOURS } from '../facts/services';
import { parseCidr, prefixLength } from '../grid-network/cidr';
import { tellOtherVpc, tellUnseenZone } from '../private/in-network';
import { checkDomainInZone, zoneNameOf } from '../private/published-name';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import { LINUX_NFS } from '../sizing';
import type { NfsArchive, NfsStorageServerProps } from './props';
import type { NfsBackup } from './storage';

// As for the network's other ranges: wider is most of the internet.
const WIDEST_PREFIX = 8;

const LABEL = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

// exports(5). What would lose writes, let in any process, or break file handles is not among them; the server refuses
// that, too (constructs/host/lib/nfs.sh).
const EXPORT_OPTIONS = [
  'ro',
  'no_root_squash',
  'all_squash',
  'wdelay',
  'no_wdelay',
  'anonuid=<number>',
  'anongid=<number>',
  'security_label',
];
const NUMBER = '(0|[1-9]\\d{0,9})';
const EXPORT_OPTION = new RegExp(`^(${EXPORT_OPTIONS.join('|').replaceAll('<number>', NUMBER)})$`);

const BACKUP_HOURS = SNAPSHOT_HOURS.value;

/** Everything that is plain about a server, checked, defaults filled in. */
export interface NfsPlan {
  readonly hostName: string;
  readonly domainName: string;
  readonly exportName: string;
  readonly clientRanges: string[];
  readonly clientConnections: number;
}

/** Checks the properties that no other construct checks, and fills in the defaults. */
export function plan(scope: IConstruct, props: NfsStorageServerProps): NfsPlan {
  const hostName = props.hostName ?? 'storage1';
  if (isConcrete(hostName) && !LABEL.test(hostName)) {
    const allowed = 'a lower-case letter, then lower-case letters, digits and dashes, 63 characters at most';
    throw invalid(scope, 'hostName', hostName, allowed, "For example 'storage1'.");
  }
  tellOtherVpc(scope, 'securityGroup', props.securityGroup, props.network.vpc);
  tellUnseenZone(scope, props.hostedZone, props.network.vpc);
  const zone = zoneNameOf(scope, props.hostedZone);
  const domainName = props.domainName ?? zone ?? 'sas-grid.internal';
  if (isConcrete(domainName) && !domainName.split('.').every((label) => /^[a-z0-9-]{1,63}$/.test(label))) {
    const allowed = 'lower-case labels joined by dots';
    throw invalid(scope, 'domainName', domainName, allowed, "For example 'sas-grid.internal'.");
  }
  checkDomainInZone(scope, domainName, zone);
  const threads = 'Leave it out for 16 for each processor.';
  requireInteger(scope, 'nfsdThreads', props.nfsdThreads, 1, LINUX_NFS.mostThreads, threads);
  requireInteger(scope, 'expectedClients', props.expectedClients, 0, 100_000, 'Leave it out if unknown.');
  checkExportOptions(scope, props.exportOptions);
  requireRootVolume(scope, props.rootVolumeSize);
  return {
    hostName,
    domainName,
    exportName: requireExportName(scope, props.exportName),
    clientRanges: clientRanges(scope, props),
    clientConnections: requireConnections(scope, 'clientConnections', props.clientConnections),
  };
}

/** The name of an export, checked; `sasdata` when there is none. */
export function requireExportName(scope: IConstruct | undefined, name = 'sasdata'): string {
  if (isConcrete(name) && (!/^[A-Za-z0-9_.-]{1,64}$/.test(name) || /^\.+$/.test(name))) {
    const allowed = "1 to 64 letters, digits, '_', '-' or '.'";
    throw invalid(scope, 'exportName', name, allowed, 'The mount point can have any name.');
  }
  return name;
}

/** The number of connections of a client, checked. */
export function requireConnections(
  scope: IConstruct | undefined,
  what: string,
  value: number = LINUX_NFS.mostConnections,
): number {
  requireInteger(scope, what, value, 1, LINUX_NFS.mostConnections, 'Leave it out for 16.');
  return value;
}

function requireRootVolume(scope: IConstruct, size: Size | undefined): void {
  if (size === undefined || size.isUnresolved()) return;
  const gibibytes = size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
  requireInteger(scope, 'rootVolumeSize in GiB', gibibytes, 8, 16_384, 'The paper has 100.');
}

function clientRanges(scope: IConstruct, { clientRanges: named, network }: NfsStorageServerProps): string[] {
  if (named === undefined) return [vpcRange(scope, network.vpc)];
  if (Token.isUnresolved(named) || named.length === 0) {
    const allowed = 'a list of at least one range, of which the length is known at synthesis';
    throw invalid(
      scope,
      'clientRanges',
      named.length === 0 ? [] : 'a token',
      allowed,
      'Leave it out for the VPC.',
    );
  }
  for (const range of named.filter(isConcrete)) {
    const parsed = parseCidr(range);
    if (parsed && prefixLength(parsed) >= WIDEST_PREFIX) continue;
    throw invalid(
      scope,
      'clientRanges',
      range,
      `IPv4 ranges from /${WIDEST_PREFIX} to /32 that start at their first address, such as 172.16.0.0/22`,
      'Name the subnets of the clients; NFS is never opened to the internet.',
    );
  }
  return named;
}

function vpcRange(scope: IConstruct, vpc: IVpc): string {
  try {
    return vpc.vpcCidrBlock;
  } catch {
    const allowed = 'a list of ranges, where the range of the VPC is not known';
    throw invalid(scope, 'clientRanges', undefined, allowed, 'Name the subnets of the clients.');
  }
}

function checkExportOptions(scope: IConstruct, options: string[] = []): void {
  for (const option of options) {
    if (isConcrete(option) && EXPORT_OPTION.test(option)) continue;
    throw invalid(
      scope,
      'exportOptions',
      isConcrete(option) ? option : 'a token',
      EXPORT_OPTIONS.join(', '),
      'Others lose writes (async), let in any process (insecure), break file handles (fsid), or are there already.',
    );
  }
}

/** The time between two snapshots in hours, when the first one is, and the retention in days. */
export function backupRule(
  scope: IConstruct,
  { every = Duration.hours(24), startTime = '03:00', retention = Duration.days(14) }: NfsBackup,
): { hours: number; startTime: string; days: number } {
  const hours = every.toHours({ integral: false });
  if (!BACKUP_HOURS.includes(hours)) {
    const allowed = `${BACKUP_HOURS.join(', ')} hours`;
    throw invalid(scope, 'backup.every', every.toHumanString(), allowed, 'Choose one of these.');
  }
  if (isConcrete(startTime) && !/^([01]\d|2[0-3]):[0-5]\d$/.test(startTime)) {
    throw invalid(scope, 'backup.startTime', startTime, 'hh:mm from 00:00 to 23:59', 'It is in UTC.');
  }
  const days = retention.toDays({ integral: false });
  requireInteger(scope, 'backup.retention in days', days, 1, 36_500, 'Give whole days.');
  return { hours, startTime, days };
}

/** The hours between two copies, and how long former versions stay in days. */
export function archiveRule(scope: IConstruct, archive: NfsArchive): { hours: number; keepDays: number } {
  const hours = (archive.every ?? Duration.days(1)).toHours({ integral: false });
  requireInteger(scope, 'archive.every in hours', hours, 1, 31 * 24, 'Give whole hours, up to 31 days.');
  const keepDays = (archive.keepFormerVersions ?? Duration.days(90)).toDays({ integral: false });
  const fix = 'Give whole days.';
  requireInteger(scope, 'archive.keepFormerVersions in days', keepDays, 1, 36_500, fix);
  if (archive.bucket && archive.keepFormerVersions) {
    const allowed = 'nothing beside a bucket of your own';
    throw invalid(
      scope,
      'archive.keepFormerVersions',
      archive.keepFormerVersions.toHumanString(),
      allowed,
      'Set the lifecycle rules of your bucket.',
    );
  }
  const { prefix } = archive;
  const plain =
    prefix === undefined || !isConcrete(prefix) || /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/.test(prefix);
  if (!plain) {
    const allowed = "names of letters, digits, '_', '.' and '-', joined by '/'";
    throw invalid(scope, 'archive.prefix', prefix, allowed, "For example 'backup/storage1'.");
  }
  return { hours, keepDays };
}
