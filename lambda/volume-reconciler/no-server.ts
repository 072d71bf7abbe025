import type { SlotRow } from '../shared/map';
import type { Settings } from './settings';
import type { View } from './view';

/** How the reason of a slot begins whose group could launch no server. */
const NO_SERVER = 'no server: ';

/** What the row of a slot without an owner says: why no server comes, where Auto Scaling says why. */
export function vacantReason(row: SlotRow, { lastLaunch }: View, settings: Settings): string | undefined {
  const failed = lastLaunch?.failed;
  if (failed) {
    const { serverType, fallbackTypes = [] } = settings;
    const allowed = [serverType, ...fallbackTypes].join(', then ');
    const types = fallbackTypes.length > 0 ? ` Allowed are ${allowed}.` : '';
    return `${NO_SERVER}the launch at ${failed.at} failed, and is tried again.${types} ${failed.why}`;
  }
  // What it was blocked by is over; so is what kept a launch from coming, as soon as one comes.
  const isOver =
    row.phase === 'blocked' ||
    row.phase === 'asleep' ||
    (lastLaunch !== undefined && row.reason?.startsWith(NO_SERVER));
  return isOver ? undefined : row.reason;
}

/** What the row of a served slot says whose server is there for want of another one. */
export function fallbackReason(
  instanceId: string,
  view: View,
  { serverType, fallbackTypes = [] }: Settings,
): string | undefined {
  const type = view.instanceOf(instanceId)?.type;
  if (type === undefined || !fallbackTypes.includes(type)) return undefined;
  return (
    `${instanceId} is ${type}, outside of the placement group: there was no ${serverType ?? 'other'} in it. ` +
    'Terminate it at a quiet time, when there is capacity again'
  );
}
