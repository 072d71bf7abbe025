import { doomByHand } from '../aws/ec2/doom';
import type { World } from '../aws/world';
import { protectionMs } from '../bound';
import type { Host } from '../hosts/host';
import type { Checker } from '../invariants/checker';
import { HandEdits } from './hand-edits';
import type { Injector } from './injector';
import { type Fault, labelOf, type Target } from './kinds';

/** Shorter than a pass, so that whoever comes gets the lease. */
const LEASE_GONE_EVERY_MS = 200;

/** How often it is looked whether somebody waits in a hook. */
const HOOK_LOOK_MS = 700;

type Upgrade = Extract<Fault, { kind: 'upgrade' }>;

/** Makes the timed faults of a plan happen. */
export class Striker {
  readonly edits: HandEdits;
  /** Faults that struck, with their times, for the trace. */
  readonly struck: { readonly at: number; readonly fault: Fault; readonly whom: string }[] = [];

  constructor(
    private readonly world: World,
    private readonly injector: Injector,
    private readonly checker: Checker,
  ) {
    this.edits = new HandEdits(world);
  }

  /** Enters all timed faults into the queue; their times count from now. */
  arm(faults: readonly Fault[]): void {
    for (const fault of faults) {
      if (!('at' in fault)) continue;
      this.world.scheduler.after(fault.at, () => this.strike(fault), labelOf(fault));
    }
  }

  private strike(fault: Fault): void {
    const whom = this.take(fault);
    if (whom !== undefined) this.note(fault, whom);
  }

