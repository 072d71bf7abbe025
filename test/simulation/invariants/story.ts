import type { Call } from '../../../proof/simulation/aws/call';
import type { Observer } from '../../../proof/simulation/aws/observer';
import type { HostTruth, MapItem } from '../../../proof/simulation/aws/state';
import type { WorldOptions } from '../../../proof/simulation/aws/world-options';
import { type CheckedTier, ownerOf } from '../checked-tier';

/** Something made up that happens to a tier at rest. */
export interface Story {
  readonly invariant: string;
  readonly title: string;
  readonly happens: (tier: Teller) => void | Promise<void>;
  /** Part of the only complaint; left out where there is nothing to complain of. */
  readonly complaint?: string;
  readonly options?: Partial<WorldOptions>;
}

type Change = { readonly [attribute: string]: MapItem[string] };

export const FIRST = 'slot#oss-00';
export const SECOND = 'slot#oss-01';
export const RECONCILER = 'reconciler/story/1';
export const PROBER = 'prober/story/1';

/** Tells the invariants what no service of the simulation would do, and changes what is so to what they are to find. */
export class Teller {
  readonly world: CheckedTier['world'];
  readonly checker: CheckedTier['checker'];
  readonly told: Required<Observer>;

  constructor({ world, checker }: CheckedTier) {
    this.world = world;
    this.checker = checker;
    this.told = checker.observer as Required<Observer>;
  }

  /** A call that is made now. */
  call(operation: string, input: object = {}, worker = RECONCILER): Call {
    const at = this.world.now();
    return { index: 0, worker, service: 'ec2', operation, input, at, attempt: 1 };
  }

  calls(operation: string, input: object = {}, outcome = 'ok', worker = RECONCILER): void {
    this.told.onCall(this.call(operation, input, worker), outcome);
  }

  /** An item is so, and nobody is told since when. */
  isSo(item: string, change: Change): void {
    this.world.map.items.set(item, { ...this.world.map.items.get(item), ...change });
  }

  writes(item: string, change: Change, by: Call | 'hand' = this.call('UpdateItem')): void {
    const before = this.world.map.items.get(item);
    this.isSo(item, change);
    this.told.onMapWrite(item, before, this.world.map.items.get(item), by);
  }

  edits(item: string, change: Change): void {
    this.writes(item, change, 'hand');
  }

  /** An instance is in this state, and nothing that follows from it has happened yet. */
  becomes(instanceId: string, state: 'shutting-down' | 'terminated' | 'stopped'): void {
    this.world.ec2.instances.get(instanceId)!.state = state;
  }

  /** A host that serves a slot, whatever it served before. */
  serves(slot: string, instanceId: string, epoch = 1): void {
    const nothing = new Set<string>();
    const host: HostTruth = {
      instanceId,
      slot,
      epoch,
      mounted: nothing,
      deadMounts: nothing,
      serving: true,
    };
    this.told.onServe(host);
  }

  /** So much later that who begins now does not begin at the same time. */
  wait(ms = 1): Promise<void> {
    return this.world.run(ms);
  }

  get owner(): string {
    return ownerOf(this.world);
  }

  get other(): string {
    return ownerOf(this.world, 'oss-01');
  }
}
