import type { CallFault, DeliveredEvent, InvocationFault, Service } from '../aws/call';
import type { CapacityTurn } from '../aws/ec2/capacity';
import type { Sticking } from '../aws/ec2/sticking';
import type { Ailment } from '../hosts/health';
import type { Taken } from '../hosts/way';

/** Whom a fault strikes. Chosen when the fault happens, by what is so then: ids are not known when a plan is made. */
export type Target =
  /** The instance that the map names as owner of a slot, by the slot's index. Nothing happens when it has none. */
  | { readonly owner: number }
  /** A living member of the group, oldest first, by index (modulo their number). */
  | { readonly member: number };

/** How a row is edited by hand. Each is a mistake that a person can make in the console. */
export type HandEdit =
  | 'delete-row'
  | 'delete-owner-row'
  | 'remove-owner'
  | 'owner-of-another'
  | 'unknown-owner'
  | 'lower-epoch'
  | 'raise-epoch'
  | 'not-formatted'
  | 'unreadable';

/**
 * How the row of the lease is edited by hand: another's that ends never, too late or at what is no time; or with
 * numbers that are none.
 */
export type LeaseEdit =
  | 'endless'
  | 'too-long'
  | 'ends-as-text'
  | 'wakeups-as-text'
  | 'beat-as-text'
  | 'beat-to-come';

/** In place of an operation: a transaction of DynamoDB with which a slot gets an owner. */
export const CLAIM = 'claim';

interface Timed {
  /** Milliseconds after the faults begin. */
  readonly at: number;
}

interface Lasting extends Timed {
  /** Milliseconds. */
  readonly ms: number;
}

/**
 * One discrete fault. A plan is a list of these, so that shrinking can leave out any of them and a replay is exact:
 * nothing of a fault depends on another.
 */
