import { interfaceOf } from '../checked-tier';
import { FIRST, SECOND, type Story, type Teller } from './story';

/** The row loses its owner. */
const released = (tier: Teller): void => tier.writes(FIRST, { owner: undefined });

/** A server that is stopped, outside its group and without anything of its slot. */
function alone(tier: Teller): void {
  const { world, owner } = tier;
  tier.becomes(owner, 'stopped');
  world.group.members.delete(owner);
  for (const volume of world.ec2.volumes.values()) if (volume.slot === 'oss-00') volume.attachments = [];
  interfaceOf(world).attachment = undefined;
}

const releasedAfterEnd: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a slot leaves a server that runs',
    complaint: 'which was running, in its group, with vol-',
    happens: released,
  },
  {
    title: 'one that shuts down',
    complaint: 'which was shutting-down',
    happens: (tier) => {
      tier.becomes(tier.owner, 'shutting-down');
      released(tier);
    },
  },
  {
    title: 'one that runs, outside its group and without anything of the slot',
    complaint: 'was taken from i-00000000000000007, which was running',
    happens: (tier) => {
      alone(tier);
      tier.world.ec2.instances.get(tier.owner)!.state = 'running';
      released(tier);
    },
  },
  {
    title: 'one that is stopped and in its group',
    complaint: 'which was stopped, in its group',
    happens: (tier) => {
      const member = tier.world.group.members.get(tier.owner)!;
      alone(tier);
      tier.world.group.members.set(tier.owner, member);
      released(tier);
    },
  },
  {
    title: 'one that is stopped and holds the interface',
    complaint: 'which was stopped, with eni-',
    happens: (tier) => {
      const { attachment } = interfaceOf(tier.world);
      alone(tier);
      interfaceOf(tier.world).attachment = attachment;
      released(tier);
    },
  },
  {
    title: 'one that is stopped, outside its group and without anything of the slot',
    happens: (tier) => {
      alone(tier);
      released(tier);
    },
  },
  {
    title: 'one that is terminated, whatever hangs on it',
    happens: (tier) => {
      tier.becomes(tier.owner, 'terminated');
      released(tier);
    },
  },
  { title: 'one that runs, by hand', happens: (tier) => tier.edits(FIRST, { owner: undefined }) },
];

/** The slot is claimed, with the row of its owner or without. */
function claimed(tier: Teller, owner: string, withRow: boolean): void {
  tier.writes(FIRST, { owner, epoch: 2 });
  if (withRow) tier.writes(`owner#${owner}`, { slot: 'oss-00', epoch: 2 });
  tier.told.onStep(tier.world);
}

/** Who owned the slot is gone, and nobody owns it. */
function vacant(tier: Teller): void {
  tier.becomes(tier.owner, 'terminated');
  released(tier);
}

const oneOwner: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a slot goes to the owner of another one',
    complaint: 'i-00000000000000008 became owner of oss-00 and owns oss-01 already',
    happens: (tier) => {
      vacant(tier);
      tier.writes(FIRST, { owner: tier.other, epoch: 2 });
    },
  },
  {
    title: 'to the owner of another one, whose own row a person has deleted',
    happens: (tier) => {
      const item = `owner#${tier.other}`;
      vacant(tier);
      tier.world.map.deleteRow(item);
      claimed(tier, tier.other, true);
    },
  },
  {
    title: 'from one owner to the next without having been nobody’s',
    complaint: 'oss-00 went from i-00000000000000007 to i-new without having been released',
    happens: (tier) => {
      tier.becomes(tier.owner, 'terminated');
      claimed(tier, 'i-new', true);
    },
  },
  {
    title: 'to an owner whose row says nothing of it',
    complaint: 'i-new owns oss-00, but its own row names undefined',
    happens: (tier) => {
      vacant(tier);
      claimed(tier, 'i-new', false);
    },
  },
  {
    title: 'to an owner whose row names it',
    happens: (tier) => {
      vacant(tier);
      claimed(tier, 'i-new', true);
    },
  },
];

const epochsGrow: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'an epoch falls',
    complaint: 'the epoch of oss-00 went from 1 to 0 without another owner',
    happens: (tier) => tier.writes(FIRST, { epoch: 0 }),
  },
  {
    title: 'an epoch grows, and the owner is the same',
    complaint: 'the epoch of oss-00 went from 1 to 2 without another owner',
    happens: (tier) => tier.writes(FIRST, { epoch: 2 }),
  },
  {
    title: 'a new owner gets an epoch that is higher by two',
    complaint: 'the epoch of oss-00 went from 1 to 3 for i-new',
    happens: (tier) => {
      vacant(tier);
      tier.writes(FIRST, { owner: 'i-new', epoch: 3 });
    },
  },
  {
    title: 'an epoch is lost',
    complaint: 'the row of oss-00 has lost its epoch to UpdateItem',
    happens: (tier) => tier.writes(FIRST, { epoch: undefined }),
  },
  {
    title: 'a new owner gets the epoch of the one before',
    complaint: 'the epoch of oss-00 went from 1 to 1 for i-new',
    happens: (tier) => {
      vacant(tier);
      tier.writes(FIRST, { owner: 'i-new', servedEpoch: 0 });
    },
  },
  {
    title: 'a new owner gets an epoch of its own',
    happens: (tier) => {
      vacant(tier);
      tier.writes(FIRST, { owner: 'i-new', epoch: 2 });
    },
  },
  {
    title: 'a person sets an epoch back, and it grows again',
    happens: (tier) => {
      vacant(tier);
      tier.edits(FIRST, { epoch: 0 });
      tier.writes(FIRST, { owner: 'i-new', epoch: 1, servedEpoch: 0 });
    },
  },
  {
    title: 'a person sets an epoch on, and it falls back',
    complaint: 'the epoch of oss-01 went from 7 to 2',
    happens: (tier) => {
      tier.edits(SECOND, { epoch: 7 });
      tier.writes(SECOND, { epoch: 2 });
    },
  },
];

export const OWNERS: readonly Story[] = [
  ...releasedAfterEnd.map((story) => ({ ...story, invariant: 'released-after-end' })),
  ...oneOwner.map((story) => ({ ...story, invariant: 'one-owner' })),
  ...epochsGrow.map((story) => ({ ...story, invariant: 'epochs-grow' })),
];
