import { Aws, type CustomResource, Duration, ScopedAws, Stack } from 'aws-cdk-lib';
import type * as autoscaling from 'aws-cdk-lib/aws-autoscaling';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import { allowAutoScaling } from '../private/auto-scaling-key';
import { firstDataBefore } from '../private/first-data';
import { FixedValues } from '../private/fixed-values';
import { inlinePolicy } from '../private/inline-policy';
import { checkArguments } from '../private/inputs/check';
import { acknowledgeNames } from '../private/named-on-purpose';
import { requireRetainedKey } from '../private/retained-key';
import { TierAlarms, UNPROBED } from './alarms';
import { checkProps } from './checks';
import { reconcilerFunction, seedFunction } from './functions';
import { HealthProbe, PROBE_DEFAULTS } from './health-probe';
import type { IVolumeReattachment } from './interface';
import { type MapRequest, SEEDING, seedRows, waitForServed } from './map-resources';
import type { Slot, VolumeReattachmentProps } from './props';
import { RecoveryWorkflow, type RecoveryWorkflowProps } from './recovery-workflow';
import { serveDocument } from './serve-document';
import { describeServer, type ServerDescription } from './server-description';
import { LAUNCH_HOOK, Servers, TERMINATE_HOOK } from './servers';
import { isStriped, Slots } from './slots';
import type { TierNames } from './tier-names';
import type { VolumeMap } from './volume-map';

/**
 * CloudFormation waits at most an hour for a custom resource; what is served later than this is a failed deployment.
 */
const LONGEST_DEPLOYMENT = Duration.minutes(50);

/**
 * An execution of the workflow ends after this long at the latest, and the schedule starts the next: its history is
 * finite.
 */
const LONGEST_EXECUTION = Duration.hours(1);

/**
 * A tier of servers whose volumes and addresses outlive them: a failed server is replaced, and its replacement gets the
 * same volumes and the same address.
 *
 * A slot moves to another server only after the server before was seen terminated, and volumes are never detached by
 * force: no volume is ever written by two servers. Usable for any server with `sas-grid-serve` in its host software,
 * not only for Lustre.
 *
 * The deployment of a tier ends when all its slots are served, or fails and says which are not.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
 */
export class VolumeReattachment extends Construct implements IVolumeReattachment {
  /** The name of the tier. */
  readonly tier: string;

  /** The table that holds which server owns which slot. */
  readonly volumeMap: VolumeMap;

  /** The slots, in order. */
  readonly slots: Slot[];

  /** The group of servers, with as many members as there are slots and spares. */
  readonly autoScalingGroup: autoscaling.AutoScalingGroup;

  /** The Lambda function that takes the next safe steps. */
  readonly reconciler: lambda.Function;

  /** The workflow that calls the reconciler until all slots are served. */
  readonly workflow: sfn.StateMachine;

  /** The Lambda function that asks the servers whether they serve; undefined when nobody does. */
  readonly healthProber?: lambda.Function;

  /** Events that could not start the workflow. */
  readonly deadLetterQueue: sqs.Queue;

  /** The network connections of the servers and of their slots' interfaces. */
  readonly connections: ec2.Connections;

  /** What needs the tier to be served depends on this: it is complete when all slots are. */
  readonly served: Construct;

  /** The servers' role. */
  readonly role: iam.IRole;

  /** Value of the tag `cdk-sas-grid:tier` on all that belongs to the tier; its permissions rest on it. */
  readonly tierTag: string;

  /**
   * What each of its servers has.
   *
   * @internal
   */
  readonly _server: ServerDescription;

  /**
   * How many servers its group has beyond its slots.
   *
   * @internal
   */
  readonly _spares: number;

