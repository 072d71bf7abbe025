import { interfaceOf, volumeOf } from '../checked-tier';
import type { Story, Teller } from './story';

/**
 * EC2 attaches a volume to the server of the other slot, although nobody has taken it off the one that has it mounted.
 */
function attachedTwice(tier: Teller, by: 'a call' | 'hand' = 'a call'): void {
  const { ec2 } = tier.world;
  const volume = volumeOf(tier.world);
  // With it EC2 would refuse, simulated or not: VolumeInUse.
  volume.attachments = [];
  ec2.attachments.volumes.attach(
    volume.id,
    tier.other,
    '/dev/sdz',
    by === 'hand' ? by : tier.call('AttachVolume'),
  );
}

const oneWriter: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a volume is attached to another server while its own one runs and has it mounted',
    complaint: 'which had it last, was running',
    happens: (tier) => attachedTwice(tier),
  },
  {
    title: 'while its own one shuts down',
    complaint: 'which had it last, was shutting-down',
    happens: (tier) => {
      tier.becomes(tier.owner, 'shutting-down');
      attachedTwice(tier);
    },
  },
  {
    title: 'while its own one has a mount that is dead, and may write what it has in memory',
    complaint: 'which had it last, was running',
    happens: (tier) => {
      tier.world.hosts.all.get(tier.owner)!.loseVolume(volumeOf(tier.world).id);
      attachedTwice(tier);
    },
  },
  ...(['terminated', 'stopped'] as const).map((state) => ({
    title: `when its own one is ${state}`,
    happens: (tier: Teller) => {
      tier.becomes(tier.owner, state);
      attachedTwice(tier);
    },
  })),
  {
    title: 'when its own one has unmounted it',
    happens: (tier) => {
      tier.world.hosts.all.get(tier.owner)!.mounted.clear();
      attachedTwice(tier);
    },
  },
  {
    title: 'when its own one is stopped, and still has it: it starts with it',
    complaint: 'which has it, was stopped',
    happens: (tier) => {
      tier.becomes(tier.owner, 'stopped');
      tier.told.onAttach(volumeOf(tier.world).id, tier.other, tier.call('AttachVolume'));
    },
  },
  { title: 'by a person, against all advice', happens: (tier) => attachedTwice(tier, 'hand') },
  {
    title: 'a server mounts a volume that is attached to another one',
    complaint: 'mounts vol-00000000000000002, which is attached to i-',
    happens: (tier) => tier.told.onMount(volumeOf(tier.world).id, tier.other),
  },
  {
    title: 'a server mounts a volume that is attached to nothing',
    complaint: 'which is attached to nothing',
    happens: (tier) => {
      volumeOf(tier.world).attachments = [];
      tier.told.onMount(volumeOf(tier.world).id, tier.owner);
    },
  },
  {
    title: 'a server mounts a volume that is attached to it',
    happens: (tier) => tier.told.onMount(volumeOf(tier.world).id, tier.owner),
  },
];

const things: readonly (readonly [string, string, (tier: Teller) => string])[] = [
  ['a volume', 'DetachVolume', (tier) => volumeOf(tier.world).id],
  ['an interface', 'DetachNetworkInterface', (tier) => interfaceOf(tier.world).id],
];

const neverTakenFromLiving: readonly Omit<Story, 'invariant'>[] = [
  ...things.flatMap(([what, operation, idOf]) => [
    {
      title: `a call takes ${what} off a server that runs`,
      complaint: `${operation} took `,
      happens: (tier: Teller) => tier.told.onDetach(idOf(tier), tier.owner, tier.call(operation)),
    },
    {
      title: `a call takes ${what} off a server that is terminated`,
      happens: (tier: Teller) => {
        tier.becomes(tier.owner, 'terminated');
        tier.told.onDetach(idOf(tier), tier.owner, tier.call(operation));
      },
    },
    ...(['ec2', 'hand'] as const).map((by) => ({
      title: `${what} goes off a server that runs, by ${by}`,
      happens: (tier: Teller) => tier.told.onDetach(idOf(tier), tier.owner, by),
    })),
  ]),
  {
    title: 'EC2 is asked to take a volume off a server that shuts down',
    complaint: 'DetachVolume was asked from i-',
    happens: (tier) => {
      tier.becomes(tier.owner, 'shutting-down');
      tier.calls('DetachVolume', { InstanceId: tier.owner });
    },
  },
  {
    title: 'it is asked, does so, and its answer is lost',
    complaint: 'DetachVolume was asked from i-',
    happens: (tier) => tier.calls('DetachVolume', { InstanceId: tier.owner }, 'timeout-after ok'),
  },
  {
    title: 'EC2 refuses to take a volume off a server that runs',
    complaint: 'DetachVolume was asked from i-',
    happens: (tier) => tier.calls('DetachVolume', { InstanceId: tier.owner }, 'IncorrectState'),
  },
  {
    title: 'EC2 is asked to take a volume off a server that is terminated',
    happens: (tier) => {
      tier.becomes(tier.owner, 'terminated');
      tier.calls('DetachVolume', { InstanceId: tier.owner });
    },
  },
  {
    title: 'by force, even off a server that is terminated',
    complaint: 'DetachVolume was asked by force',
    happens: (tier) => {
      tier.becomes(tier.owner, 'terminated');
      tier.calls('DetachVolume', { InstanceId: tier.owner, Force: true });
    },
  },
];

const oneServer: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a second server serves a slot while the first one runs',
    complaint: 'oss-00 is served by i-00000000000000008 and by i-00000000000000007, which was running',
    happens: (tier) => tier.serves('oss-00', tier.other),
  },
  {
    title: 'while the first one shuts down',
    complaint: 'which was shutting-down',
    happens: (tier) => {
      tier.becomes(tier.owner, 'shutting-down');
      tier.serves('oss-00', tier.other);
    },
  },
  {
    title: 'when the first one is terminated',
    happens: (tier) => {
      tier.becomes(tier.owner, 'terminated');
      tier.serves('oss-00', tier.other);
    },
  },
  {
    title: 'when the first one has stopped to serve it',
    happens: (tier) => {
      tier.world.hosts.all.get(tier.owner)!.serving = false;
      tier.serves('oss-00', tier.other);
    },
  },
  { title: 'a second server serves another slot', happens: (tier) => tier.serves('oss-02', 'i-new') },
];

export const WRITERS: readonly Story[] = [
  ...oneWriter.map((story) => ({ ...story, invariant: 'one-writer' })),
  ...neverTakenFromLiving.map((story) => ({ ...story, invariant: 'never-taken-from-living' })),
  ...oneServer.map((story) => ({ ...story, invariant: 'one-server' })),
];
