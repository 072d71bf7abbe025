import { PROBE_ITEM } from '../../../lambda/shared/map';
import { NODE_HEALTH } from '../../../proof/simulation/aws/grid';
import type { ProbeTruth } from '../../../proof/simulation/aws/probes';
import { PROBER, type Story, type Teller } from './story';

const MINUTE = 60_000;

/** Longer than any story goes on. */
const LASTING_MS = 200 * MINUTE;

const GRID = { gridNodes: 1 };

const wayOf = (tier: Teller) => tier.world.hosts.all.get(tier.owner)!.way;

/** From now on nobody hears of the servers of the grid. */
function nobodyHears(tier: Teller): void {
  for (const id of tier.world.grid.instanceIds) tier.world.hosts.agentGone(id, LASTING_MS);
}

/** From now on the probe of the slot's server says that it serves, whatever it finds. */
function isContent(tier: Teller): void {
  tier.world.hosts.all.get(tier.owner)!.health.tellLies('serves', LASTING_MS);
}

const unreachableIsTold: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'the routes of a server are gone, and its probe does not say so',
    complaint: 'from 10.0.1.10 would leave by dev eth0, not by eth1, and the health probe is content',
    happens: async (tier) => {
      isContent(tier);
      wayOf(tier).take('routes', 0);
      await tier.wait(33 * MINUTE);
    },
  },
  {
    title: 'the same for not so long',
    happens: async (tier) => {
      isContent(tier);
      wayOf(tier).take('routes', 0);
      await tier.wait(29 * MINUTE);
    },
  },
  {
    title: 'the routes of all servers are gone, their probes say so, and nobody is replaced',
    happens: async (tier) => {
      for (const host of tier.world.hosts.all.values()) host.way.take('routes', LASTING_MS);
      await tier.wait(60 * MINUTE);
    },
  },
  {
    title: 'a packet filter lets no client through, and nobody hears of the servers of the grid',
    complaint: 'minutes, and the servers of the grid do not say so',
    options: GRID,
    happens: async (tier) => {
      nobodyHears(tier);
      wayOf(tier).drop('filter', LASTING_MS);
      await tier.wait(33 * MINUTE);
    },
  },
  {
    title: 'the servers of the grid are asked, and their alarm does not ring',
    complaint: 'minutes, and no alarm rings',
    options: GRID,
    happens: async (tier) => {
      tier.world.cloudWatch.rings = () => false;
      wayOf(tier).drop('filter', LASTING_MS);
      await tier.wait(53 * MINUTE);
    },
  },
  {
    title: 'they are asked, and it rings',
    options: GRID,
    happens: async (tier) => {
      wayOf(tier).drop('filter', LASTING_MS);
      await tier.wait(60 * MINUTE);
    },
  },
  {
    title: 'the carrier is lost again and again, each time for not so long',
    options: GRID,
    happens: async (tier) => {
      nobodyHears(tier);
      for (let count = 0; count < 4; count++) {
        wayOf(tier).drop('carrier', 15 * MINUTE);
        await tier.wait(16 * MINUTE);
      }
    },
  },
];

/** The prober has read a round in which the server said this, and has it replaced. */
async function declares(tier: Teller, served: boolean): Promise<void> {
  const { all } = tier.world.ssm.probes;
  const said = served
    ? ({ status: 'Success', details: 'Success', responseCode: 0 } as const)
    : ({ status: 'Failed', details: 'Failed', responseCode: 20 } as const);
  const asked: ProbeTruth = { instanceId: tier.owner, sentAt: tier.world.now(), said: '', ...said };
  // As many as one may miss.
  for (const id of ['one', 'two', 'three']) all.set(id, [{ ...asked, responseCode: 20 }]);
  all.set('last', [asked]);
  tier.writes(PROBE_ITEM, { commands: ['last'] });
  await tier.wait();
  tier.calls('SetInstanceHealth', { InstanceId: tier.owner, HealthStatus: 'Unhealthy' }, 'ok', PROBER);
}

const networkReplacesNobody: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a server is replaced that a packet filter cuts off and that said itself that it serves',
    complaint:
      'i-00000000000000007 was declared unhealthy, of which only clients know that it is not reached',
    happens: async (tier) => {
      wayOf(tier).drop('filter', LASTING_MS);
      await declares(tier, true);
    },
  },
  {
    title: 'one that is cut off and said itself that it does not serve',
    happens: async (tier) => {
      wayOf(tier).drop('filter', LASTING_MS);
      await declares(tier, false);
    },
  },
  {
    title: 'one whose routes are gone',
    happens: async (tier) => {
      wayOf(tier).take('routes', LASTING_MS);
      await declares(tier, false);
    },
  },
  {
    title: 'the function that asks the servers of a grid has one terminated',
    complaint: 'the function that asks the servers of the grid calls TerminateInstances',
    happens: (tier) =>
      tier.calls('TerminateInstances', { InstanceIds: [tier.owner] }, 'ok', `${NODE_HEALTH}/story/1`),
  },
  {
    title: 'it asks, and looks',
    happens: (tier) => {
      for (const operation of ['SendCommand', 'ListCommands', 'DescribeInstances'])
        tier.calls(operation, {}, 'ok', `${NODE_HEALTH}/story/1`);
    },
  },
];

export const CLIENTS: readonly Story[] = [
  ...unreachableIsTold.map((story) => ({ ...story, invariant: 'unreachable-is-told' })),
  ...networkReplacesNobody.map((story) => ({ ...story, invariant: 'network-replaces-nobody' })),
];
