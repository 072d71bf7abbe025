import { historyKey } from '../../../constructs/private/recoveries';
import { toItem } from '../../../lambda/shared/attributes';
import { LEASE_ITEM, parseTier, type SlotRow, slotItem } from '../../../lambda/shared/map';
import { parseRecovery } from '../../../lambda/shared/recoveries';
import { PATIENCE, portsOn } from '../../../lambda/volume-reconciler/aws';
import type { Ports } from '../../../lambda/volume-reconciler/ports';
import { type Faults, NO_FAULTS } from '../../../proof/simulation/aws/call';
import type { LifecycleAction } from '../../../proof/simulation/aws/state';
import type { Range, Timings } from '../../../proof/simulation/aws/timings';
import { Worker } from '../../../proof/simulation/aws/transport/worker';
import { World } from '../../../proof/simulation/aws/world';
import { Checker } from '../../../proof/simulation/invariants/checker';
import { DEPLOYMENT } from './deployment';
import { SETTINGS, SILENT } from './settings';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const always = (ms: number): Range => [ms, ms];

/** Always the same times, so that a test can say to the second what it expects; calls take none. */
const TIMES: Partial<Timings> = {
  call: always(0),
  invoke: always(0),
  coldStart: always(0),
  boot: always(5 * SECOND),
  shutdown: always(20 * SECOND),
  release: always(0),
  tagsKept: always(300 * SECOND),
  terminatedShown: always(HOUR),
  attach: always(2 * SECOND),
  detach: always(2 * SECOND),
  agent: always(10 * SECOND),
  install: always(10 * SECOND),
  invocationVisible: always(0),
  delivery: always(SECOND),
  snapshot: always(90 * SECOND),
  format: always(SECOND),
  mount: always(SECOND),
  protection: always(0),
  groupReaction: always(SECOND),
  healthCheck: always(SECOND),
  launchRetry: always(SECOND),
};

/** For tests that break a run at each single call: nothing takes so long that a pass sees the same again. */
const QUICK: Partial<Timings> = {
  boot: always(SECOND),
  shutdown: always(SECOND),
  attach: always(SECOND),
  agent: always(SECOND),
  install: always(SECOND),
};

/** What a tier has, and what goes wrong in it. */
export interface TierOptions {
  readonly slots?: number;
  readonly spareServers?: number;
  /** Seconds that a server takes from its launch until it runs. */
  readonly boot?: number;
  readonly quick?: boolean;
  readonly faults?: Partial<Faults>;
}

/**
 * A tier on the simulated AWS, for tests that say themselves when a pass of the reconciler comes: the real adapters,
 * and rows as the real custom resource seeds them. What must never happen is checked by the simulation's invariants.
 */
export class Tier {
  readonly world: World;
  private readonly checker = new Checker(() => 0);
  private passes = 0;
  /** The process of each execution's pass. */
  private readonly newest = new Map<string, string>();
  private readonly declaredUnhealthy: string[] = [];

  private constructor({ slots = 2, spareServers = 0, boot, quick = false, faults }: TierOptions) {
    const { observer } = this.checker;
    this.world = new World({
      deployment: DEPLOYMENT,
      slots,
      volumesPerSlot: 2,
      spareServers,
      seed: 1,
      faults: { ...NO_FAULTS, ...faults },
      timings: { ...TIMES, ...(quick ? QUICK : {}), ...(boot ? { boot: always(boot * SECOND) } : {}) },
      observer: {
        ...observer,
        onCall: (call, outcome) => {
          const { InstanceId } = call.input as { InstanceId?: string };
          if (call.operation === 'SetInstanceHealth' && outcome === 'ok' && InstanceId)
            this.declaredUnhealthy.push(InstanceId);
          observer.onCall?.(call, outcome);
        },
      },
    });
    this.checker.watch(this.world);
  }

  /** Seeded; its servers are being launched. */
  static async launched(options: TierOptions = {}): Promise<Tier> {
    const tier = new Tier(options);
    const { world } = tier;
    const { slots, spareServers = 0 } = world.options;
    void world.stack.deploy();
    await world.run(60 * SECOND, () => world.group.members.size === slots + spareServers);
    expect(tier.rows).toHaveLength(slots);
    return tier;
  }

  get now(): number {
    return this.world.now();
  }

  /** Lets time pass. */
  async advance(seconds: number): Promise<void> {
    await this.world.run(seconds * SECOND);
  }

  /** The ports of a pass, in a process of its own. */
  ports(execution = 'test'): Ports {
    this.passes += 1;
    const worker = new Worker(`reconciler/${execution}/${this.passes}`);
    this.newest.set(execution, worker.name);
    const { scheduler, transport } = this.world;
    const clients = transport.clients(worker, PATIENCE);
    const timer = { now: () => this.now, sleep: (ms: number) => scheduler.sleep(ms) };
    const { tableName, documentName } = DEPLOYMENT;
    return portsOn(clients, SETTINGS, tableName, documentName, timer, SILENT);
  }

