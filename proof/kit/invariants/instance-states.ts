/**
 * What the state of an instance says about its writes: decided here once, for all that proves the product.
 *
 * Amazon EC2 user guide, "Amazon EC2 instance state changes" and "How EC2 instance stop and start works"
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html and
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/how-ec2-instance-stop-start-works.html), read on 2026-11-27:
 * - `stopping` and `shutting-down`: the instance prepares to be stopped, or to be terminated. Its operating system
 *   shuts down meanwhile, which can take minutes, and may write to the end.
 * - `stopped`: it is shut down, so that no code runs. Its volumes stay attached, and it can be started at any time with
 *   all that is attached to it then.
 * - `terminated`: it was deleted for good and cannot be started.
 *
 * So there are two questions, and `stopped` is the state in which their answers differ: whether it may write now
 * (`mayWrite`: no), and whether it can never write again to what belongs to a slot (`canNeverWriteAgain`: only if
 * nothing of the slot can be on it when it starts).
 */

/** A state of EC2; `never-was` of an instance that whoever knows all instances does not know. */
export type InstanceState =
  | 'pending'
  | 'running'
  | 'stopping'
  | 'stopped'
  | 'shutting-down'
  | 'terminated'
  | 'never-was';

/** An instance, and its state at the moment in question: undefined where nobody has seen it. */
export interface Seen {
  readonly id: string;
  readonly state: string | undefined;
}

const RUNS_NO_CODE: readonly (string | undefined)[] = [
  'stopped',
  'terminated',
  'never-was',
] satisfies InstanceState[];

/** Whether an instance may write now to what it has. Of one that nobody has seen nobody knows that it does not. */
export const mayWrite = (state: string | undefined): boolean => !RUNS_NO_CODE.includes(state);

/** An owner of a slot, as it is when the slot leaves it. */
export interface Owner extends Seen {
  /** Its group still has it: the group may start it, or put what it likes in its place. */
  readonly isMember: boolean;
  /** What belongs to the slot and is attached to it. */
  readonly holds?: string;
}

/**
 * Whether an owner can never write again to what belongs to its slot. One that is stopped can, as soon as it starts:
 * unless it is outside its group and has nothing of the slot (`mayRelease` in
 * lambda/volume-reconciler/owned-slot.ts asks the same of what EC2 shows).
 */
export function canNeverWriteAgain({ state, isMember, holds }: Owner): boolean {
  if (state === 'terminated' || state === 'never-was') return true;
  return !mayWrite(state) && !isMember && holds === undefined;
}

/** States of an attachment in which the instance may have the thing: 'busy' and 'detaching' still count. */
const ATTACHED: readonly (string | null)[] = ['attaching', 'attached', 'busy', 'detaching'];

export const isAttached = (state: string | null): boolean => ATTACHED.includes(state);