export type Fault =
  /**
   * The nth call (from 1, repeats of the SDK count) since the faults began: of an operation, of that of one function,
   * of any, or of `CLAIM`: the transactions that give a slot an owner.
   */
  | {
      readonly kind: 'call';
      readonly worker?: string;
      readonly operation?: string;
      readonly nth: number;
      readonly fault: CallFault;
    }
  /** The nth invocation of a function since the faults began. */
  | {
      readonly kind: 'invocation';
      readonly worker: string;
      readonly nth: number;
      readonly how: InvocationFault;
    }
  /**
   * Calls of a service are refused for a while, as when an account's token bucket is empty. `share` of 1: all of them.
   */
  | (Lasting & { readonly kind: 'throttling'; readonly service: string; readonly share: number })
  /** A service takes requests and says nothing for a while; half of them it does all the same. */
  | (Lasting & { readonly kind: 'silent-service'; readonly service: Service })
  /** The role of a function was changed, and may do nothing until that counts everywhere. */
  | (Lasting & { readonly kind: 'permissions-late'; readonly worker: string })
  /** Describes answer with what was so up to `staleness` milliseconds before. */
  | (Lasting & { readonly kind: 'stale'; readonly staleness: number })
  /**
   * The nth event since the faults began is lost, doubled or late: of Auto Scaling, a schedule, or a request of
   * CloudFormation.
   */
  | {
      readonly kind: 'event';
      readonly of: DeliveredEvent['kind'];
      readonly nth: number;
      readonly drop?: boolean;
      readonly copies?: number;
      readonly delayMs?: number;
    }
  /**
   * The clocks of functions that begin in this time are wrong, each by something of its own, at most `byMs`
   * milliseconds either way.
   */
  | (Lasting & { readonly kind: 'clocks-off'; readonly byMs: number })
  /** All events of Auto Scaling are lost for a while. The schedule goes on. */
  | (Lasting & { readonly kind: 'events-lost' })
  /** More executions of the workflow. */
  | (Timed & { readonly kind: 'second-worker'; readonly copies: number })
  /** The lease keeps nobody out for a while, as when clocks differ: all executions work at once. */
  | (Lasting & { readonly kind: 'no-lease'; readonly copies: number })
  | (Timed & { readonly kind: 'terminate'; readonly targets: readonly Target[] })
  /** With `hangMs` it is in stopping for so much longer: it may write all that time. */
  | (Timed & { readonly kind: 'stop'; readonly target: Target; readonly hangMs?: number })
  /** Stopped, and started again by somebody after `ms`. */
  | (Lasting & { readonly kind: 'stop-start'; readonly target: Target })
  /** Terminated, and in shutting-down for `ms`: it may write all that time. */
  | (Lasting & { readonly kind: 'hang'; readonly target: Target })
  /** With `hangMs` it is in shutting-down for so much longer when its group, which has noticed, terminates it. */
  | (Timed & { readonly kind: 'status-check'; readonly target: Target; readonly hangMs?: number })
  /** Its health in the group is set to what is not so. */
  | (Timed & { readonly kind: 'health-lie'; readonly target: Target; readonly says: 'Healthy' | 'Unhealthy' })
  /** Taken out of the group; it runs on. */
  | (Timed & { readonly kind: 'out-of-group'; readonly target: Target })
  /** The next change of an attachment of a volume, or of the interface, takes `ms`. */
  | (Lasting & {
      readonly kind: 'stuck-attachment';
      readonly slot: number;
      readonly volume: number;
      readonly state: Sticking;
    })
  | (Lasting & { readonly kind: 'stuck-interface'; readonly slot: number; readonly state: Sticking })
  | (Timed & { readonly kind: 'detach-by-hand'; readonly slot: number; readonly volume: number })
  | (Timed & { readonly kind: 'interface-by-hand'; readonly slot: number })
  /** A volume is detached by hand and attached to another member. */
  | (Timed & {
      readonly kind: 'moved-by-hand';
      readonly slot: number;
      readonly volume: number;
      readonly target: Target;
    })
  /** Somebody has what the owner of a slot has deleted with it: its volumes, its interface, or both. */
  | (Timed & {
      readonly kind: 'not-kept';
      readonly slot: number;
      readonly what: 'volumes' | 'interface' | 'both';
    })
  /** A host finds a volume blank that is not: its first sectors were overwritten. */
  | (Timed & { readonly kind: 'looks-blank'; readonly slot: number; readonly volume: number })
  /**
   * The file system of a volume has recorded errors: it has to be repaired before it is mounted again, which takes so
   * long.
   */
  | (Timed & {
      readonly kind: 'damaged';
      readonly slot: number;
      readonly volume: number;
      readonly repairMs: number;
    })
  /**
   * The file system of a volume has damage that e2fsck -p leaves to a person, and that is repaired after a snapshot:
   * each time e2fsck takes so long. So many snapshots of the volume fail first.
   */
  | (Timed & {
      readonly kind: 'orphans';
      readonly slot: number;
      readonly volume: number;
      readonly repairMs: number;
      readonly failing: number;
    })
  /**
   * Writes to a volume took long when its server was lost: multiple-mount protection has noted the interval, and keeps
   * whoever mounts it next waiting for the longer (2 x min(2 c + 1, c + 60) s).
   */
  | (Timed & {
      readonly kind: 'slow-volume';
      readonly slot: number;
      readonly volume: number;
      readonly intervalSeconds: number;
    })
  | (Lasting & { readonly kind: 'no-capacity' })
  /**
   * Capacity comes and goes, for as long as the run goes on: in each turn some of what a launch may try has it, and at
   * least one does. Nobody waits for the end: a lost slot is served all the same.
   */
  | (Timed & { readonly kind: 'some-capacity'; readonly turns: readonly CapacityTurn[] })
  /**
   * Whoever is the first to wait in a lifecycle hook within this time waits no longer: its heartbeat time-out is over
   * then.
   */
  | (Lasting & { readonly kind: 'hook-times-out' })
  /** The next `times` calls of the host's program end with this code, on whichever host is told. */
  | (Timed & { readonly kind: 'host-fails'; readonly exitCode: number; readonly times: number })
  /** A host does not answer for a while: its program hangs. */
  | (Lasting & { readonly kind: 'host-hangs'; readonly target: Target })
  /** The agent of Systems Manager on a host is gone for a while. */
  | (Lasting & { readonly kind: 'agent-gone'; readonly target: Target })
  /** The service of a host stops by itself; the map and the group notice nothing. */
  | (Timed & { readonly kind: 'service-fails'; readonly target: Target; readonly how: Ailment })
  /** All services stop at once, for a cause that is not theirs, and go on when it is over. */
  | (Lasting & { readonly kind: 'services-fail' })
  /**
   * A network manager of a host, or whoever renews its leases, takes the routes or the address of the slot away: once,
   * or again for `ms` each time that they are set up.
   */
  | (Lasting & { readonly kind: 'network-manager'; readonly target: Target; readonly takes: Taken })
  /** The slot's interface of a host has no carrier. */
  | (Lasting & { readonly kind: 'carrier-lost'; readonly target: Target })
  /** A packet filter on a host lets no client through: for a while, or until somebody takes it away. */
  | (Timed & { readonly kind: 'packet-filter'; readonly target: Target; readonly ms?: number })
  /**
   * Packages are upgraded on one host, or on all at the same time: services start again, the agent, too, and perhaps
   * the network manager, which takes the routes away.
   */
  | (Lasting & { readonly kind: 'upgrade'; readonly target: Target | 'all'; readonly takesRoutes: boolean })
  /** The health probe on a host says what is not so. */
  | (Lasting & { readonly kind: 'probe-lies'; readonly target: Target; readonly says: 'serves' | 'fails' })
  /** The way to all agents of Systems Manager is lost. */
  | (Lasting & { readonly kind: 'path-lost' })
  /**
   * The system status check fails until AWS has mended the machine, or the group replaces the instance: whichever comes
   * first.
   */
  | (Lasting & { readonly kind: 'system-check'; readonly target: Target })
  /** The operating system of a host starts anew. */
  | (Timed & { readonly kind: 'reboot'; readonly target: Target })
  /**
   * Its root volume is replaced by a new one while it runs: the host starts anew and knows nothing, and EC2 shows it as
   * it was.
   */
  | (Timed & { readonly kind: 'root-replaced'; readonly target: Target })
  /**
   * An update of the stack that changes nothing of the slots, adds a slot, or names another map, which is refused; any
   * of them may be rolled back.
   */
  | (Timed & {
      readonly kind: 'deploy';
      readonly change: 'same' | 'grow' | 'another-map';
      /** Milliseconds until the update is cancelled and undone, if it goes on by then. */
      readonly rollBackAfterMs?: number;
    })
  /** The deployment is stopped, and started again after `ms`, whether or not it sleeps by then. */
  | (Lasting & { readonly kind: 'sleep' })
  | (Timed & { readonly kind: 'instance-refresh'; readonly launchFirst: boolean })
  /**
   * Somebody writes the row of the lease by hand: what is no lease keeps nobody out, and nobody has to put it right.
   */
  | (Timed & { readonly kind: 'lease-by-hand'; readonly edit: LeaseEdit })
  | (Timed & { readonly kind: 'edit'; readonly slot: number; readonly edit: HandEdit });