  /** Lets as much time pass as something takes that calls AWS. */
  finish<T>(what: Promise<T>): Promise<T> {
    return this.world.finish(what);
  }

  get violations(): string[] {
    return this.checker.violations.map(({ invariant, message }) => `${invariant}: ${message}`);
  }

  get rows(): SlotRow[] {
    return parseTier([...this.world.map.items.values()] as never).slots;
  }

  rowOf(slot: string): SlotRow {
    return this.rows.find((row) => row.slot === slot)!;
  }

  ownerOf(slot: string): string | undefined {
    return this.rowOf(slot).owner;
  }

  /** Which slot each server's own row names. */
  get ownerRows(): { [instanceId: string]: string } {
    const { owners } = parseTier([...this.world.map.items.values()] as never);
    return Object.fromEntries(owners.map(({ instanceId, slot }) => [instanceId, slot]));
  }

  get lease(): { readonly [attribute: string]: unknown } {
    return this.world.map.items.get(LEASE_ITEM) ?? {};
  }

  get recoveries() {
    const prefix = `${historyKey(SETTINGS.tier)}/`;
    const items = [...this.world.map.items].filter(([key]) => key.startsWith(prefix));
    return items.flatMap(([, item]) => parseRecovery(item as never) ?? []);
  }

  /** Somebody edits the row of a slot. */
  editRow(slot: string, change: { readonly [attribute: string]: unknown }): void {
    this.world.map.editRow(`slot#${slot}`, (row) => Object.assign(row, change));
  }

  /** A row that is there besides those of the deployment. */
  addRow(row: SlotRow): void {
    const [item, operation] = [slotItem(row.slot), 'PutItem'];
    const input = {
      TableName: DEPLOYMENT.tableName,
      Item: toItem({ tier: SETTINGS.tier, item, ...row } as never),
    };
    const call = {
      index: 0,
      worker: 'test',
      service: 'dynamodb',
      operation,
      input,
      at: this.now,
      attempt: 1,
    } as const;
    this.world.map.handle(operation, input, call);
  }

  /** Its server is terminated. */
  async lose(slot: string): Promise<string> {
    const owner = this.ownerOf(slot)!;
    this.world.ec2.terminate(owner);
    await this.advance(1);
    return owner;
  }

  /** Ends a launch that waits, or stops it: the group looks at members in service only, and keeps it as a member. */
  end(instanceId: string, how: 'terminated' | 'stopped'): void {
    if (how === 'terminated') this.world.ec2.terminate(instanceId);
    else this.world.ec2.stop(instanceId);
  }

  stateOf(instanceId: string): string | undefined {
    return this.world.ec2.instances.get(instanceId)?.state;
  }

  lifecycleOf(instanceId: string): string | undefined {
    return this.world.group.members.get(instanceId)?.lifecycle;
  }

  /** Members in service that serve nothing. */
  get idle(): string[] {
    const { group, hosts } = this.world;
    return [...group.members.values()].flatMap(({ instanceId, lifecycle }) =>
      lifecycle === 'InService' && !hosts.all.get(instanceId)?.serving ? [instanceId] : [],
    );
  }

  /** Launches that wait. */
  get waiting(): string[] {
    const members = [...this.world.group.members.values()];
    return members.flatMap(({ instanceId, lifecycle }) => (lifecycle === 'Pending:Wait' ? [instanceId] : []));
  }

  private launches(how: 'continue' | 'abandon'): LifecycleAction[] {
    return this.world.group.actions.filter(
      ({ hook, ended }) => hook === SETTINGS.launchHook && ended?.how === how,
    );
  }

  /** Servers whose launch was given up. */
  get abandoned(): string[] {
    return this.launches('abandon').map(({ instanceId }) => instanceId);
  }

  /** When, milliseconds since 1970. */
  get abandonedAt(): number[] {
    return this.launches('abandon').map(({ ended }) => ended!.at);
  }

  /** Servers whose launch was let through. */
  get letThrough(): string[] {
    return this.launches('continue').map(({ instanceId }) => instanceId);
  }

  /** Members of which the group was told that they are unhealthy. */
  get unhealthy(): readonly string[] {
    return this.declaredUnhealthy;
  }

  volumesOf(slot: string) {
    return [...this.world.ec2.volumes.values()].filter((volume) => volume.slot === slot);
  }

  /** The next calls of the host software end with this code, on whichever host. */
  hostsFail(exitCode: number, times: number): void {
    this.world.hosts.fail(undefined, exitCode, times);
  }

  hostsServeAgain(): void {
    this.world.hosts.noMoreFailures();
  }

  /** The pass of an execution has come to its end. */
  passed(execution: string): void {
    this.checker.observer.onPass?.(this.newest.get(execution)!);
  }
}
