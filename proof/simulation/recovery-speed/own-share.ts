import type { Timeline } from '../../../lambda/shared/map';
import type { Moments } from './moments';

/** The steps of a recovery, in their order. */
export const STEPS = ['detect', 'launch', 'fence', 'detach', 'claim', 'attach', 'serve', 'complete'] as const;

export type Step = (typeof STEPS)[number];

/** When a step was over, and when it could have been at the earliest; seconds since the server was lost. */
export interface StepTimes {
  readonly step: Step;
  readonly actual: number;
  readonly earliest: number;
  /** By how much the control plane is behind what EC2 and the host alone would need. */
  readonly behind: number;
}

/** A recovery with the control plane's own share of it. */
export interface OwnShare {
  readonly steps: readonly StepTimes[];
  readonly seconds: number;
  /** What a control plane that takes no time at all would need, with the same times of EC2 and the host. */
  readonly leastSeconds: number;
  readonly ownSeconds: number;
  /** Of the own share: from the acceptance of the command by Systems Manager until the host has it. */
  readonly deliverySeconds: number;
  /**
   * What the recovery took beyond what it would have taken had the group also launched in the moment of the loss. That
   * the group notices it later is Auto Scaling's and no part of the own share.
   */
  readonly withNoticeSeconds: number;
}

function known(time: number | undefined, what: string): number {
  if (time === undefined || !Number.isFinite(time)) throw new Error(`the recovery has no time for ${what}`);
  return time;
}

/**
 * The control plane's own share: what the recovery took beyond what it would have taken had every pass, call, event and
 * wait been instantaneous, with EC2, Auto Scaling and the host as slow as they were. What it does while EC2 or the host
 * is at work anyway costs nothing; what it begins too late counts, also when EC2 works on it afterwards.
 *
 * @throws Error when the recovery has not ended
 */
export function ownShareOf(moments: Moments, timeline: Timeline): OwnShare {
  const { lostAt, things } = moments;
  const launched = known(moments.launchedAt, 'the launch');
  const terminated = known(moments.terminatedAt, 'the termination');
  const usable = Math.max(known(moments.runningAt, 'the boot'), known(moments.waitingAt, 'the launch hook'));
  const all = [...things.values()];
  const free = Math.max(...all.map((thing) => known(thing.freeAt, 'the release')));
  const attached = Math.max(...all.map((thing) => known(thing.attachedAt, 'the attachment')));
  // Each from the moment at which it was free and its server could take it, with a launch that is so much sooner.
  const attachedAtEarliest = (sooner: number): number =>
    Math.max(
      ...all.map((thing) => Math.max(thing.freeAt!, usable - sooner) + thing.attachedAt! - thing.askedAt!),
    );
  const earliestAttached = attachedAtEarliest(0);
  const registered = known(moments.registeredAt, 'the agent');
  const installed = known(moments.installedAt, 'the installation');
  const started = known(moments.startedAt, 'the command');
  const served = known(moments.servedAt, 'the service');
  // A program that was there before looks each second whether the installation has ended.
  const seen = started >= installed ? started : started + Math.ceil((installed - started) / 1000) * 1000;
  const servedAtEarliest = (sooner: number): number =>
    Math.max(attachedAtEarliest(sooner), Math.max(registered, installed) - sooner) + served - seen;
  const earliestServed = servedAtEarliest(0);
  const inService = known(moments.inServiceAt, 'the end of the launch');
  const completing = inService - known(moments.completedAt, 'the completion');
  const earliestInService = earliestServed + completing;
  const noted = (moment: string): number => known(Date.parse(timeline[moment] ?? ''), moment);
  const times: { readonly [step in Step]: readonly [number, number] } = {
    detect: [noted('detected'), lostAt],
    launch: [launched, launched],
    fence: [noted('fenced'), terminated],
    detach: [noted('detached'), free],
    claim: [noted('claimed'), Math.max(terminated, usable)],
    attach: [attached, earliestAttached],
    serve: [served, earliestServed],
    complete: [inService, earliestInService],
  };
  const since = (time: number): number => (time - lostAt) / 1000;
  return {
    steps: STEPS.map((step) => {
      const [actual, earliest] = times[step];
      return { step, actual: since(actual), earliest: since(earliest), behind: (actual - earliest) / 1000 };
    }),
    seconds: since(inService),
    leastSeconds: since(earliestInService),
    ownSeconds: (inService - earliestInService) / 1000,
    withNoticeSeconds: (inService - servedAtEarliest(Math.max(0, launched - lostAt)) - completing) / 1000,
    deliverySeconds: Math.max(0, started - Math.max(known(moments.sentAt, 'the sending'), installed)) / 1000,
  };
}
