import { type Context, Durations } from '../context';
import type { HookSpecification, LaunchChoice } from '../deployment';
import type { Ec2Listener, SimulatedEc2 } from '../ec2/ec2';
import type { SimulatedEventBridge } from '../events';
import type {
  InstanceTruth,
  Lifecycle,
  LifecycleAction,
  MemberTruth,
  MemberView,
  Transition,
} from '../state';
import { Versions } from '../versions';
import { type HookListener, LifecycleHooks } from './hooks';
import { Launches } from './launches';
import { Refresh } from './refresh';

const LAUNCHING: Transition = 'autoscaling:EC2_INSTANCE_LAUNCHING';
const TERMINATING: Transition = 'autoscaling:EC2_INSTANCE_TERMINATING';

const isLeaving = (member: MemberTruth): boolean => member.lifecycle.startsWith('Terminating');

/** What the group launches, and its hooks. */
interface Definition {
  readonly groupName: string;
  readonly hooks: readonly HookSpecification[];
  readonly launches: readonly LaunchChoice[];
}

/**
 * One Auto Scaling group: keeps as many members as are desired, replaces those that are not healthy, holds launches and
 * terminations for their hooks (EC2 Auto Scaling user guide, "Amazon EC2 Auto Scaling instance lifecycle" and "Health
 * checks for instances in an Auto Scaling group";
 * https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-lifecycle.html).
 */
export class SimulatedAutoScaling implements Ec2Listener, HookListener {
  readonly name: string;
  readonly launches: Launches;
  readonly members = new Map<string, MemberTruth>();
  readonly views: Versions<MemberView>;
  readonly hooks: LifecycleHooks;
  /** False before CloudFormation made it, and after it was deleted. */
  exists = false;
  desired = 0;
  least = 0;
  /** Ids of members that left without being terminated by the group. */
  readonly detached = new Set<string>();
  private readonly durations: Durations;
  private readonly refresh: Refresh;
  private looking = false;
  private notBefore = 0;
  /** Says that a member is healthy although it is not. */
  private readonly believedHealthy = new Set<string>();

  constructor(
    readonly context: Context,
    { groupName, hooks, launches }: Definition,
    private readonly ec2: SimulatedEc2,
    private readonly events: SimulatedEventBridge,
    private readonly zone: string,
    tags: { readonly [key: string]: string },
  ) {
    this.name = groupName;
    this.launches = new Launches(ec2, launches, zone, tags);
    this.views = new Versions(() => context.scheduler.now());
    this.durations = new Durations(context, 'autoscaling');
    this.hooks = new LifecycleHooks(context, hooks, this);
    this.refresh = new Refresh(this);
    ec2.listeners.push(this);
  }

  /** All lifecycle actions there ever were. */
  get actions(): LifecycleAction[] {
    return this.hooks.actions;
  }

  /** CloudFormation makes the group, or somebody changes its size, or (0) empties it. */
  resize(desired: number, least = desired): void {
    this.exists = true;
    this.desired = desired;
    this.least = least;
    this.look();
  }

  /** Deletes the group, which has to be empty. */
  delete(): boolean {
    if (this.members.size > 0) return false;
    this.exists = false;
    return true;
  }

  /**
   * Somebody or something tells the group a member's health, rightly or not. A group that believes in `Healthy` does
   * not look any more.
   */
  lieAboutHealth(instanceId: string, health: 'Healthy' | 'Unhealthy'): boolean {
    const member = this.members.get(instanceId);
    if (member === undefined || isLeaving(member)) return false;
    if (health === 'Healthy') this.believedHealthy.add(instanceId);
    else this.believedHealthy.delete(instanceId);
    this.setHealth(member, health);
    return true;
  }

  /** The lies are over: what the group believes is looked at again. */
  tellTheTruth(): void {
    for (const instanceId of this.believedHealthy) {
      const instance = this.ec2.instances.get(instanceId);
      this.believedHealthy.delete(instanceId);
      if (instance !== undefined) this.onInstance(instance);
    }
  }

