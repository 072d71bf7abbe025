import { FORMATTED_TAG } from '../../../constructs/private/tags';
import type { Content } from '../../../proof/simulation/aws/state';
import { volumeOf } from '../checked-tier';
import { FIRST, type Story, type Teller } from './story';

const ZONE = 'us-east-1a';

interface Formatting {
  readonly tags?: { [key: string]: string };
  readonly snapshotId?: string;
  readonly formats?: number;
  readonly mayFormat?: boolean;
  readonly before?: Content;
}

/** The server formats a volume that was never formatted, of a slot whose row says that this was offered. */
function formats(
  tier: Teller,
  { tags = {}, snapshotId, formats: times = 0, ...how }: Formatting = {},
): string {
  const volume = tier.world.ec2.createVolume('oss-00', ZONE, tags, snapshotId);
  volume.formats = times;
  begins(tier, volume.id, how);
  return volume.id;
}

function begins(tier: Teller, volumeId: string, how: Formatting = {}, instanceId = tier.owner): void {
  const what = { mayFormat: true, slot: 'oss-00', epoch: 1, before: 'blank' as const, ...how };
  tier.told.onFormat(volumeId, instanceId, what);
}

const formattedOnce: readonly Omit<Story, 'invariant'>[] = [
  { title: 'a blank volume is formatted that was offered', happens: (tier) => void formats(tier) },
  {
    title: 'one that was not offered',
    complaint: 'and the map does not know that it was offered',
    happens: (tier) => {
      tier.isSo(FIRST, { formatOffered: undefined });
      formats(tier);
    },
  },
  {
    title: 'one of which the host was not told that it may',
    complaint: 'which it was not allowed to',
    happens: (tier) => void formats(tier, { mayFormat: false }),
  },
  {
    title: 'one that is not there',
    complaint: 'which does not exist',
    happens: (tier) => begins(tier, 'vol-none'),
  },
  {
    title: 'one that was formatted before',
    complaint: 'was formatted for the 2. time by i-',
    happens: (tier) => void formats(tier, { formats: 1 }),
  },
  {
    title: 'one that comes from a snapshot',
    complaint: 'which comes from snap-1',
    happens: (tier) => void formats(tier, { snapshotId: 'snap-1' }),
  },
  {
    title: 'one that carries the tag',
    complaint: 'which carries the tag of a formatted volume',
    happens: (tier) => void formats(tier, { tags: { [FORMATTED_TAG]: 'oss-00' } }),
  },
  {
    title: 'one that holds a target',
    complaint: 'which holds a target',
    happens: (tier) => void formats(tier, { before: 'target' }),
  },
  {
    title: 'one that another host began to format',
    complaint: 'which i-00000000000000007 1 began to format',
    happens: (tier) => {
      const volumeId = formats(tier);
      begins(tier, volumeId, { before: 'half-formatted' }, tier.other);
    },
  },
  {
    title: 'one that the same host began to format',
    happens: (tier) => {
      const volumeId = formats(tier);
      begins(tier, volumeId, { before: 'half-formatted' });
    },
  },
];

const WORKER = 'reconciler/offer/1';

function offers(tier: Teller, mayFormat = 'true', outcome = 'ok'): void {
  tier.calls('SendCommand', { Parameters: { slot: ['oss-00'], mayFormat: [mayFormat] } }, outcome, WORKER);
}

/**
 * The worker writes that it is going to tell the owner; and somebody writes that the slot holds data, at once or later.
 */
async function toldAndFormatted(tier: Teller, afterMs: number): Promise<void> {
  const command = { sentAt: 'now', attempts: 1, failures: 0, epoch: 1 };
  tier.edits(FIRST, { formatted: false });
  tier.writes(FIRST, { command }, tier.call('UpdateItem', {}, WORKER));
  await tier.wait(afterMs);
  tier.writes(FIRST, { formatted: true });
}

const offeredToTheBlank: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'formatting is offered of a slot whose row says that it holds data',
    complaint: 'offered to format oss-00, which the map says holds data',
    happens: (tier) => offers(tier),
  },
  {
    title: 'by a call that Systems Manager took, and whose answer was lost',
    complaint: 'offered to format oss-00',
    happens: (tier) => offers(tier, 'true', 'timeout-after ok'),
  },
  { title: 'by a call that was not taken', happens: (tier) => offers(tier, 'true', 'timeout-before') },
  { title: 'the host is told that it may not', happens: (tier) => offers(tier, 'false') },
  {
    title: 'of a slot that a person says is blank',
    happens: (tier) => {
      tier.edits(FIRST, { formatted: false });
      offers(tier);
    },
  },
  {
    title: 'of a slot that is said to hold data when the offer is written, and not only after it',
    complaint: 'offered to format oss-00',
    happens: async (tier) => {
      await toldAndFormatted(tier, 0);
      offers(tier);
    },
  },
  {
    title: 'of a slot that came to hold data after the offer was written',
    happens: async (tier) => {
      await toldAndFormatted(tier, 1);
      offers(tier);
    },
  },
];

function noted(tier: Teller, tags: { [key: string]: string }, by?: 'hand'): void {
  volumeOf(tier.world).tags = tags;
  tier.edits(FIRST, { formatted: false });
  tier.writes(FIRST, { formatted: true }, by);
}

const tagBeforeRow: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a row says formatted, and one of its volumes has no tag',
    complaint: 'the row of oss-00 says formatted, and vol-00000000000000002 has no tag',
    happens: (tier) => noted(tier, {}),
  },
  { title: 'and all have one', happens: (tier) => noted(tier, { [FORMATTED_TAG]: 'oss-00' }) },
  { title: 'as somebody wrote by hand', happens: (tier) => noted(tier, {}, 'hand') },
  {
    title: 'and the one without a tag comes from a snapshot',
    happens: (tier) => {
      const { id: volumeId } = tier.world.ec2.createVolume('oss-00', ZONE, {}, 'snap-1');
      tier.edits(FIRST, { formatted: false });
      tier.writes(FIRST, { formatted: true, volumes: [{ volumeId, device: '/dev/sdf' }] });
    },
  },
];

export const FORMATTING: readonly Story[] = [
  ...formattedOnce.map((story) => ({ ...story, invariant: 'formatted-once' })),
  ...offeredToTheBlank.map((story) => ({ ...story, invariant: 'offered-to-the-blank' })),
  ...tagBeforeRow.map((story) => ({ ...story, invariant: 'tag-before-row' })),
];