  /** Whom it struck, for people; undefined when there was nobody. */
  private take(fault: Fault): string | undefined {
    const { ec2, group, hosts, map, stack, workflows, scheduler } = this.world;
    switch (fault.kind) {
      case 'terminate':
        return this.all(fault.targets, (id) => ec2.terminate(id));
      case 'stop':
        return this.one(fault.target, (id) => {
          if (fault.hangMs !== undefined) ec2.hangGoingDown(id, fault.hangMs);
          return ec2.stop(id);
        });
      case 'stop-start':
        return this.one(fault.target, (id) => {
          if (!ec2.stop(id)) return false;
          scheduler.after(fault.ms, () => ec2.start(id), 'start again');
          return true;
        });
      case 'hang':
        return this.one(fault.target, (id) => {
          ec2.hangGoingDown(id, fault.ms);
          ec2.terminate(id);
        });
      case 'status-check':
        return this.one(fault.target, (id) => {
          if (fault.hangMs !== undefined) ec2.hangGoingDown(id, fault.hangMs);
          ec2.failStatusCheck(id);
        });
      case 'health-lie':
        return this.one(fault.target, (id) => group.lieAboutHealth(id, fault.says));
      case 'out-of-group':
        return this.one(fault.target, (id) => group.detachInstance(id));
      case 'hook-times-out':
        return this.timeOutHook(scheduler.now() + fault.ms, fault);
      case 'host-hangs':
        return this.one(fault.target, (id) => hosts.hang(id, fault.ms));
      case 'service-fails':
        return this.one(fault.target, (id) => hosts.all.get(id)?.fallIll(fault.how));
      case 'network-manager':
        return this.one(fault.target, (id) => hosts.all.get(id)?.way.take(fault.takes, fault.ms));
      case 'carrier-lost':
        return this.one(fault.target, (id) => hosts.all.get(id)?.way.drop('carrier', fault.ms));
      case 'packet-filter':
        return this.one(fault.target, (id) =>
          hosts.all.get(id)?.way.drop('filter', fault.ms ?? Number.POSITIVE_INFINITY),
        );
      case 'upgrade':
        if (fault.target === 'all') {
          for (const host of hosts.all.values()) this.upgrade(host, fault);
          return 'all hosts';
        }
        return this.one(fault.target, (id) => this.upgrade(hosts.all.get(id), fault));
      case 'services-fail':
        for (const host of hosts.all.values()) {
          host.fallIll('dead');
          scheduler.after(fault.ms, () => host.getWell(), 'services go on');
        }
        return 'all hosts';
      case 'probe-lies':
        return this.one(fault.target, (id) => hosts.all.get(id)?.health.tellLies(fault.says, fault.ms));
      case 'path-lost':
        for (const id of hosts.all.keys()) hosts.agentGone(id, fault.ms);
        return 'all hosts';
      case 'system-check':
        return this.one(fault.target, (id) => {
          ec2.failStatusCheck(id);
          hosts.agentGone(id, fault.ms);
          // What it was moved from lost its power: the operating system starts again.
          scheduler.after(fault.ms, () => ec2.mend(id) && hosts.reboot(id), 'mended');
        });
      case 'reboot':
        return this.one(fault.target, (id) => hosts.reboot(id));
      case 'root-replaced':
        return this.one(fault.target, (id) => hosts.replaceRootVolume(id));
      case 'agent-gone':
        return this.one(fault.target, (id) => hosts.agentGone(id, fault.ms));
      case 'host-fails':
        hosts.fail(undefined, fault.exitCode, fault.times);
        return `exit code ${fault.exitCode}, ${fault.times} times`;
      case 'no-capacity':
        ec2.noCapacity(fault.ms);
        return 'EC2';
      case 'stuck-interface':
        return this.interface(fault.slot, (id) => ec2.stickAttachment(id, fault.state, fault.ms));
      case 'stuck-attachment':
        return this.volume(fault, (id) => ec2.stickAttachment(id, fault.state, fault.ms));
      case 'detach-by-hand':
        return this.volume(fault, (id) => this.edits.detach(id));
      case 'interface-by-hand':
        return this.interface(fault.slot, (id) => ec2.detachInterfaceByHand(id));
      case 'moved-by-hand':
        return this.one(fault.target, (instanceId) =>
          this.volume(fault, (id) => this.edits.move(id, instanceId)),
        );
      case 'not-kept':
        return doomByHand(ec2, this.slot(fault.slot), fault.what) ? this.slot(fault.slot) : undefined;
      case 'looks-blank':
        return this.volume(fault, (id) => this.edits.wipe(id));
      case 'damaged':
        return this.volume(fault, (id) => this.damage(id, fault.repairMs));
      case 'orphans':
        return this.volume(fault, (id) => this.leave(id, fault.repairMs, fault.failing));
      case 'slow-volume':
        return this.volume(fault, (id) => this.slowDown(id, fault.intervalSeconds));
      case 'instance-refresh':
        group.instanceRefresh(fault.launchFirst);
        return 'the group';
      case 'second-worker':
        for (let copy = 0; copy < fault.copies; copy++) workflows.startByHand();
        return `${fault.copies} more executions`;
      case 'no-lease':
        for (let copy = 0; copy < fault.copies; copy++) workflows.startByHand();
        for (let ms = 0; ms < fault.ms; ms += LEASE_GONE_EVERY_MS)
          scheduler.after(ms, () => map.deleteRow('lease'), 'no lease');
        return `${fault.copies} more executions`;
      case 'deploy':
        if (stack.busy || stack.rollbackFailed) return undefined;
        void this.deploy(fault.change);
        if (fault.rollBackAfterMs !== undefined)
          scheduler.after(fault.rollBackAfterMs, () => stack.rollBack(), 'roll back');
        return 'the stack';
      case 'lease-by-hand':
        return this.edits.editLease(fault.edit) ? fault.edit : undefined;
      case 'edit':
        return this.edits.edit(this.slot(fault.slot), fault.edit);
      default:
        return 'for a while';
    }
  }

  private upgrade(host: Host | undefined, { ms, takesRoutes }: Upgrade): boolean {
    if (host?.fallIll('dead') !== true) return false;
    this.world.scheduler.after(ms, () => host.getWell(), 'services go on');
    host.agentGone(ms);
    if (takesRoutes) host.way.take('routes', 0);
    return true;
  }