  /** SetInstanceHealth. */
  setHealth(member: MemberTruth, health: 'Healthy' | 'Unhealthy'): void {
    member.health = health;
    this.note(member);
    this.look();
  }

  /**
   * Replaces all members, one after the other (user guide, "Use an instance refresh to update instances in an Auto
   * Scaling group").
   *
   * @param launchFirst a replacement is launched before each termination; by default the member is terminated first
   */
  instanceRefresh(launchFirst = false): boolean {
    return this.refresh.start(launchFirst);
  }

  /** Whether an instance refresh has not ended. */
  get isRefreshing(): boolean {
    return this.refresh.goesOn;
  }

  /** The lifecycle actions of the instance run out of time now. */
  timeOutHook(instanceId: string): boolean {
    return this.hooks.timeOut(instanceId);
  }

  /** DetachInstances without decrement: the instance runs on, the group launches another. */
  detachInstance(instanceId: string): boolean {
    const member = this.members.get(instanceId);
    if (member?.lifecycle !== 'InService') return false;
    this.remove(member);
    this.detached.add(instanceId);
    this.look();
    return true;
  }

  onInstance(instance: InstanceTruth): void {
    const member = this.members.get(instance.id);
    if (member === undefined) return;
    const down = !['pending', 'running'].includes(instance.state);
    if (isLeaving(member)) {
      if (instance.state === 'terminated' && member.lifecycle !== 'Terminating:Wait') this.gone(member);
      return;
    }
    // Only members in service are checked. Whatever becomes of a launch that waits, its lifecycle action has to end
    // first.
    if (member.lifecycle !== 'InService' || (!down && !instance.impaired)) return;
    const ms = this.durations.of((timings) => (down ? timings.healthCheck : timings.statusCheck));
    this.context.scheduler.after(
      ms,
      () => {
        if (this.believedHealthy.has(instance.id) || isLeaving(member)) return;
        // AWS has mended it meanwhile: the group waits some minutes whether it does.
        if (!down && !instance.impaired) return;
        if (this.members.get(instance.id) === member) this.setHealth(member, 'Unhealthy');
      },
      'health check',
    );
  }

  onVolumeGone(): void {
    // The group does not look at volumes.
  }

  onActionsEnded(instanceId: string, transition: Transition, result: 'CONTINUE' | 'ABANDON'): void {
    const member = this.members.get(instanceId);
    if (member === undefined) return;
    if (transition === TERMINATING) {
      if (member.lifecycle === 'Terminating:Wait') this.proceedTerminating(member);
    } else if (member.lifecycle === 'Pending:Wait') {
      if (result === 'ABANDON') {
        this.events.emit('EC2 Instance Launch Unsuccessful', this.detailOf(instanceId));
        this.leave(member);
      } else {
        this.move(member, 'Pending:Proceed');
        const ms = this.durations.of((timings) => timings.groupReaction);
        this.context.scheduler.after(ms, () => this.enterService(member), 'in service');
      }
    }
    this.look();
  }

  announce(action: LifecycleAction): void {
    const launch = action.transition === LAUNCHING;
    this.events.emit(`EC2 Instance-${launch ? 'launch' : 'terminate'} Lifecycle Action`, {
      LifecycleActionToken: action.token,
      AutoScalingGroupName: this.name,
      LifecycleHookName: action.hook,
      EC2InstanceId: action.instanceId,
      LifecycleTransition: action.transition,
    });
  }

  /** Looks, a little later, at the difference between what is and what should be. */
  look(): void {
    if (this.looking || !this.exists) return;
    this.looking = true;
    const wait = Math.max(this.notBefore - this.context.scheduler.now(), 0);
    const ms = wait + this.durations.of((timings) => timings.groupReaction);
    this.context.scheduler.after(
      ms,
      () => {
        this.looking = false;
        this.balance();
      },
      'group',
    );
  }

