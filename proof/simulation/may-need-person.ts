import type { PassResult } from '../../lambda/volume-reconciler/result';
import type { World } from './aws/world';
import { NEEDS_PERSON } from './faults/kinds';
import { NO_ROW, SNAPSHOT_FAILED } from './faults/person';
import type { Striker } from './faults/strike';
import { cutOffSlots, isProberAtALoss } from './served';

/** What the reconciler says of a launch that it keeps for a person, since those before it failed. */
const KEPT = /kept for inspection/;

/**
 * Whether the design asks for a person: after hand edits, where a server died while it formatted a volume, where
 * launch after launch failed, where a rollback failed, where the health probe knows of hosts that do not serve and
 * may replace none, and where only clients see that a server is cut off.
 */
export function mayNeedPerson(world: World, struck: Striker['struck'], lastPass?: PassResult): boolean {
  if (struck.some(({ fault }) => NEEDS_PERSON.includes(fault.kind))) return true;
  if (world.stack.rollbackFailed) return true;
  // A snapshot that fails may do so after the first alarm.
  const failing = struck.some(({ fault }) => fault.kind === 'orphans' && fault.failing > 0);
  for (const volume of world.ec2.volumes.values())
    if (volume.content === 'half-formatted' || (failing && volume.orphansMs > 0)) return true;
  for (const row of world.map.items.values()) {
    if (KEPT.test(String(row.reason)) || SNAPSHOT_FAILED.test(String(row.reason))) return true;
    // It served once, and what is wrong with it may await the next server, too: a person looks (give-up.ts).
    const ill = world.hosts.all.get(String(row.owner))?.health.ailment !== undefined;
    if (ill && row.servedEpoch !== row.epoch) return true;
  }
  if (lastPass?.slots.some(({ reason }) => NO_ROW.test(reason ?? ''))) return true;
  return cutOffSlots(world).length > 0 || isProberAtALoss(world);
}