export type FaultKind = Fault['kind'];

/** Kinds after which, by design, a slot may wait for a person (see `person.ts`). */
export const NEEDS_PERSON: readonly FaultKind[] = [
  'edit',
  'detach-by-hand',
  'moved-by-hand',
  'out-of-group',
  'looks-blank',
];

/**
 * When a fault is over, milliseconds after the faults began; 0 for one that strikes a call or an event by its number.
 */
export function endOf(fault: Fault): number {
  if (!('at' in fault)) return 0;
  // Of what is left where it was nobody waits for the end.
  if ('state' in fault && fault.state === 'attached') return fault.at;
  const hangMs = 'hangMs' in fault ? (fault.hangMs ?? 0) : 0;
  return fault.at + ('ms' in fault ? (fault.ms ?? 0) : hangMs);
}

/** The kind in the summary: calls are told apart by what happens to them. */
export function labelOf(fault: Fault): string {
  if (fault.kind === 'call') return `call ${fault.fault.kind}`;
  if (fault.kind === 'event')
    return (
      `${fault.of === 'autoscaling' ? 'event' : fault.of} ` +
      `${fault.drop ? 'lost' : fault.copies ? 'doubled' : 'late'}`
    );
  if (fault.kind === 'invocation') return `invocation ${fault.how}`;
  if (fault.kind === 'deploy')
    return `deploy ${fault.change}${fault.rollBackAfterMs === undefined ? '' : ', rolled back'}`;
  if (fault.kind === 'edit') return `edit ${fault.edit}`;
  return fault.kind;
}
