import type { Estate, Happened } from '../../upgrade/estate';
import { HARM } from '../judge';

/** What was lost between two moments: resources that had to stay themselves, and data. */
export function harm(before: Estate, after: Estate, happened: Happened): string[] {
  const resources = Object.entries(before.resources).flatMap(([name, { type, physicalId }]) => {
    const now = after.resources[name]?.physicalId;
    if (now === physicalId) return [];
    if (now !== undefined)
      return HARM[type]?.includes('replaces') ? [`${name} ${type}: ${physicalId} became ${now}`] : [];
    return HARM[type]?.includes('lets go of') && HARM[type].includes('deletes')
      ? [`${name} ${type}: ${physicalId} is in the stack no more`]
      : [];
  });
  const data = Object.entries(before.superblocks)
    .filter(([id, { uuid }]) => after.superblocks[id]?.uuid !== uuid)
    .map(([id, { uuid }]) => `data on ${id}: ${uuid} became ${after.superblocks[id]?.uuid ?? 'nothing'}`);
  const formatted = happened.formatted
    .filter((id) => id in before.superblocks)
    .map((id) => `${id} was formatted`);
  return [...resources, ...data, ...formatted];
}