  /** What was never formatted holds no file system. */
  private damage(volumeId: string, repairMs: number): boolean {
    const volume = this.world.ec2.volumes.get(volumeId);
    if (volume?.content !== 'target') return false;
    volume.repairMs = repairMs;
    return true;
  }

  private leave(volumeId: string, orphansMs: number, failingSnapshots: number): boolean {
    const volume = this.world.ec2.volumes.get(volumeId);
    if (volume?.content !== 'target') return false;
    Object.assign(volume, { orphansMs, failingSnapshots });
    return true;
  }

  private slowDown(volumeId: string, intervalSeconds: number): boolean {
    const volume = this.world.ec2.volumes.get(volumeId);
    if (volume?.content !== 'target') return false;
    volume.slowProtectionMs = protectionMs(intervalSeconds);
    return true;
  }

  private deploy(change: 'same' | 'grow' | 'another-map'): Promise<unknown> {
    const { stack } = this.world;
    if (change === 'same') return stack.redeploy();
    return change === 'grow' ? stack.grow() : stack.useAnotherMap();
  }

  /** Lies in wait for somebody that waits in a hook: at any one time there is mostly nobody. */
  private timeOutHook(until: number, fault: Fault): string | undefined {
    const { group, scheduler } = this.world;
    const waiting = group.actions.find((action) => action.ended === undefined);
    if (waiting === undefined) {
      if (scheduler.now() < until) scheduler.after(HOOK_LOOK_MS, () => this.noteLate(fault, until), 'hook');
      return undefined;
    }
    this.checker.excuseTimeOut(waiting.instanceId);
    group.timeOutHook(waiting.instanceId);
    return waiting.instanceId;
  }

  private noteLate(fault: Fault, until: number): void {
    const whom = this.timeOutHook(until, fault);
    if (whom !== undefined) this.note(fault, whom);
  }

  private note(fault: Fault, whom: string): void {
    this.injector.note(labelOf(fault));
    this.struck.push({ at: this.world.scheduler.now(), fault, whom });
  }

  private one(target: Target, strike: (instanceId: string) => unknown): string | undefined {
    return this.all([target], strike);
  }

  private all(targets: readonly Target[], strike: (instanceId: string) => unknown): string | undefined {
    const ids = new Set(targets.map((target) => this.find(target)).filter((id) => id !== undefined));
    // What says that it could do nothing has struck nobody.
    const struck = [...ids].filter((id) => strike(id) !== false);
    return struck.length > 0 ? struck.join(', ') : undefined;
  }

  private find(target: Target): string | undefined {
    const { ec2, group, map } = this.world;
    const lives = (id: string) =>
      !['terminated', 'shutting-down'].includes(ec2.instances.get(id)?.state ?? 'terminated');
    if ('owner' in target) {
      const owner = map.items.get(`slot#${this.slot(target.owner)}`)?.owner;
      return typeof owner === 'string' && lives(owner) ? owner : undefined;
    }
    const members = [...group.members.keys()].filter(lives);
    return members[target.member % members.length];
  }

  private volume(
    { slot, volume }: { slot: number; volume: number },
    strike: (id: string) => unknown,
  ): string | undefined {
    const volumes = [...this.world.ec2.volumes.values()].filter((each) => each.slot === this.slot(slot));
    const found = volumes[volume % volumes.length];
    return found !== undefined && strike(found.id) !== false ? found.id : undefined;
  }

  private interface(slot: number, strike: (id: string) => unknown): string | undefined {
    for (const { id, slot: of } of this.world.ec2.interfaces.values())
      if (of === this.slot(slot)) return strike(id) !== false ? id : undefined;
    return undefined;
  }

  private slot(index: number): string {
    return `${this.world.options.deployment.tier}-${String(index).padStart(2, '0')}`;
  }
}
