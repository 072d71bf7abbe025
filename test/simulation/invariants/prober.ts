import { PROBE_ITEM } from '../../../lambda/shared/map';
import type { ProbeTruth } from '../../../proof/simulation/aws/probes';
import { FIRST, PROBER, SECOND, type Story, type Teller } from './story';

const MINUTE = 60_000;

/** As the construct sets it: rounds in a row that a server may miss. */
const MISSES = 3;

type Answer = 'missed' | 'served' | 'unanswered';

/** A round of probes; by its id. */
function round(tier: Teller, answers: { readonly [instanceId: string]: Answer }): string {
  const probes = tier.world.ssm.probes.all;
  const id = `round ${probes.size}`;
  const asked = Object.entries(answers).map(([instanceId, answer]): ProbeTruth => {
    const probe = { instanceId, sentAt: tier.world.now(), said: '' };
    if (answer === 'unanswered')
      return { ...probe, status: 'TimedOut', details: 'Delivery Timed Out', responseCode: -1 };
    const status = answer === 'served' ? 'Success' : 'Failed';
    return { ...probe, status, details: status, responseCode: answer === 'served' ? 0 : 20 };
  });
  probes.set(id, asked);
  return id;
}

/** The server has missed as many rounds as one may miss, or others. */
function misses(tier: Teller, instanceId: string, rounds = MISSES): void {
  for (let count = 0; count < rounds; count++) round(tier, { [instanceId]: 'missed' });
}

function declares(tier: Teller, instanceId: string, outcome = 'ok', worker = PROBER): void {
  tier.calls('SetInstanceHealth', { InstanceId: instanceId, HealthStatus: 'Unhealthy' }, outcome, worker);
}

/** Another invocation of the prober. */
const LATER = 'prober/story/2';

const replacedAlone: readonly Omit<Story, 'invariant'>[] = [
  ...([11, 12] as const).map((minutes) => ({
    title: `a second server is declared unhealthy ${minutes} minutes after the first one`,
    complaint: minutes < 12 ? 'was declared unhealthy 660 s after i-00000000000000007' : undefined,
    happens: async (tier: Teller) => {
      const { owner, other } = tier;
      for (const id of [owner, other]) misses(tier, id);
      declares(tier, owner);
      await tier.wait(minutes * MINUTE);
      declares(tier, other, 'ok', LATER);
    },
  })),
  {
    title: 'the same server is declared unhealthy again at once',
    happens: (tier) => {
      misses(tier, tier.owner);
      declares(tier, tier.owner);
      declares(tier, tier.owner, 'timeout-after ok');
    },
  },
  {
    title: 'a second server is to be declared unhealthy, and Auto Scaling does not do it',
    happens: (tier) => {
      for (const id of [tier.owner, tier.other]) misses(tier, id);
      declares(tier, tier.owner);
      declares(tier, tier.other, 'timeout-before');
    },
  },
];

/** The prober has noted a round, and an invocation that begins later has the slot's server replaced. */
async function judged(tier: Teller, answers: { readonly [instanceId: string]: Answer }): Promise<void> {
  misses(tier, tier.owner);
  tier.writes(PROBE_ITEM, { commands: [round(tier, { [tier.owner]: 'missed', ...answers })] });
  await tier.wait();
  declares(tier, tier.owner);
}

const replacedWithCause: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a server is replaced that has missed two rounds',
    complaint: 'i-00000000000000007 was declared unhealthy and missed 2 rounds',
    happens: (tier) => {
      misses(tier, tier.owner, MISSES - 1);
      declares(tier, tier.owner);
    },
  },
  {
    title: 'one that has missed three, and served before',
    happens: (tier) => {
      misses(tier, tier.owner);
      declares(tier, tier.owner);
    },
  },
  {
    title: 'one that has missed three, and of which no probe has said that it serves',
    complaint: 'i-new was declared unhealthy by a probe that never said of it that it serves',
    happens: (tier) => {
      misses(tier, 'i-new');
      declares(tier, 'i-new');
    },
  },
  {
    title: 'the reconciler has one replaced, for its own reasons',
    happens: (tier) => declares(tier, tier.owner, 'ok', 'reconciler/story/1'),
  },
  {
    title: 'one in a round that another one missed, too',
    complaint: 'i-00000000000000007 was declared unhealthy when 2 servers failed at once',
    happens: (tier) => judged(tier, { [tier.other]: 'missed' }),
  },
  {
    title: 'one in a round in which the other one served',
    happens: (tier) => judged(tier, { [tier.other]: 'served' }),
  },
  {
    title: 'one in a round in which more than half could not be reached',
    complaint: 'when 2 of 3 servers were out of reach',
    happens: (tier) => judged(tier, { [tier.other]: 'unanswered', 'i-new': 'unanswered' }),
  },
  {
    title: 'one in a round in which half could not be reached',
    happens: (tier) => judged(tier, { [tier.other]: 'unanswered' }),
  },
];

/**
 * Something begins, and then an invocation of the prober that has a server replaced; or an invocation that had begun
 * before.
 */
async function during(tier: Teller, begins: (tier: Teller) => void, before = false): Promise<void> {
  misses(tier, tier.owner);
  if (before) tier.calls('Query', {}, 'ok', PROBER);
  await tier.wait();
  begins(tier);
  tier.told.onStep(tier.world);
  await tier.wait();
  declares(tier, tier.owner);
}

const underWay: readonly (readonly [string, string, (tier: Teller) => void])[] = [
  ['a deployment', 'during a deployment', (tier) => void tier.world.stack.redeploy()],
  ['an instance refresh', 'during an instance refresh', (tier) => void tier.world.group.instanceRefresh()],
  ['a repair', 'while oss-01 was not served', (tier) => tier.writes(SECOND, { servedEpoch: 0 })],
];

const replacedAtRest: readonly Omit<Story, 'invariant'>[] = [
  ...underWay.flatMap(([what, complaint, begins]) => [
    {
      title: `a server is replaced while ${what} is under way`,
      complaint: `i-00000000000000007 was declared unhealthy ${complaint}`,
      happens: (tier: Teller) => during(tier, begins),
    },
    {
      title: `a server is replaced by a prober that began before ${what} did`,
      happens: (tier: Teller) => during(tier, begins, true),
    },
  ]),
  {
    title: 'a server is replaced after a repair',
    happens: (tier) =>
      during(tier, () => {
        tier.writes(FIRST, { servedEpoch: 0 });
        tier.writes(FIRST, { servedEpoch: 1 });
      }),
  },
  {
    title: 'a server is replaced while a slot is not served that an undone update had added',
    happens: (tier) => during(tier, () => tier.writes('slot#oss-02', { epoch: 1, servedEpoch: 0 })),
  },
];

export const REPLACED: readonly Story[] = [
  ...replacedAlone.map((story) => ({ ...story, invariant: 'replaced-alone' })),
  ...replacedWithCause.map((story) => ({ ...story, invariant: 'replaced-with-cause' })),
  ...replacedAtRest.map((story) => ({ ...story, invariant: 'replaced-at-rest' })),
];
