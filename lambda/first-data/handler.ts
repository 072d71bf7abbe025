import { type AnswerPort, addressOf, answer } from '../shared/answer';
import { describeError, type Log } from '../shared/log';
import { untilPermitted } from '../shared/permitted';
import type { Timer } from '../shared/timer';

/** What an alarm watches. */
export interface WatchedMetric {
  readonly name: string;
  readonly dimensions: { readonly [name: string]: string };
}

export interface MetricsPort {
  /** Whether CloudWatch has any data of the last day. */
  hasData(metric: WatchedMetric): Promise<boolean>;
  /** A data point of now, with the value 0. */
  put(metric: WatchedMetric): Promise<void>;
}

export interface Ports {
  readonly metrics: MetricsPort;
  readonly answers: AnswerPort;
  readonly log: Log;
  readonly timer: Timer;
}

/** What the function did, for its log. */
export interface Handled {
  readonly did: 'answered' | 'ignored';
  readonly status?: 'SUCCESS' | 'FAILED';
}

/** How long a data point may take to show; CloudWatch says minutes at most. */
const SHOWS_MS = 90_000;

const LOOK_MS = 5_000;

/**
 * Before there is an alarm that rings when nobody measures, its metric gets a first data point: until whoever measures
 * has had a first turn, nothing is wrong. It counts as long as any other one, so that an alarm rings all the same when
 * nobody ever comes. No deployment fails for it. A metric that has data is left as it is.
 */
export async function handle(event: unknown, ports: Ports): Promise<Handled> {
  const address = addressOf(event);
  if (typeof address === 'string') {
    ports.log.error('event ignored', { reason: address });
    return { did: 'ignored' };
  }
  const { RequestType, ResourceProperties } = event as Record<string, unknown>;
  if (RequestType === 'Delete') return answer(address, true, 'nothing is to be deleted', ports);
  try {
    const metric = metricOf(ResourceProperties);
    await untilPermitted(() => begin(metric, ports), ports.timer, ports.log);
  } catch (error) {
    ports.log.error('no first data point', { error: describeError(error) });
  }
  return answer(address, true, 'the alarm can be made', ports);
}

async function begin(metric: WatchedMetric, { metrics, timer, log }: Ports): Promise<void> {
  if (await metrics.hasData(metric)) return;
  await metrics.put(metric);
  const end = timer.now() + SHOWS_MS;
  while (!(await metrics.hasData(metric))) {
    if (timer.now() >= end) return log.error('the data point does not show', { metric });
    await timer.sleep(LOOK_MS);
  }
}

function metricOf(properties: unknown): WatchedMetric {
  const { MetricName: name, Dimensions: dimensions } = (properties ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof dimensions !== 'object' || dimensions === null)
    throw new Error('the request has no MetricName and Dimensions');
  return { name, dimensions: dimensions as WatchedMetric['dimensions'] };
}
