import type { Timeline } from '../../lambda/shared/map';
import { SlotWatch } from './moments';
import { type OwnShare, ownShareOf } from './own-share';
import { PassCounter } from './passes';
import { servedTier } from './tier';

/** What became of a tier that lost one server. */
export interface OneLost extends OwnShare {
  readonly seed: number;
  readonly passes: number;
  readonly calls: { readonly [operation: string]: number };
  readonly looks: readonly string[];
  /** Requests that were refused because a bucket was empty. */
  readonly refused: number;
}

const LIMIT_MS = 60 * 60_000;

/** Loses one server of a tier that is served, and measures until another one serves in its place. */
export async function loseOne(slots: number, volumesPerSlot: number, seed: number): Promise<OneLost> {
  const counter = new PassCounter();
  const watching: { watch?: SlotWatch } = {};
  const world = await servedTier({
    slots,
    volumesPerSlot,
    seed,
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
    ...ownShareOf(watch.moments, timeline),
    ...counted,
    refused: world.transport.throttle.refused - refusedBefore,
  };
}
