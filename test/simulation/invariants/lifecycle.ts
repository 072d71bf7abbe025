import type { ActionEnd, LifecycleAction } from '../../../proof/simulation/aws/state';
import { interfaceOf, volumeOf } from '../checked-tier';
import { FIRST, RECONCILER, SECOND, type Story, type Teller } from './story';

const LAUNCHING = 'autoscaling:EC2_INSTANCE_LAUNCHING';
const MINUTE = 60_000;

/** The slot is not served any more: its server is gone, and another one owns it. */
function claimedByNew(tier: Teller): void {
  tier.becomes(tier.owner, 'terminated');
  tier.edits(FIRST, { owner: 'i-new', epoch: 2 });
}

const servedIsTrue: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a row says served of a host that has not served the slot',
    complaint: 'the row of oss-00 says served by i-new in epoch 2, which i-new never said',
    happens: (tier) => {
      claimedByNew(tier);
      tier.writes(FIRST, { servedEpoch: 2 });
    },
  },
  {
    title: 'of a host that has served another slot',
    complaint: 'the row of oss-00 says served by i-00000000000000008 in epoch 2',
    happens: (tier) => {
      tier.edits(FIRST, { owner: tier.other, epoch: 2 });
      tier.writes(FIRST, { servedEpoch: 2 });
    },
  },
  {
    title: 'of a host that has served the slot',
    happens: (tier) => {
      claimedByNew(tier);
      tier.serves('oss-00', 'i-new', 2);
      tier.writes(FIRST, { servedEpoch: 2 });
    },
  },
  {
    title: 'of a host that has served the slot in an epoch before',
    complaint: 'which i-new never said',
    happens: (tier) => {
      claimedByNew(tier);
      tier.serves('oss-00', 'i-new', 1);
      tier.writes(FIRST, { servedEpoch: 2 });
    },
  },
  {
    title: 'as somebody wrote by hand',
    happens: (tier) => {
      claimedByNew(tier);
      tier.edits(FIRST, { servedEpoch: 2 });
    },
  },
];

/** A volume goes off the server, and a pass that begins later looks at that kind of thing. */
async function lost(tier: Teller, looksAt = 'DescribeVolumes', outcome = 'ok'): Promise<void> {
  const { id } = volumeOf(tier.world);
  volumeOf(tier.world).attachments = [];
  tier.told.onDetach(id, tier.owner, 'hand');
  await tier.wait();
  tier.calls(looksAt, {}, outcome);
}

const lossNoticed: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a pass that sees that a volume is off leaves the row saying served',
    complaint: 'to which vol-00000000000000002 is not attached, and a pass that saw it left it so',
    happens: async (tier) => {
      await lost(tier);
      tier.told.onPass(RECONCILER);
    },
  },
  {
    title: 'it takes that back',
    happens: async (tier) => {
      await lost(tier);
      tier.writes(FIRST, { servedEpoch: 0 });
      tier.told.onPass(RECONCILER);
    },
  },
  {
    title: 'a pass does not look at volumes',
    happens: async (tier) => {
      await lost(tier, 'DescribeNetworkInterfaces');
      tier.told.onPass(RECONCILER);
    },
  },
  {
    title: 'a pass hears nothing when it looks',
    happens: async (tier) => {
      await lost(tier, 'DescribeVolumes', 'RequestLimitExceeded');
      tier.told.onPass(RECONCILER);
    },
  },
  {
    title: 'a pass that sees that the interface is off leaves the row saying served',
    complaint: 'to which eni-00000000000000001 is not attached, and a pass that saw it left it so',
    happens: async (tier) => {
      const { id } = interfaceOf(tier.world);
      interfaceOf(tier.world).attachment = undefined;
      tier.told.onDetach(id, tier.owner, 'hand');
      await tier.wait();
      tier.calls('DescribeNetworkInterfaces');
      tier.told.onPass(RECONCILER);
    },
  },
];

function ends(tier: Teller, instanceId: string, ended: Omit<ActionEnd, 'at'>, more = {}): void {
  const at = tier.world.now();
  const action: LifecycleAction = {
    token: 'made up',
    instanceId,
    hook: 'serve-slot',
    transition: LAUNCHING,
    startedAt: at - 16 * MINUTE,
    expiresAt: at,
    lastsUntil: at,
    heartbeats: 0,
    ended: { ...ended, at },
    ...more,
  };
  tier.told.onLifecycleEnd(action);
}

