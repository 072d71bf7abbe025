import { FIRST, type Story, type Teller } from './story';

/** A stop is done: the map says so, and the group is to have no server; those that it has go on as they are. */
function stopped(tier: Teller): void {
  tier.isSo('sleep', { since: '2026-01-01T00:00:00.000Z', by: 'stop-1' });
  tier.world.group.desired = 0;
  for (const { instanceId } of [...tier.world.group.members.values()])
    tier.world.hosts.all.get(instanceId)!.mounted.clear();
  tier.told.onOperationEnd('stop', 'done');
}

/** A start is done: the group has its size, and nothing says that it sleeps. */
function started(tier: Teller): void {
  tier.world.map.items.delete('sleep');
  tier.world.group.desired = tier.world.stack.slots.length;
  tier.told.onOperationEnd('start', 'done');
}

const comesBack: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'it comes back as it was',
    happens: (tier) => {
      stopped(tier);
      started(tier);
    },
  },
  {
    title: 'a server has a volume mounted when the stop is done',
    complaint: 'has a volume mounted while the deployment sleeps',
    happens: (tier) => {
      tier.isSo('sleep', { since: '', by: '' });
      tier.world.group.desired = 0;
      tier.told.onOperationEnd('stop', 'done');
    },
  },
  {
    title: 'a stop that was refused promises nothing',
    happens: (tier) => {
      tier.isSo('sleep', { since: '', by: '' });
      tier.world.group.desired = 0;
      tier.told.onOperationEnd('stop', 'refused');
    },
  },
  {
    title: 'it comes back at another address',
    complaint: 'oss-00 was ',
    happens: (tier) => {
      stopped(tier);
      tier.isSo(FIRST, { address: '10.0.9.9' });
      started(tier);
    },
  },
  {
    title: 'it was started, and goes on being called asleep',
    complaint: 'it was started, and the map says that it sleeps',
    happens: (tier) => {
      tier.isSo('sleep', { since: '', by: '' });
      tier.told.onOperationEnd('start', 'done');
    },
  },
  {
    title: 'it was started, and its group is to have no server',
    complaint: 'it was started, and its group has 0 servers',
    happens: (tier) => {
      tier.world.group.desired = 0;
      tier.told.onOperationEnd('start', 'done');
    },
  },
];

export const SLEEP: readonly Story[] = comesBack.map((story) => ({ ...story, invariant: 'comes-back' }));