  /**
   * @throws when a property is out of its range, when volumes exceed what their type or the instance type allows, when
   * an address lies outside the subnet, or when the volume map has a tier of the same name
   */
  constructor(scope: Construct, id: string, props: VolumeReattachmentProps) {
    ({ props } = checkArguments('VolumeReattachment', { scope, id, props }));
    super(scope, id);
    acknowledgeNames(this);
    checkProps(this, props);
    this.tier = props.tier;
    this._server = describeServer(props);
    this._spares = props.standby?.count ?? 0;
    this.volumeMap = props.volumeMap;
    this.volumeMap._addTier(props.tier, this);

    const key = props.encryptionKey ?? props.volumeMap.encryptionKey;
    const recoveryTimeout = inMinutes(props.recoveryTimeout ?? Duration.hours(1));
    const schedule = inMinutes(props.schedule ?? Duration.minutes(5));
    // The name of the tier's stack wherever the tag is: Aws.STACK_NAME would be that of a nested stack inside of it.
    this.tierTag = `${new ScopedAws(this).stackName}/${pathInStack(this)}`;
    // Named here and not by CloudFormation, so that what watches the group can be there before it.
    const groupName = this._groupNameIn(this);
    allowAutoScaling(this, key);

    const slots = new Slots(this, 'Slots', props, this.tierTag, key);
    this.slots = slots.all;
    const stores = props.existingVolumes?.length ? 'kept' : [slots];
    requireRetainedKey(key, `the volumes of ${this.node.path}`, stores);
    const document = serveDocument(this, props.tier);
    const { tier, tierTag, volumeMap } = this;
    const names = { tier, tierTag, groupName, documentName: document.ref, volumeMap, key };
    this.reconciler = this.newReconciler(names, props, recoveryTimeout);
    const seed = seedFunction(this, names, SEEDING, looksAtSnapshots(props));
    const deadline = shorter(recoveryTimeout, LONGEST_EXECUTION);
    const recovery = this.newRecovery({ seed, groupName, key, deadline, schedule });
    this.workflow = recovery.stateMachine;
    this.deadLetterQueue = recovery.deadLetterQueue;
    const startWorkflow = this.letStartWorkflow(seed);

    const servers = new Servers(this, 'Servers', props, groupName, this.tierTag, key);
    this.autoScalingGroup = servers.group;
    this.role = servers.role;
    this.connections = props.securityGroup.connections;
    // Interfaces and volumes can be deleted only when no server holds them; a server needs its way to Systems Manager.
    this.autoScalingGroup.node.addDependency(slots, props.subnet.internetConnectivityEstablished);
    // Whatever answers the hooks is there before the first server, and goes after the last.
    this.autoScalingGroup.node.addDependency(this.reconciler, seed, startWorkflow, recovery, document);

    // The rows come before the group: CloudFormation may wait for the group's first servers, and they for their slots.
    // A change that is refused (a smaller tier) is refused here, before it costs a server.
    const request = this.mapRequest(seed, slots, recoveryTimeout);
    this.autoScalingGroup.node.addDependency(seedRows(this, request));
    if (props.neverChanges) servers.node.addDependency(this.fix(props.neverChanges, seed));
    this.served = waitForServed(this, request);
    this.served.node.addDependency(this.autoScalingGroup, startWorkflow);
    const health = this.newHealthProbe(props, names);
    this.healthProber = health?.prober;
    this.addAlarms(props, schedule, health);
  }

  private newRecovery(props: Omit<RecoveryWorkflowProps, 'reconciler' | 'watchInstances'>): RecoveryWorkflow {
    const watchInstances = this._spares > 0;
    return new RecoveryWorkflow(this, 'Recovery', { ...props, reconciler: this.reconciler, watchInstances });
  }

  /**
   * The tier's tag as a construct of any stack has to write it: in the tag itself, AWS::StackName stands for whatever
   * stack it is in.
   *
   * @internal
   */
  _tierTagIn(scope: IConstruct): string {
    const own = Stack.of(this);
    return Stack.of(scope) === own ? this.tierTag : `${own.stackName}/${pathInStack(this)}`;
  }

  /**
   * The name of the Auto Scaling group as a construct of any stack has to write it, without an export of this stack.
   *
   * @internal
   */
  _groupNameIn(scope: IConstruct): string {
    const own = Stack.of(this);
    const place = Stack.of(scope) === own ? Aws.STACK_NAME : own.stackName;
    return `${place}-${this.tier}-${this.node.addr.slice(-8)}`;
  }

  private fix(values: { [name: string]: string }, seed: lambda.Function): CustomResource {
    const fix = 'Undo the change: with another value its servers would not find their data.';
    return new FixedValues(this, 'Fixed', { servedBy: seed }).add('Values', values, fix);
  }

