import { describeError } from '../shared/log';
import type { Action, Decision } from './actions';
import type { Applied } from './apply';
import type { Ports, TierRows } from './ports';
import type { OwnedRow } from './slot-rows';

/** How the reason of a row begins to whose owner EC2 does not attach something. */
const NOT_ATTACHED = 'EC2 does not attach ';

/** Refusals that no waiting ends. Others are those of a moment, and the next pass sees what is so. */
const LASTING: readonly string[] = [
  'AttachmentLimitExceeded',
  'InvalidParameterCombination',
  'InvalidParameterValue',
  'InvalidVolume.ZoneMismatch',
  'UnauthorizedOperation',
];

/** What the row says of an attachment that EC2 refused, while there is still something to attach. */
export const refusedBefore = ({ reason }: OwnedRow, actions: readonly Action[]): string | undefined =>
  actions.length > 0 && reason?.startsWith(NOT_ATTACHED) ? reason : undefined;

/** Writes into the rows, in EC2's words, why nothing goes on: no pass can mend it, and a person reads the row. */
export async function noteRefusals(
  applied: readonly Applied[],
  rows: TierRows,
  decision: Decision,
  { map, log }: Ports,
): Promise<void> {
  const noted = new Set<string>();
  for (const { action, refusal } of applied) {
    if (action.kind !== 'attach-volume' && action.kind !== 'attach-interface') continue;
    const row = rows.slots.find(({ slot }) => slot === action.slot);
    if (!refusal || !LASTING.includes(refusal.code) || row?.owner !== action.instanceId) continue;
    const what = action.kind === 'attach-volume' ? action.volumeId : action.interfaceId;
    const said = `${refusal.code}${refusal.message && refusal.message !== refusal.code ? `: ${refusal.message}` : ''}`;
    const reason = `${NOT_ATTACHED}${what} to ${action.instanceId}: ${said}`;
    // The first one stays while others are refused, too.
    if (row.reason?.startsWith(`${NOT_ATTACHED}`) || noted.has(row.slot)) continue;
    noted.add(row.slot);
    const now = decision.slots.find(({ slot }) => slot === row.slot)?.actions;
    const last = now?.find((each) => each.kind === 'annotate');
    const timeline = last?.kind === 'annotate' ? last.note.timeline : row.timeline;
    try {
      await map.annotate(row.slot, row.owner, row.epoch, { phase: 'attaching', reason, timeline });
    } catch (error) {
      // The next pass is refused, too, and writes it.
      log.error('a refusal could not be noted', { slot: row.slot, error: describeError(error) });
    }
  }
}
