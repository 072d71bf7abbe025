import type { Timeline } from '../../../lambda/shared/map';
import { SlotWatch } from './moments';
import { type OwnShare, ownShareOf } from './own-share';
import { PassCounter } from './passes';
import { type Standby, servedTier } from './tier';

/** What became of a tier that lost one server. */
export interface OneLost extends OwnShare {
  readonly seed: number;
  /** Whether a spare took the slot, and not the server that was launched for the lost one. */
  readonly bySpare: boolean;
  readonly passes: number;
  readonly calls: { readonly [operation: string]: number };
  readonly looks: readonly string[];
  /** Requests that were refused because a bucket was empty. */
  readonly refused: number;
}

const LIMIT_MS = 60 * 60_000;

/** Loses one server of a tier that is served, and measures until another one serves in its place. */
export async function loseOne(
  slots: number,
  volumesPerSlot: number,
  seed: number,
  standby: Standby = {},
): Promise<OneLost> {
  const counter = new PassCounter();
  const watching: { watch?: SlotWatch } = {};
  const world = await servedTier({
    slots,
    volumesPerSlot,
    seed,
    ...standby,
    observer: { onCall: counter.onCall, onStep: () => watching.watch?.look() },
  });
  const slot = world.stack.slots[seed % slots]!;
  const owner = String(world.map.items.get(`slot#${slot}`)!.owner);
  counter.reset();
  const watch = new SlotWatch(world, slot, owner);
  watching.watch = watch;
  const refusedBefore = world.transport.throttle.refused;
  world.ec2.terminate(owner);
  await world.run(LIMIT_MS, () => watch.isOver);
  const counted = {
    passes: counter.looking().length,
    calls: { ...counter.byOperation },
    looks: counter.looks(),
  };
  const timeline = world.map.items.get(`slot#${slot}`)!.timeline as Timeline;
  return {
    seed,
    bySpare: watch.isBySpare,
    ...ownShareOf(watch.moments, timeline),
    ...counted,
    refused: world.transport.throttle.refused - refusedBefore,
  };
}
