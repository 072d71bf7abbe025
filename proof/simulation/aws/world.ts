import { SLOT_TAG, TIER_TAG } from '../../../constructs/private/tags';
import { PATIENCE as SLEEP_PATIENCE } from '../../../lambda/operation-sleep/settings';
import type { Log } from '../../../lambda/shared/log';
import { Random } from '../core/random';
import { Scheduler } from '../core/scheduler';
import { askNode } from '../hosts/grid-node';
import { Hosts } from '../hosts/hosts';
import { SimulatedAutoScaling } from './autoscaling/group';
import { autoScalingOperation } from './autoscaling/operations';
import { type Call, type Faults, NO_FAULTS } from './call';
import { SimulatedStack } from './cloudformation';
import { SimulatedCloudWatch } from './cloudwatch';
import type { Context } from './context';
import type { SlotResources } from './custom-resources';
import { SimulatedDynamoDb } from './dynamodb/table';
import { SimulatedEc2 } from './ec2/ec2';
import { EC2_OPERATIONS } from './ec2/operations';
import { SimulationError } from './errors';
import { SimulatedEventBridge } from './events';
import { Functions } from './functions';
import { NODE_HEALTH, SimulatedGrid } from './grid';
import { SimulatedLambda } from './lambda';
import { Sleeper } from './sleeper';
import { SimulatedSsm } from './ssm';
import { SimulatedStepFunctions } from './stepfunctions/workflows';
import { TIMINGS, type Timings } from './timings';
import { type Handlers, Transport } from './transport/transport';
import type { WorldOptions } from './world-options';

const START = Date.parse('2026-01-01T00:00:00Z');
const ZONE = 'us-east-1a';
const SILENT: Log = { info: () => undefined, error: () => undefined, metrics: () => undefined };

/**
 * A simulated account with a tier of servers: the real reconciler, the real custom resource and the real workflow on
 * simulated services, hosts and time. Nothing happens but in `run`.
 */
export class World {
  readonly scheduler: Scheduler;
  readonly ec2: SimulatedEc2;
  readonly group: SimulatedAutoScaling;
  readonly map: SimulatedDynamoDb;
  readonly ssm: SimulatedSsm;
  readonly workflows: SimulatedStepFunctions;
  readonly stack: SimulatedStack;
  readonly hosts: Hosts;
  readonly lambda: SimulatedLambda;
  readonly events: SimulatedEventBridge;
  readonly transport: Transport;
  readonly cloudWatch: SimulatedCloudWatch;
  readonly grid: SimulatedGrid;
  readonly sleeper: Sleeper;
  /** Its members may be changed at any time: they count from then on. */
  readonly timings: { -readonly [name in keyof Timings]: Timings[name] };
  private readonly log: Log;

  constructor(readonly options: WorldOptions) {
    const { deployment, observer = {}, slots } = options;
    this.log = options.log ?? SILENT;
    this.scheduler = new Scheduler(options.start ?? START);
    this.timings = { ...TIMINGS, ...options.timings };
    const functions = new Functions(this, this.log);
    const root = new Random(options.seed);
    const context: Context = {
      scheduler: this.scheduler,
      timings: this.timings,
      faults: options.faults ?? NO_FAULTS,
      observer,
      random: (name) => root.fork(name),
    };
    if (observer.onStep) this.scheduler.watch(() => observer.onStep!(this));
    this.ec2 = new SimulatedEc2(context);
    this.hosts = new Hosts(context, this.ec2, options.volumesPerSlot);
    this.map = new SimulatedDynamoDb(context, deployment.tableName, deployment.tier);
    const { documentName, document, prober, nodeHealth } = deployment;
    this.ssm = new SimulatedSsm(
      context,
      this.hosts,
      documentName,
      document,
      prober.document,
      nodeHealth.document,
      (node) => askNode(node, this.hosts, this.ec2),
    );
    this.cloudWatch = new SimulatedCloudWatch(() => this.now());
    this.grid = new SimulatedGrid(this.ec2, ZONE, options.gridNodes ?? 0, nodeHealth, {
      clients: (worker, patience) => functions.clients(worker, patience),
      now: (worker) => functions.timerOf(worker).now,
      log: this.cloudWatch.logOf(NODE_HEALTH, this.log),
    });
    this.sleeper = this.newSleeper(functions);
    this.lambda = new SimulatedLambda(context, functions.all);
    this.workflows = new SimulatedStepFunctions(
      context,
      deployment.stateMachineArn,
      deployment.stateMachine,
      (functionName, payload, execution) => this.lambda.invoke(functionName, payload, execution),
    );
    this.events = new SimulatedEventBridge(context, deployment.rules, (input) => this.workflows.start(input));
    const tags = { [TIER_TAG]: deployment.tierTag };
    this.group = new SimulatedAutoScaling(context, deployment, this.ec2, this.events, ZONE, tags);
    this.transport = new Transport(context, this.operations(context.faults));
    this.stack = new SimulatedStack(
      context,
      deployment,
      this.ec2,
      this.group,
      this.lambda,
      this.events,
      (name, index) => this.makeSlot(name, index),
      slots,
      options.spareServers ?? 0,
    );
    this.events.startSchedules();
    this.scheduleProbes();
  }