  private newReconciler(
    names: TierNames,
    props: VolumeReattachmentProps,
    recoveryTimeout: Duration,
  ): lambda.Function {
    const fallback = (props.fallbackInstanceTypes ?? []).map((type) => type.toString());
    return reconcilerFunction(this, names, props.standby?.count ?? 0, {
      LAUNCH_HOOK,
      TERMINATE_HOOK,
      // Without any it stays as it is deployed.
      ...(fallback.length > 0 && {
        SERVER_TYPE: props.instanceType.toString(),
        FALLBACK_TYPES: fallback.join(','),
      }),
      SLOT_COUNT: String(props.slotCount),
      RECOVERY_TIMEOUT_SECONDS: String(recoveryTimeout.toSeconds()),
    });
  }

  /** Apart from the function's role, which the function waits for, while the workflow waits for the function. */
  private letStartWorkflow(seed: lambda.Function): iam.Policy {
    return inlinePolicy(this, 'StartWorkflow', seed.role!, [
      new iam.PolicyStatement({
        actions: ['states:StartExecution'],
        resources: [this.workflow.stateMachineArn],
      }),
    ]);
  }

  private mapRequest(seed: lambda.Function, slots: Slots, recoveryTimeout: Duration): MapRequest {
    const { tier, workflow } = this;
    const { table } = this.volumeMap;
    const timeout = shorter(recoveryTimeout, LONGEST_DEPLOYMENT);
    return { seed, tier, table, workflow, timeout, slots: slots.descriptions };
  }

  private newHealthProbe(props: VolumeReattachmentProps, names: TierNames): HealthProbe | undefined {
    const probe = props.healthProbe ?? {};
    if (probe.enabled === false) return undefined;
    const health = new HealthProbe(this, 'HealthProbe', { ...probe, names, slotCount: props.slotCount });
    // Nobody asks before there is an answer, and the prober goes before the servers.
    health.node.addDependency(this.served);
    return health;
  }

  private addAlarms(props: VolumeReattachmentProps, schedule: Duration, health?: HealthProbe): void {
    const alarms = new TierAlarms(this, 'Alarms', {
      tier: props.tier,
      tierTag: this.tierTag,
      workflow: this.workflow,
      deadLetterQueue: this.deadLetterQueue,
      reconciler: this.reconciler,
      schedule,
      spares: props.standby?.count ?? 0,
      fallbackTypes: (props.fallbackInstanceTypes ?? []).map((type) => type.toString()),
      serverType: props.instanceType.toString(),
      probeInterval: health && (props.healthProbe?.interval ?? PROBE_DEFAULTS.interval),
      alarmTopic: props.alarmTopic,
    });
    // Of what nobody has measured yet these would ring as of what nobody measures any more; and they go before the tier
    // is let go. The others are there while a first deployment waits for its servers: whose launches fail, somebody is
    // to hear.
    for (const alarm of alarms.ofMissingData) alarm.node.addDependency(health?.rounds ?? this.served);
    // The rows have been looked at by then. Of servers nobody has asked any yet.
    const unprobed = alarms.ofMissingData.find(({ node }) => node.id === UNPROBED.alarm);
    if (!unprobed || !health) return;
    const dimensions = { Tier: this.tierTag };
    firstDataBefore(unprobed, { metricName: UNPROBED.metric, dimensions }, health.rounds);
  }
}

/** Whether the seeding has to know the snapshots that volumes were made of. */
const looksAtSnapshots = (props: VolumeReattachmentProps): boolean =>
  props.restoreFrom !== undefined || (isStriped(props) && props.existingVolumes !== undefined);

/** The CDK cannot add to a part of an hour. */
const inMinutes = (time: Duration): Duration => Duration.minutes(time.toMinutes({ integral: false }));

const shorter = (a: Duration, b: Duration): Duration => (a.toSeconds() < b.toSeconds() ? a : b);

/** Longest part of a tag's value that the construct's path may take, of the 256 characters that EC2 allows. */
const MAX_PATH = 100;

/** The construct's path below its stack, with nothing that a tag may not hold. */
function pathInStack(scope: Construct): string {
  const stack = Stack.of(scope);
  const names = scope.node.scopes.slice(stack.node.scopes.length).map((each) => each.node.id);
  const path = names.join('/').replace(/[^A-Za-z0-9 +\-=._:/@]/g, '-');
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH - 9)}-${scope.node.addr.slice(-8)}`;
}
