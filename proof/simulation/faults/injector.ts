import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import type { Call, CallFault, DeliveredEvent, Faults, InvocationFault } from '../aws/call';
import { Random } from '../core/random';
import { CLAIM, type Fault, labelOf } from './kinds';

type CallStrike = Extract<Fault, { kind: 'call' }>;
type Window<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

/** Calls that only look. DynamoDB's and Systems Manager's are not meant: their staleness has its own rules. */
const DESCRIBES = /^Describe/;

/**
 * The faults of a plan that strike calls and events. It counts both from the moment it is armed and has no other
 * memory, so that the same plan strikes the same calls again.
 */
export class Injector implements Faults {
  /** How often each kind of fault struck, by label. */
  readonly injected = new Map<string, number>();
  private readonly strikes = new Map<string, CallFault>();
  private readonly windows: {
    readonly [K in
      | 'throttling'
      | 'silent-service'
      | 'stale'
      | 'events-lost'
      | 'clocks-off'
      | 'permissions-late']: Window<K>[];
  };
  private readonly events: Extract<Fault, { kind: 'event' }>[];
  private readonly invocations: Extract<Fault, { kind: 'invocation' }>[];
  private readonly counts = new Map<string, number>();
  private readonly random: Random;
  private armedAt: number | undefined;
  private over = false;

  constructor(faults: readonly Fault[], seed: number) {
    this.random = new Random(seed).fork('injector');
    const of = <K extends Fault['kind']>(kind: K) =>
      faults.filter((fault): fault is Window<K> => fault.kind === kind);
    for (const strike of of('call')) this.strikes.set(key(strike), strike.fault);
    this.windows = {
      throttling: of('throttling'),
      'silent-service': of('silent-service'),
      stale: of('stale'),
      'events-lost': of('events-lost'),
      'clocks-off': of('clocks-off'),
      // Two that follow each other would be one that takes longer than it does on AWS.
      'permissions-late': of('permissions-late').slice(0, 1),
    };
    this.events = of('event');
    this.invocations = of('invocation');
  }

  /** The oldest answer that a describe may give that is sent then, milliseconds. */
  oldestAnswerMs(sentAt: number): number {
    if (this.armedAt === undefined || this.over) return 0;
    const open = this.windows.stale.filter((each) => this.within(each, sentAt));
    return Math.max(0, ...open.map(({ staleness }) => staleness));
  }

  /** From now on faults strike; `now` is the zero of their times. */
  arm(now: number): void {
    this.armedAt = now;
  }

  /** From now on nothing goes wrong any more. */
  disarm(): void {
    this.over = true;
  }

  note(label: string): void {
    this.injected.set(label, (this.injected.get(label) ?? 0) + 1);
  }

  onCall(call: Call): CallFault | undefined {
    if (this.armedAt === undefined || this.over) return undefined;
    const fault = this.strikes.get(`${call.operation} ${this.count(call.operation)}`);
    const worker = call.worker.slice(0, call.worker.indexOf('/'));
    const own = `${worker} ${call.operation}`;
    const aimed = this.strikes.get(`${own} ${this.count(own)}`);
    const claim = isClaim(call) ? this.strikes.get(`${CLAIM} ${this.count(CLAIM)}`) : undefined;
    const any = this.strikes.get(`* ${this.count('*')}`);
    const struck = claim ?? aimed ?? fault ?? any;
    if (struck) {
      this.note(`call ${struck.kind}`);
      return struck;
    }
    const isDenied = (each: Window<'permissions-late'>) =>
      each.worker === worker && this.within(each, call.at);
    // CloudFormation's answer is put to an address that it signed itself.
    if (call.operation !== 'PutAnswer' && this.windows['permissions-late'].some(isDenied)) {
      this.note('permissions-late');
      return { kind: 'denied' };
    }
    if (
      this.windows['silent-service'].some(
        (each) => each.service === call.service && this.within(each, call.at),
      )
    ) {
      this.note('silent-service');
      return {
        kind: this.random.fork(`silent ${call.index}`).chance(0.5) ? 'timeout-before' : 'timeout-after',
      };
    }
    for (const window of this.windows.throttling) {
      if (window.service !== call.service || !this.within(window, call.at)) continue;
      // Of its own number, so that the answer does not depend on which windows there are.
      if (this.random.fork(`throttle ${call.index}`).next() < window.share) {
        this.note('throttling');
        return { kind: 'throttle' };
      }
    }
    return undefined;
  }

  staleness(call: Call): number {
    if (this.armedAt === undefined || this.over || !DESCRIBES.test(call.operation)) return 0;
    const window = this.windows.stale.find((each) => this.within(each, call.at));
    if (window === undefined) return 0;
    this.note('stale');
    // Each answer comes from a replica of its own, some of which are up to date.
    const draw = this.random.fork(`stale ${call.index}`).next();
    return draw < 0.3 ? 0 : Math.floor(Math.min(1, 1.6 * (draw - 0.3)) * window.staleness);
  }

  /** Half of the answers show every resource as it was at a time of its own. */
  apart(call: Call): ((id: string) => number) | undefined {
    const random = this.random.fork(`apart ${call.index}`);
    if (random.chance(0.5)) return undefined;
    const shares = new Map<string, number>();
    return (id) => {
      const share = shares.get(id) ?? random.next();
      shares.set(id, share);
      return share;
    };
  }

  onEvent(event: Pick<DeliveredEvent, 'kind' | 'at'>): {
    drop?: boolean;
    copies?: number;
    delayMs?: number;
  } {
    if (this.armedAt === undefined || this.over) return {};
    const nth = this.count(`event of ${event.kind}`);
    const strike = this.events.find((each) => each.of === event.kind && each.nth === nth);
    if (strike) {
      this.note(labelOf(strike));
      return { drop: strike.drop, copies: strike.copies, delayMs: strike.delayMs };
    }
    if (
      event.kind === 'autoscaling' &&
      this.windows['events-lost'].some((window) => this.within(window, event.at))
    ) {
      this.note('events-lost');
      return { drop: true };
    }
    return {};
  }

  clockError(worker: string, now: number): number {
    if (this.armedAt === undefined || this.over) return 0;
    const window = this.windows['clocks-off'].find((each) => this.within(each, now));
    if (window === undefined) return 0;
    this.note('clocks-off');
    return Math.round((2 * this.random.fork(`clock ${worker}`).next() - 1) * window.byMs);
  }

  onInvocation(worker: string): InvocationFault | undefined {
    if (this.armedAt === undefined || this.over || this.invocations.length === 0) return undefined;
    const nth = this.count(`invocation of ${worker}`);
    const strike = this.invocations.find((each) => each.worker === worker && each.nth === nth);
    if (strike !== undefined) this.note(labelOf(strike));
    return strike?.how;
  }

  private within(window: { readonly at: number; readonly ms: number }, now: number): boolean {
    const since = now - this.armedAt!;
    return since >= window.at && since < window.at + window.ms;
  }

  private count(name: string): number {
    const next = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, next);
    return next;
  }
}

const key = ({ worker, operation, nth }: CallStrike): string =>
  `${worker === undefined ? '' : `${worker} `}${operation ?? '*'} ${nth}`;

/** Of all transactions only a claim puts an owner's row. */
function isClaim({ operation, input }: Call): boolean {
  if (operation !== 'TransactWriteItems') return false;
  const { TransactItems = [] } = input as TransactWriteItemsCommandInput;
  return TransactItems.some(({ Put }) => Put?.Item?.item?.S?.startsWith('owner#'));
}
