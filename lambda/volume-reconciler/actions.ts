import type { Timeline } from '../shared/map';
import type { Recovery } from '../shared/timeline';
import type { Annotation, Claim, FailedLaunches, Order } from './ports';

/** One step that is safe to take. Whether it happened is seen in the next pass, never assumed. */
export type Action =
  | {
      readonly kind: 'claim';
      readonly claim: Claim;
      readonly timeline: Timeline;
      readonly serverType?: string;
    }
  | {
      readonly kind: 'release';
      readonly claim: Claim;
      readonly timeline: Timeline;
      readonly failed?: FailedLaunches;
      /** The owner's own row names another slot, and stays. */
      readonly keepsOwnerRow: boolean;
    }
  | {
      readonly kind: 'attach-volume';
      readonly slot: string;
      readonly volumeId: string;
      readonly instanceId: string;
      readonly device: string;
    }
  | {
      readonly kind: 'detach-volume';
      readonly slot: string;
      readonly volumeId: string;
      readonly instanceId: string;
    }
  | {
      readonly kind: 'attach-interface';
      readonly slot: string;
      readonly interfaceId: string;
      readonly instanceId: string;
    }
  | {
      readonly kind: 'detach-interface';
      readonly slot: string;
      readonly attachmentId: string;
      readonly instanceId: string;
    }
  /** Volumes and interface outlive the instance that has them, as they were attached. */
  | {
      readonly kind: 'keep-volumes';
      readonly instanceId: string;
      readonly volumeIds: string[];
      readonly devices: string[];
    }
  | {
      readonly kind: 'keep-interface';
      readonly instanceId: string;
      readonly interfaceId: string;
      readonly attachmentId: string;
    }
  | {
      readonly kind: 'tell';
      readonly claim: Claim;
      readonly order: Order;
      readonly attempts: number;
      readonly failures: number;
      /** When the host last said that it repairs, ISO 8601. */
      readonly repairingAt?: string;
      readonly note: Annotation;
    }
  | {
      readonly kind: 'mark-served';
      readonly claim: Claim;
      readonly commandId: string;
      readonly untagged: string[];
      /** When the slot last came to be served, now being the last. */
      readonly servings: string[];
      readonly note: Annotation;
      /** Taken as soon as the row says so: a launch is completed for a server that serves. */
      readonly afterwards?: Action;
    }
  /** Before damage is repaired. */
  | {
      readonly kind: 'snapshot';
      readonly claim: Claim;
      readonly volumeId: string;
      readonly finding: string;
      /** What the row is to say if it cannot be made, after the cause. */
      readonly note: Annotation;
    }
  | { readonly kind: 'unserve'; readonly claim: Claim; readonly note: Annotation }
  | {
      readonly kind: 'annotate';
      readonly slot: string;
      readonly owner?: string;
      readonly epoch: number;
      readonly note: Annotation;
      /** The row does not say since when its owner has the slot: since now. */
      readonly undated?: boolean;
    }
  /** Ends a repair: the row gets its last moment, and the tier's history the repair. */
  | {
      readonly kind: 'record-recovery';
      readonly claim: Claim;
      readonly note: Annotation;
      readonly recovery: Recovery;
      readonly serverType?: string;
    }
  | {
      readonly kind: 'complete';
      readonly instanceId: string;
      readonly hook: string;
      readonly result: 'CONTINUE' | 'ABANDON';
      readonly why: string;
    }
  | { readonly kind: 'heartbeat'; readonly instanceIds: string[]; readonly hook: string }
  /** The group is to replace a member. What `complete` with ABANDON is to a launch, this is to a member in service. */
  | { readonly kind: 'mark-unhealthy'; readonly instanceId: string; readonly why: string };

/** What is to be done for one slot, and how it looks. */
export interface SlotDecision {
  readonly slot: string;
  readonly owner?: string;
  readonly epoch: number;
  readonly phase: string;
  readonly reason?: string;
  /** Of its owner. */
  readonly serverType?: string;
  /** Something that takes seconds is under way: look again soon. */
  readonly moving: boolean;
  /** Served, and nothing is left to do for it. */
  readonly settled: boolean;
  /** Its launch would be given up, and is kept for a person to look at. */
  readonly kept?: KeptBecause;
  readonly actions: Action[];
}

/** Why a launch is kept: Systems Manager never reached it, or it does not get to serve. */
export type KeptBecause = 'unreachable' | 'failing';

/**
 * When something last happened to what is on its way to be served, milliseconds since 1970; undefined when nothing is.
 */
export interface LastChange {
  readonly at?: number;
  /** Of that what EC2 or a host follows within seconds. */
  readonly quickStepAt?: number;
}

/** What is to be done in this pass. */
export interface Decision {
  readonly slots: SlotDecision[];
  /** Steps that belong to instances and not to slots. */
  readonly actions: Action[];
  /** The stack is being deleted. */
  readonly released: boolean;
  /** Somebody has put the tier to sleep. */
  readonly asleep: boolean;
  /** Nobody has seeded the map yet. */
  readonly unseeded: boolean;
  /** Members in service that own no slot; undefined when the tier is to have none. */
  readonly spares?: number;
  /** Members of a type that is there for want of capacity; undefined when the tier has no such type. */
  readonly fallbacks?: number;
  /** Volumes and interfaces that EC2 would delete with an instance that has them. */
  readonly doomed: number;
  /** Slots for which even the launch that is to be kept for inspection ended, or was ended. */
  readonly endedLaunches: number;
  /** Slots that servers serve and lose again, one after the other. */
  readonly unstable: number;
  readonly lastChange: LastChange;
}
