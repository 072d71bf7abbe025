import { volumeOf } from '../checked-tier';
import { FIRST, type Story, type Teller } from './story';

const MINUTE = 60_000;

/** Auto Scaling is told to replace the slot's server. */
function givenUp(tier: Teller, outcome = 'ok'): void {
  tier.calls('SetInstanceHealth', { InstanceId: tier.owner, HealthStatus: 'Unhealthy' }, outcome);
}

/** Nobody has told the server to serve since the slot is its. */
const untold = (tier: Teller): void => tier.isSo(FIRST, { command: undefined });

const givenUpWithCause: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a server is replaced that serves and that nobody has told to',
    complaint: 'i-00000000000000007 serves oss-00 and is to be replaced, though nobody has told it to serve',
    happens: (tier) => {
      untold(tier);
      givenUp(tier);
    },
  },
  {
    title: 'one that was told to in an epoch before',
    complaint: 'though nobody has told it to serve',
    happens: (tier) => {
      tier.isSo(FIRST, { command: { epoch: 0 } });
      givenUp(tier);
    },
  },
  { title: 'one that was told to', happens: (tier) => givenUp(tier) },
  {
    title: 'one that does not serve',
    happens: (tier) => {
      tier.world.hosts.all.get(tier.owner)!.serving = false;
      untold(tier);
      givenUp(tier);
    },
  },
  {
    title: 'Auto Scaling does not do it',
    happens: (tier) => {
      untold(tier);
      givenUp(tier, 'timeout-before');
    },
  },
];

/** The server has started anew and repairs what it finds damaged, and said so some time ago. */
async function repairs(tier: Teller, saidMsAgo = 0): Promise<void> {
  volumeOf(tier.world).repairMs = 30 * MINUTE;
  tier.world.hosts.reboot(tier.owner);
  await tier.wait(MINUTE / 2);
  expect(tier.world.hosts.all.get(tier.owner)?.isRepairing).toBe(true);
  const repairingAt = new Date(tier.world.now() - saidMsAgo).toISOString();
  tier.isSo(FIRST, { command: { epoch: 1, repairingAt } });
}

const abandoned = (tier: Teller, LifecycleActionResult = 'ABANDON'): void =>
  tier.calls('CompleteLifecycleAction', { InstanceId: tier.owner, LifecycleActionResult });

const REPAIRS = 'i-00000000000000007 repairs or mounts a file system of oss-00, and is to be replaced';

const repairsEnd: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a server is replaced that repairs a file system and has said so',
    complaint: REPAIRS,
    happens: async (tier) => {
      await repairs(tier);
      givenUp(tier);
    },
  },
  {
    title: 'its launch is abandoned',
    complaint: REPAIRS,
    happens: async (tier) => {
      await repairs(tier);
      abandoned(tier);
    },
  },
  {
    title: 'its launch is completed',
    happens: async (tier) => {
      await repairs(tier);
      abandoned(tier, 'CONTINUE');
    },
  },
  {
    title: 'it has not said so for ten minutes',
    happens: async (tier) => {
      await repairs(tier, 10 * MINUTE);
      givenUp(tier);
    },
  },
  {
    title: 'it shuts down',
    happens: async (tier) => {
      await repairs(tier);
      tier.becomes(tier.owner, 'shutting-down');
      givenUp(tier);
    },
  },
  {
    title: 'its slot is given up',
    happens: async (tier) => {
      await repairs(tier);
      tier.isSo(FIRST, { released: true });
      givenUp(tier);
    },
  },
  {
    title: 'it has said so and serves by now',
    happens: (tier) => {
      const repairingAt = new Date(tier.world.now()).toISOString();
      tier.isSo(FIRST, { command: { epoch: 1, repairingAt } });
      givenUp(tier);
    },
  },
];

export const GIVEN_UP: readonly Story[] = [
  ...givenUpWithCause.map((story) => ({ ...story, invariant: 'given-up-with-cause' })),
  ...repairsEnd.map((story) => ({ ...story, invariant: 'repairs-end' })),
];