const timesOut = (tier: Teller, instanceId = tier.owner): void =>
  ends(tier, instanceId, { how: 'timed-out' });

/** The launch of a new server is completed by a worker that has begun now. */
async function letIn(tier: Teller, more = {}): Promise<void> {
  await tier.wait();
  tier.calls('Query');
  ends(tier, 'i-new', { how: 'continue', by: RECONCILER }, more);
}

const unserved = (tier: Teller): void => tier.writes(FIRST, { servedEpoch: 0 });

/** A worker completes the launch of the slot's server, which has ended. */
function completesAgain(tier: Teller, agoMs: number): void {
  const action = tier.world.group.actions.find(({ instanceId }) => instanceId === tier.owner)!;
  action.ended = { at: tier.world.now() - agoMs, how: 'continue' };
  const input = { InstanceId: tier.owner, LifecycleHookName: action.hook };
  tier.calls('CompleteLifecycleAction', input, 'ValidationError');
}

const continuedAfterServed: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a launch is completed that serves nothing, while a slot is not served',
    complaint: 'i-new was let through: it serves nothing, and oss-00 is not served',
    happens: async (tier) => {
      unserved(tier);
      await letIn(tier);
    },
  },
  { title: 'while every slot is served, so that it is one too many', happens: (tier) => letIn(tier) },
  {
    title: 'after a slot is not served any more that was when the worker began',
    happens: async (tier) => {
      tier.calls('Query');
      await tier.wait();
      unserved(tier);
      await letIn(tier);
    },
  },
  {
    title: 'that serves',
    happens: async (tier) => {
      tier.becomes(tier.owner, 'terminated');
      tier.serves('oss-00', 'i-new');
      unserved(tier);
      await letIn(tier);
    },
  },
  {
    title: 'while the whole tier is given up',
    happens: async (tier) => {
      unserved(tier);
      for (const item of [FIRST, SECOND]) tier.isSo(item, { released: true });
      await letIn(tier);
    },
  },
  {
    title: 'a termination is completed while a slot is not served',
    happens: async (tier) => {
      unserved(tier);
      await letIn(tier, { transition: 'autoscaling:EC2_INSTANCE_TERMINATING' });
    },
  },
  {
    title: 'of a tier with spares a launch is completed that serves nothing, while a slot has no owner',
    options: { spareServers: 1 },
    complaint: 'and oss-00 is not served',
    happens: async (tier) => {
      tier.becomes(tier.owner, 'terminated');
      tier.writes(FIRST, { owner: undefined, servedEpoch: 0 });
      await letIn(tier);
    },
  },
  {
    title: 'of a tier with spares, while a slot that is not served has an owner',
    options: { spareServers: 1 },
    happens: async (tier) => {
      unserved(tier);
      await letIn(tier);
    },
  },
];

const completedOnce: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a launch runs into its time-out',
    complaint: 'ran into its time-out after 0 heartbeats',
    happens: (tier) => timesOut(tier),
  },
  {
    title: 'so does one beside three calls that failed',
    complaint: 'ran into its time-out',
    happens: (tier) => {
      for (let count = 0; count < 3; count++) tier.calls('Query', {}, 'throttle');
      timesOut(tier);
    },
  },
  {
    title: 'so does one beside four',
    happens: (tier) => {
      for (let count = 0; count < 4; count++) tier.calls('Query', {}, 'throttle');
      timesOut(tier);
    },
  },
  {
    title: 'one is made to do so by a fault',
    happens: (tier) => {
      tier.checker.excuseTimeOut(tier.owner);
      timesOut(tier);
    },
  },
  { title: 'so does one whose instance EC2 has forgotten', happens: (tier) => timesOut(tier, 'i-gone') },
  {
    title: 'a launch is completed again more than three minutes after it has ended',
    complaint: 'was completed again 181 s after it had ended',
    happens: (tier) => completesAgain(tier, 181_000),
  },
  { title: 'within three minutes, as it looked then', happens: (tier) => completesAgain(tier, 180_000) },
];

export const LIFECYCLE: readonly Story[] = [
  ...servedIsTrue.map((story) => ({ ...story, invariant: 'served-is-true' })),
  ...lossNoticed.map((story) => ({ ...story, invariant: 'loss-noticed' })),
  ...continuedAfterServed.map((story) => ({ ...story, invariant: 'continued-after-served' })),
  ...completedOnce.map((story) => ({ ...story, invariant: 'completed-once' })),
];
