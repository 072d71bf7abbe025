import { type Context, Ids } from '../context';
import type { HookSpecification } from '../deployment';
import { ServiceError } from '../errors';
import type { ActionEnd, LifecycleAction, MemberTruth, Transition } from '../state';

/** A lifecycle action ends at the latest after 48 hours or 100 times its heartbeat time-out, whichever is less. */
const LONGEST_MS = 48 * 3_600_000;
const MOST_HEARTBEATS = 100;

/** What the hooks tell the group. */
export interface HookListener {
  /** All actions of the transition have ended, with ABANDON if one of them did. */
  onActionsEnded(instanceId: string, transition: Transition, result: 'CONTINUE' | 'ABANDON'): void;
  announce(action: LifecycleAction): void;
}

/** An action that has not ended, and what takes its time-out back. */
interface OpenAction {
  readonly action: LifecycleAction;
  cancel: () => void;
}

/**
 * Lifecycle actions: each holds an instance until it is completed or its time is up; then the default result counts
 * (EC2 Auto Scaling user guide, "Amazon EC2 Auto Scaling lifecycle hooks";
 * https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html).
 */
export class LifecycleHooks {
  /** All there ever were. */
  readonly actions: LifecycleAction[] = [];
  private readonly open = new Map<string, OpenAction>();
  private readonly ids = new Ids();

  constructor(
    private readonly context: Context,
    private readonly specifications: readonly HookSpecification[],
    private readonly listener: HookListener,
  ) {}

  /** Begins an action for every hook of the transition; false when there is none. */
  begin(member: MemberTruth, transition: Transition): boolean {
    const now = this.context.scheduler.now();
    const hooks = this.specifications.filter((hook) => hook.transition === transition);
    for (const hook of hooks) {
      const ms = hook.heartbeatSeconds * 1000;
      const action: LifecycleAction = {
        token: this.ids.uuid(),
        instanceId: member.instanceId,
        hook: hook.name,
        transition,
        startedAt: now,
        expiresAt: now + ms,
        lastsUntil: now + Math.min(LONGEST_MS, MOST_HEARTBEATS * ms),
        heartbeats: 0,
      };
      this.actions.push(action);
      const entry: OpenAction = { action, cancel: () => undefined };
      this.open.set(action.token, entry);
      this.watch(entry);
      this.listener.announce(action);
    }
    return hooks.length > 0;
  }

  /** CompleteLifecycleAction. */
  complete(
    which: { token?: string; instanceId?: string; hook: string },
    result: 'CONTINUE' | 'ABANDON',
    by: string,
  ): void {
    const found = this.find(which);
    if (found === undefined) throw noAction(which);
    this.end(found.action, result === 'CONTINUE' ? 'continue' : 'abandon', by);
  }

  /** RecordLifecycleActionHeartbeat. */
  heartbeat(which: { token?: string; instanceId?: string; hook: string }): void {
    const found = this.find(which);
    if (found === undefined) throw noAction(which);
    const { action } = found;
    const ms = this.specificationOf(action).heartbeatSeconds * 1000;
    action.expiresAt = Math.min(action.lastsUntil, this.context.scheduler.now() + ms);
    action.heartbeats += 1;
    this.watch(found);
  }

  /** The group lets go of the instance: its actions of this transition, or all, mean nothing any more. */
  forget(instanceId: string, transition?: Transition): void {
    for (const { action } of [...this.open.values()]) {
      if (action.instanceId !== instanceId || (transition !== undefined && action.transition !== transition))
        continue;
      this.close(action, { at: this.context.scheduler.now(), how: 'instance-gone' });
    }
  }

  /** The instance's actions run out of time now. */
  timeOut(instanceId: string): boolean {
    const found = [...this.open.values()].filter((each) => each.action.instanceId === instanceId);
    for (const { action } of found) this.end(action, 'timed-out');
    return found.length > 0;
  }

  private watch(entry: OpenAction): void {
    entry.cancel();
    const ms = entry.action.expiresAt - this.context.scheduler.now();
    entry.cancel = this.context.scheduler.after(
      ms,
      () => this.end(entry.action, 'timed-out'),
      'hook time-out',
    );
  }

  private end(action: LifecycleAction, how: ActionEnd['how'], by?: string): void {
    this.close(action, { at: this.context.scheduler.now(), how, by });
    const result =
      how === 'timed-out'
        ? this.specificationOf(action).defaultResult
        : how === 'abandon'
          ? 'ABANDON'
          : 'CONTINUE';
    const others = [...this.open.values()].filter(
      (each) => each.action.instanceId === action.instanceId && each.action.transition === action.transition,
    );
    // With ABANDON the other actions of a launch are cancelled.
    if (result === 'ABANDON') this.forget(action.instanceId, action.transition);
    else if (others.length > 0) return;
    this.listener.onActionsEnded(action.instanceId, action.transition, result);
  }

  private close(action: LifecycleAction, ended: ActionEnd): void {
    this.open.get(action.token)?.cancel();
    this.open.delete(action.token);
    action.ended = ended;
    this.context.observer.onLifecycleEnd?.(action);
  }

  private find(which: { token?: string; instanceId?: string; hook: string }): OpenAction | undefined {
    for (const entry of this.open.values()) {
      const { action } = entry;
      const named =
        which.token === undefined ? action.instanceId === which.instanceId : action.token === which.token;
      if (named && action.hook === which.hook) return entry;
    }
    return undefined;
  }

  private specificationOf(action: LifecycleAction): HookSpecification {
    return this.specifications.find((hook) => hook.name === action.hook)!;
  }
}

function noAction(which: { token?: string; instanceId?: string }): ServiceError {
  const about = which.token === undefined ? `instance ID ${which.instanceId}` : `token ${which.token}`;
  return new ServiceError('ValidationError', `No active Lifecycle Action found with ${about}`);
}