  /** The member leaves, through its terminating hooks. */
  leave(member: MemberTruth): void {
    if (isLeaving(member)) return;
    this.hooks.forget(member.instanceId);
    this.move(member, 'Terminating');
    if (this.hooks.begin(member, TERMINATING)) this.move(member, 'Terminating:Wait');
    else this.proceedTerminating(member);
    this.look();
  }

  private balance(): void {
    const inService = [...this.members.values()].filter((member) => member.lifecycle === 'InService');
    for (const member of inService) if (member.health === 'Unhealthy') this.leave(member);
    this.refresh.step();
    const live = [...this.members.values()].filter((member) => !isLeaving(member));
    const wanted = this.desired + this.refresh.extra;
    for (let count = live.length; count < wanted; count++) {
      if (!this.launch()) return;
    }
    // Termination policy of the construct: NewestInstance.
    const newest = live.sort((a, b) => b.joinedAt - a.joinedAt || (a.instanceId < b.instanceId ? 1 : -1));
    for (const member of newest.slice(0, Math.max(0, live.length - wanted))) this.leave(member);
  }

  private launch(): boolean {
    const instance = this.launches.launch();
    if (instance === undefined) {
      this.events.emit('EC2 Instance Launch Unsuccessful', this.detailOf(''));
      this.notBefore = this.context.scheduler.now() + this.durations.of((timings) => timings.launchRetry);
      this.look();
      return false;
    }
    const member: MemberTruth = {
      instanceId: instance.id,
      lifecycle: 'Pending',
      health: 'Healthy',
      joinedAt: instance.launchedAt,
    };
    this.members.set(instance.id, member);
    this.note(member);
    // The hook may begin before the instance runs: it is "in the process of launching".
    const ms = this.durations.of((timings) => timings.groupReaction);
    this.context.scheduler.after(ms, () => this.startWaiting(member), 'pending');
    return true;
  }

  private startWaiting(member: MemberTruth): void {
    if (member.lifecycle !== 'Pending') return;
    if (this.hooks.begin(member, LAUNCHING)) this.move(member, 'Pending:Wait');
    else this.enterService(member);
  }

  private enterService(member: MemberTruth): void {
    if (member.lifecycle !== 'Pending:Proceed' && member.lifecycle !== 'Pending') return;
    this.move(member, 'InService');
    this.events.emit('EC2 Instance Launch Successful', this.detailOf(member.instanceId));
    this.onInstance(this.ec2.instances.get(member.instanceId)!);
    this.look();
  }

  private proceedTerminating(member: MemberTruth): void {
    this.move(member, 'Terminating:Proceed');
    const state = this.ec2.instances.get(member.instanceId)?.state;
    if (state !== 'terminated' && state !== 'shutting-down')
      this.context.observer.onGroupTerminates?.(member.instanceId);
    if (state === 'terminated') this.gone(member);
    else this.ec2.terminate(member.instanceId);
  }

  private gone(member: MemberTruth): void {
    if (this.members.get(member.instanceId) !== member) return;
    this.remove(member);
    this.events.emit('EC2 Instance Terminate Successful', this.detailOf(member.instanceId));
    this.look();
  }

  private remove(member: MemberTruth): void {
    this.hooks.forget(member.instanceId);
    this.members.delete(member.instanceId);
    this.believedHealthy.delete(member.instanceId);
    this.views.note(member.instanceId, undefined);
  }

  private move(member: MemberTruth, lifecycle: Lifecycle): void {
    member.lifecycle = lifecycle;
    this.note(member);
  }

  private note(member: MemberTruth): void {
    this.views.note(member.instanceId, {
      InstanceId: member.instanceId,
      AvailabilityZone: this.zone,
      LifecycleState: member.lifecycle,
      HealthStatus: member.health,
    });
  }

  private detailOf(instanceId: string): object {
    return { AutoScalingGroupName: this.name, EC2InstanceId: instanceId };
  }
}