  private newSleeper(functions: Functions): Sleeper {
    return new Sleeper(
      this,
      (worker) => functions.clients(worker, { usual: SLEEP_PATIENCE }),
      this.log,
      (operation, outcome) => this.options.observer?.onOperationEnd?.(operation, outcome),
    );
  }

  /** Attempts of API calls so far. */
  get calls(): number {
    return this.transport.calls;
  }

  get callsBy(): ReadonlyMap<string, number> {
    return this.transport.callsBy;
  }

  now(): number {
    return this.scheduler.now();
  }

  /** Lets time pass, at most so much, or until `stop` says so. */
  run(ms: number, stop?: () => boolean): Promise<void> {
    return this.scheduler.run(this.now() + ms, stop);
  }

  /**
   * Lets time pass until an operation has ended.
   *
   * @throws Error when it takes longer than `limitMs`
   */
  async finish<T>(operation: Promise<T>, limitMs = 2 * 3_600_000): Promise<T> {
    const state: { done: boolean; value?: T; error?: unknown } = { done: false };
    operation.then(
      (value) => Object.assign(state, { done: true, value }),
      (error) => Object.assign(state, { done: true, error }),
    );
    await this.run(limitMs, () => state.done);
    if (!state.done) throw new Error(`the operation has not ended after ${limitMs / 1000} s`);
    if (state.error !== undefined) throw state.error;
    return state.value as T;
  }

  /** Whether each slot of the stack is served by its owner, in the map and to clients, and each launch is completed. */
  isServed(): boolean {
    return this.stack.slots.every((slot) => {
      const row = this.map.items.get(`slot#${slot}`);
      if (row === undefined || row.phase !== 'served' || row.servedEpoch !== row.epoch) return false;
      const host = this.hosts.all.get(String(row.owner));
      const member = this.group.members.get(String(row.owner));
      return host?.reachesClients === true && host.slot === slot && member?.lifecycle === 'InService';
    });
  }

  /** What each service does when a function calls it. */
  private operations(faults: Faults): Handlers {
    return {
      ec2: (operation, input, call) => this.ec2Call(operation, input, call, faults),
      autoscaling: (operation, input, call) =>
        autoScalingOperation(this.group, operation, input, call, this.age(operation, call, faults)),
      dynamodb: (operation, input, call) => this.map.handle(operation, input, call),
      ssm: (operation, input) => this.ssm.handle(operation, input),
      sfn: (operation, input) => this.workflows.handle(operation, input),
      cloudformation: (operation, input) =>
        operation === 'DescribeStacks'
          ? { Stacks: [{ StackStatus: this.stack.status }] }
          : this.takeAnswer(input as { url: string; body: string }),
    };
  }

  private scheduleProbes(): void {
    const { prober, nodeHealth } = this.options.deployment;
    // Their rules come when the servers are there (constructs/volume-reattachment, "Nobody asks before there is an
    // answer").
    const isDeployed = (): boolean => this.stack.verdicts.some(({ ok }) => ok);
    this.events.schedule(prober.everySeconds, () => {
      if (isDeployed()) this.lambda.invokeLater(prober.arn, {}, 'schedule');
    });
    if (this.grid.instanceIds.length === 0) return;
    this.events.schedule(nodeHealth.everySeconds, () => {
      if (isDeployed()) this.lambda.invokeLater(nodeHealth.arn, {}, 'schedule');
    });
  }

  private ec2Call(operation: string, input: object, call: Call, faults: Faults): object {
    const handler = EC2_OPERATIONS[operation];
    if (handler === undefined) throw new SimulationError(`EC2's ${operation} is not simulated`);
    return handler(this.ec2, input as never, call, this.age(operation, call, faults));
  }

  private age(operation: string, call: Call, faults: Faults): number {
    return operation.startsWith('Describe') ? faults.staleness(call) : 0;
  }

  private takeAnswer({ url, body }: { url: string; body: string }): object {
    this.stack.answer(url, body);
    return {};
  }

  private makeSlot(name: string, index: number): SlotResources {
    const tags = { [TIER_TAG]: this.options.deployment.tierTag, [SLOT_TAG]: name };
    const address = `10.0.${1 + Math.floor(index / 200)}.${10 + (index % 200)}`;
    const networkInterface = this.ec2.createInterface(name, ZONE, address, tags);
    const volumes = Array.from({ length: this.options.volumesPerSlot }, () =>
      this.ec2.createVolume(name, ZONE, tags),
    );
    return {
      name,
      networkInterfaceId: networkInterface.id,
      address,
      volumeIds: volumes.map((volume) => volume.id),
    };
  }
}
