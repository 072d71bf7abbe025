import { FINDING_TAG } from '../../../constructs/private/tags';
import { volumesOf } from '../../../proof/simulation/attached';
import { rowOf } from '../checked-tier';
import type { Story, Teller } from './story';

const MINUTE = 60_000;

const idsOf = (tier: Teller): string[] => [...volumesOf(rowOf(tier.world))];

/** The owner has found a volume damaged, and unmounted it has nothing of it. */
function finds(tier: Teller): void {
  tier.world.hosts.all.get(tier.owner)!.mounted.clear();
  tier.told.onDamage(idsOf(tier)[0]!, tier.owner);
}

/** Snapshots of these are made. */
const snapshots = (tier: Teller, volumeIds: readonly string[]): string[] =>
  volumeIds.map((id) => tier.world.ec2.snapshots.create(id, { [FINDING_TAG]: 'f' }).id);

function repairs(tier: Teller, snapshotIds: readonly string[], instanceId = tier.owner): void {
  const volumes = idsOf(tier);
  tier.told.onRepair(volumes[0]!, instanceId, { slot: 'oss-00', epoch: 1, volumes, snapshotIds });
}

const stories: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'damage is repaired after a completed snapshot of each volume',
    happens: async (tier) => {
      finds(tier);
      const made = snapshots(tier, idsOf(tier));
      await tier.wait(6 * MINUTE);
      repairs(tier, made);
    },
  },
  {
    title: 'damage is repaired while a snapshot is under way',
    complaint: 'was completed since it found the damage',
    happens: async (tier) => {
      finds(tier);
      const made = snapshots(tier, idsOf(tier));
      await tier.wait(1000);
      repairs(tier, made);
    },
  },
  {
    title: 'damage is repaired after snapshots of one of the volumes',
    complaint: 'was completed since it found the damage',
    happens: async (tier) => {
      finds(tier);
      const [first] = idsOf(tier);
      const made = snapshots(tier, [first!]);
      await tier.wait(6 * MINUTE);
      repairs(tier, [...made, ...made]);
    },
  },
  {
    title: 'damage is repaired after snapshots that were made before it was found',
    complaint: 'was completed since it found the damage',
    happens: async (tier) => {
      const made = snapshots(tier, idsOf(tier));
      await tier.wait(6 * MINUTE);
      finds(tier);
      repairs(tier, made);
    },
  },
  {
    title: 'damage is repaired after snapshots of which nobody told the host',
    complaint: 'was completed since it found the damage',
    happens: async (tier) => {
      finds(tier);
      snapshots(tier, idsOf(tier));
      await tier.wait(6 * MINUTE);
      repairs(tier, []);
    },
  },
  {
    title: 'what is sound is repaired',
    complaint: 'which it did not find damaged',
    happens: (tier) => repairs(tier, []),
  },
  {
    title: 'damage is repaired of a volume that is mounted',
    complaint: 'has mounted',
    happens: async (tier) => {
      finds(tier);
      const made = snapshots(tier, idsOf(tier));
      await tier.wait(6 * MINUTE);
      tier.world.hosts.all.get(tier.other)!.mounted.add(idsOf(tier)[0]!);
      repairs(tier, made);
    },
  },
  {
    title: 'damage is repaired of volumes that are attached elsewhere',
    complaint: 'is attached elsewhere',
    happens: async (tier) => {
      finds(tier);
      const made = snapshots(tier, idsOf(tier));
      await tier.wait(6 * MINUTE);
      const volume = tier.world.ec2.volumes.get(idsOf(tier)[1]!)!;
      volume.attachments = [{ ...volume.attachments[0]!, instanceId: tier.other }];
      repairs(tier, made);
    },
  },
];

export const REPAIRS: readonly Story[] = stories.map((story) => ({
  ...story,
  invariant: 'repaired-after-snapshots',
}));
