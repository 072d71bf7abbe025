import type { DeliveredEvent } from './call';
import { type Context, Durations, Ids } from './context';
import type { EventRule } from './deployment';
import { SimulationError } from './errors';

/** An event on the bus. */
export interface BusEvent {
  readonly source: 'aws.autoscaling';
  readonly 'detail-type': string;
  readonly id: string;
  readonly time: string;
  readonly detail: object;
}

/** Later copies of an event come so much after each other. */
const BETWEEN_COPIES_MS = 400;

/**
 * EventBridge's default bus and the tier's rules: at least once, in any order (EventBridge user guide, "Event bus
 * concepts": delivery is at least once, and events may arrive out of order).
 */
export class SimulatedEventBridge {
  private readonly durations: Durations;
  private readonly ids = new Ids();
  private gone = false;

  constructor(
    private readonly context: Context,
    private readonly rules: readonly EventRule[],
    /** Starts the workflow, which is every rule's target. */
    private readonly start: (input: unknown) => void,
  ) {
    this.durations = new Durations(context, 'events');
  }

  /** A service says what happened. */
  emit(detailType: string, detail: object): void {
    const id = this.ids.uuid();
    const at = this.context.scheduler.now();
    const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
    const event: BusEvent = { source: 'aws.autoscaling', 'detail-type': detailType, id, time, detail };
    for (const rule of this.rules) {
      if (!rule.detailTypes.includes(detailType)) continue;
      this.deliver({ kind: 'autoscaling', detailType, id, at }, () => this.start(inputOf(rule, event)));
    }
  }

  /** The rules are deleted: from now on nothing starts anything. */
  deleteRules(): void {
    this.gone = true;
  }

  /** The schedules begin, as soon as the rules are there. */
  startSchedules(): void {
    for (const rule of this.rules) {
      if (rule.everySeconds === undefined) continue;
      this.schedule(rule.everySeconds, () => this.start(JSON.parse(rule.template)));
    }
  }

  /** Something that a schedule begins again and again. */
  schedule(everySeconds: number, what: () => void): void {
    const tick = (): void => {
      if (this.gone) return;
      const at = this.context.scheduler.now();
      const event: DeliveredEvent = {
        kind: 'schedule',
        detailType: 'Scheduled Event',
        id: this.ids.uuid(),
        at,
      };
      this.deliver(event, what);
      this.context.scheduler.after(everySeconds * 1000, tick, 'schedule');
    };
    this.context.scheduler.after(everySeconds * 1000, tick, 'schedule');
  }

  private deliver(event: DeliveredEvent, what: () => void): void {
    if (this.gone) return;
    const fault = this.context.faults.onEvent(event);
    if (fault?.drop) return;
    const copies = fault?.copies ?? 1;
    for (let copy = 0; copy < copies; copy++) {
      const ms =
        this.durations.of((timings) => timings.event) + (fault?.delayMs ?? 0) + copy * BETWEEN_COPIES_MS;
      this.context.scheduler.after(ms, what, event.detailType);
    }
  }
}

/** The input that the rule's transformer makes of an event (EventBridge user guide, "Input transformation"). */
function inputOf(rule: EventRule, event: BusEvent): unknown {
  const text = rule.template.replace(/<([A-Za-z0-9-]+)>/g, (_, placeholder: string) => {
    const path = rule.paths[placeholder];
    if (path === undefined) throw new SimulationError(`the rule's placeholder ${placeholder} has no path`);
    let value: unknown = event;
    for (const name of path.split('.').slice(1))
      value = (value as { [name: string]: unknown } | undefined)?.[name];
    return JSON.stringify(value ?? null);
  });
  return JSON.parse(text);
}
