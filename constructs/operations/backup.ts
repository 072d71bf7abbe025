import { Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Io2BlockExpressGfs2 } from '../io2-block-express-gfs2';
import { SHARED_SLOT } from '../io2-block-express-gfs2/cluster-tag';
import { invalid } from '../private/validation';
import type { VolumeReattachment } from '../volume-reattachment';
import { alarmOfAge } from './age-alarm';
import { BackupCopies } from './backup-copies';
import { allowBackups } from './backup-rights';
import type { BackupDestination } from './copy-rights';
import { holdDocument } from './host-documents';
import { allowManagedBackups, type ManagedStorage } from './managed-rights';
import { scheduleOperation } from './schedule';
import { type OperationProps, stepsFunction } from './steps';

/** How the data of a file system is backed up. */
export interface BackupDescription {
  /** `nfs`, `io2`, `gfs2`, `lustre` or `fsx-lustre`. */
  readonly kind: string;
  /** All of its tiers; none where AWS runs it, and where the nodes of a cluster share the volumes. */
  readonly tiers: readonly VolumeReattachment[];
  /** What has the nodes that share the volumes. The output `VolumeIds` of its stack has these. */
  readonly cluster?: Io2BlockExpressGfs2;
  /** Name of the tier whose server holds what is written. */
  readonly holder: string;
  /** What AWS runs of it, and backs up itself. */
  readonly managed?: ManagedStorage;
  /** Why it has no such backups, and what to do. */
  readonly refusal?: string;
}

/** When backups are made by themselves, and how many stay. */
export interface BackupSchedule {
  /** An expression of EventBridge Scheduler: `cron(0 2 * * ? *)`. */
  readonly schedule: string;
  /** An IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
  /** How many complete sets stay, besides those that are protected. */
  readonly keep?: number;
  /** From how many hours on the newest set is too old. */
  readonly alarmAfterHours?: number;
  /** Where each complete set is copied to. */
  readonly copyTo?: BackupDestination;
}

/** Properties of `Backup`. */
export interface BackupProps extends OperationProps {
  readonly description: BackupDescription;
  readonly schedule?: BackupSchedule;
}

/** What the function is told of volumes that nodes share. */
const sharedBy = (cluster: Io2BlockExpressGfs2): object => ({
  ...SHARED_SLOT,
  // No import of volumes: the stack has to let go of them when they become somebody's (existingVolumes).
  stack: Stack.of(cluster).stackName,
  nodes: cluster.hosts.map(({ name, autoScalingGroup }) => ({
    name,
    group: autoScalingGroup.autoScalingGroupName,
  })),
});

/** Longer than hosts take to hold and let go; EBS goes on copying afterwards. */
const DEADLINE = Duration.hours(1);

/** FSx copies for hours, above all the first time; what takes longer goes on, and is judged by the next backup. */
const MANAGED_DEADLINE = Duration.hours(24);

const KEEP = 14;

/** Two nights and an hour: one backup may be missing. */
const ALARM_AFTER_HOURS = 49;

/** The operation `backup`: one set of snapshots of all volumes of a deployment, at one moment. It deletes no volume. */
export class Backup extends Construct {
  constructor(scope: Construct, id: string, props: BackupProps) {
    super(scope, id);
    const { operations, schedule } = props;
    const { deployment } = operations.props;
    const document = holdDocument(this, deployment);
    const steps = this.newFunction(props, document);
    const deadline = deadlineOf(props);
    const { stateMachine } = operations.add({ operation: 'backup', steps, deadline });
    if (!schedule) return;
    scheduleOperation(this, 'backup', stateMachine, schedule.schedule, schedule.timeZone);
    this.watchAge(props, steps, schedule.alarmAfterHours ?? ALARM_AFTER_HOURS);
    this.addCopies(props, schedule);
  }

  private addCopies({ operations, description }: BackupProps, schedule: BackupSchedule): void {
    const { copyTo: destination, keep = KEEP, alarmAfterHours = ALARM_AFTER_HOURS } = schedule;
    // Where each backup is refused there is nothing to copy.
    if (!destination || description.refusal) return;
    const { tiers, cluster } = description;
    const encryptionKey = tiers[0]?.volumeMap.encryptionKey ?? cluster?.encryptionKey;
    if (!encryptionKey) {
      const fix = 'Take copyTo out; docs/operations/copies.md says what to do instead.';
      throw invalid(this, 'copyTo', destination.region, 'none, since it has no snapshots of volumes', fix);
    }
    const backupAlarmAfterHours = alarmAfterHours;
    new BackupCopies(this, 'CopyTo', { operations, destination, encryptionKey, keep, backupAlarmAfterHours });
  }

  private newFunction(props: BackupProps, document: ssm.CfnDocument): lambda.Function {
    const { operations, description, stacks, schedule } = props;
    const { deployment } = operations.props;
    const { kind, tiers, cluster, holder, managed, refusal } = description;
    const keep = schedule && (schedule.keep ?? KEEP);
    const steps = stepsFunction(this, 'operation-backup', {
      operations,
      description: `Makes ${managed ? 'backups' : 'snapshots'} of the deployment ${deployment} at one moment`,
      document,
      deadline: deadlineOf(props),
      settings: {
        kind,
        tiers: tiers.map(({ tier, volumeMap }) => ({ tier, table: volumeMap.table.tableName })),
        ...(cluster && { cluster: sharedBy(cluster) }),
        holder,
        stacks,
        ...(keep !== undefined && { keep }),
        ...(managed && { managed: managed.ids }),
        ...(refusal && { refusal }),
      },
    });
    // What it has begun, and what the next one has to call torn.
    operations.table.grant(steps, 'dynamodb:Scan');
    const deletes = keep !== undefined;
    if (managed) allowManagedBackups(steps, { deployment, managed, stacks, deletes });
    else allowBackups(steps, { deployment, tiers, cluster, stacks, document, deletes });
    return steps;
  }

  private watchAge({ operations }: BackupProps, steps: lambda.Function, hours: number): void {
    const { deployment } = operations.props;
    const hourly = new events.Rule(this, 'Interval', {
      description: `Age of the newest backup of ${deployment}`,
      schedule: events.Schedule.rate(Duration.hours(1)),
      targets: [
        new targets.LambdaFunction(steps, {
          event: events.RuleTargetInput.fromObject({ action: 'measure' }),
          maxEventAge: Duration.hours(1),
        }),
      ],
    });
    alarmOfAge(this, 'BackupTooOld', operations.props, {
      alarmDescription:
        `Deployment ${deployment}: the newest set of snapshots that can be restored is older than ${hours} hours, or ` +
        'nobody has looked for 3. Why the last backup failed: the cause of its execution, and backup --list',
      metricName: 'BackupAgeSeconds',
      hours,
      measured: hourly,
    });
  }
}

const deadlineOf = ({ description }: BackupProps): Duration =>
  description.managed ? MANAGED_DEADLINE : DEADLINE;
