import type { Random } from '../core/random';

/** Shortest and longest, in milliseconds; what happens in a run lies evenly in between. */
export type Range = readonly [number, number];

/**
 * How long things take. AWS promises none of these; they are what its user guides and everyday use show, wide enough
 * that nothing may rest on an order that only the usual times give.
 */
export interface Timings {
  /** From the sending of a call until it is done and answered. */
  readonly call: Range;
  /** Start of a function in a process that is there, before its first call. */
  readonly invoke: Range;
  /** Start of a function in a new process. */
  readonly coldStart: Range;
  /** From the launch of an instance until it runs. */
  readonly boot: Range;
  /** From shutting-down until terminated, and from stopping until stopped. */
  readonly shutdown: Range;
  /** After an instance was terminated, until what it held is free. */
  readonly release: Range;
  /**
   * How long a terminated instance keeps its tags, and how long it is shown at all: both end after "a short while" (EC2
   * user guide, "Terminate your instance").
   */
  readonly tagsKept: Range;
  readonly terminatedShown: Range;
  readonly attach: Range;
  readonly detach: Range;
  /** From running until Systems Manager knows the agent. */
  readonly agent: Range;
  /** From running until the host's software is installed. */
  readonly install: Range;
  /** Until Systems Manager's GetCommandInvocation knows a command that was accepted. */
  readonly invocationVisible: Range;
  /** Until the agent has a command. */
  readonly delivery: Range;
  /** Until a snapshot is completed. */
  readonly snapshot: Range;
  /** Formatting one volume. */
  readonly format: Range;
  /** Mounting one volume. */
  readonly mount: Range;
  /**
   * What multiple-mount protection waits before, when the server before was lost: twice 2 c + 1 s, where the kernel
   * notes 5 to 10 s for c as long as writes are quick (ext4_multi_mount_protect() and kmmpd() in fs/ext4/mmp.c).
   */
  readonly protection: Range;
  /** Until Auto Scaling sees to a difference between its group and what it wants. */
  readonly groupReaction: Range;
  /** Until Auto Scaling sees that an instance does not run any more. */
  readonly healthCheck: Range;
  /** Until a failed status check counts. */
  readonly statusCheck: Range;
  /** Pause after a launch that failed, for want of capacity. */
  readonly launchRetry: Range;
  /** Until an event reaches its rule's target. */
  readonly event: Range;
  /** From a failed or cancelled operation of CloudFormation until it begins to undo it. */
  readonly undoing: Range;
  /** What an update of the stack changes besides the tier, after it. */
  readonly restOfStack: Range;
  /** One state of the workflow that calls something. */
  readonly transition: Range;
}

const SECOND = 1000;

/** What a run has unless it says otherwise. */
export const TIMINGS: Timings = {
  call: [15, 120],
  invoke: [5, 60],
  coldStart: [300, 1500],
  boot: [8 * SECOND, 40 * SECOND],
  shutdown: [10 * SECOND, 90 * SECOND],
  release: [0, 8 * SECOND],
  tagsKept: [5 * SECOND, 600 * SECOND],
  terminatedShown: [120 * SECOND, 1800 * SECOND],
  attach: [SECOND, 8 * SECOND],
  detach: [SECOND, 8 * SECOND],
  agent: [5 * SECOND, 40 * SECOND],
  install: [5 * SECOND, 60 * SECOND],
  invocationVisible: [0, 2 * SECOND],
  delivery: [200, 2 * SECOND],
  snapshot: [20 * SECOND, 300 * SECOND],
  format: [2 * SECOND, 12 * SECOND],
  mount: [SECOND, 6 * SECOND],
  protection: [22 * SECOND, 42 * SECOND],
  groupReaction: [SECOND, 15 * SECOND],
  healthCheck: [2 * SECOND, 60 * SECOND],
  statusCheck: [60 * SECOND, 300 * SECOND],
  launchRetry: [20 * SECOND, 120 * SECOND],
  event: [100, 3 * SECOND],
  undoing: [SECOND, 15 * SECOND],
  restOfStack: [0, 240 * SECOND],
  transition: [5, 50],
};

/** A time within the range. */
export function draw(range: Range, random: Random): number {
  return range[0] === range[1] ? range[0] : random.int(range[0], range[1]);
}
