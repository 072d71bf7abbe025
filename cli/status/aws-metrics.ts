import {
  type CloudWatchClient,
  type MetricDataQuery,
  paginateGetMetricData,
} from '@aws-sdk/client-cloudwatch';
import { METRIC_QUERIES, THROUGHPUT_SECONDS } from '../../constructs/facts/services';
import { ask } from '../preflight/aws/ask';
import { allPages } from '../preflight/aws/ec2';
import type { ThroughputLook } from './port';

const PERIOD = THROUGHPUT_SECONDS.value;

/** Figures that are asked for again only after this time: they cost money, and change slowly. */
const KEPT_MS = 60_000;

/** Periods that are looked back: the figures of the last one may not be there yet. */
const LOOKED_PERIODS = 4;

/** Names of metrics, by what the id begins with. */
const METRICS = {
  'vol-': { namespace: 'AWS/EBS', dimension: 'VolumeId', read: 'VolumeReadBytes', write: 'VolumeWriteBytes' },
  'fs-': { namespace: 'AWS/FSx', dimension: 'FileSystemId', read: 'DataReadBytes', write: 'DataWriteBytes' },
} as const;

type Figures = ReadonlyMap<string, { readonly value: number; readonly at: number }>;

/** What volumes and file systems tell CloudWatch. */
export class Throughput {
  private readonly kept = new Map<string, { readonly at: number; readonly figures: Promise<Figures> }>();

  constructor(
    private readonly client: CloudWatchClient,
    private readonly now: () => number = Date.now,
  ) {}

  async of(ids: readonly string[]): Promise<{ [id: string]: ThroughputLook }> {
    const queries = ids.flatMap((id, index) => {
      const metrics = METRICS[id.startsWith('fs-') ? 'fs-' : 'vol-'];
      return (['read', 'write'] as const).map((way) => query(`${way}${index}`, metrics, metrics[way], id));
    });
    const figures = await this.ask(`throughput ${ids.join()}`, queries);
    return Object.fromEntries(
      ids.flatMap((id, index) => {
        const [read, write] = [figures.get(`read${index}`), figures.get(`write${index}`)];
        // Either one that is missing: nothing was read, or written, in that time.
        if (!read && !write) return [];
        const perSecond = (bytes = 0) => bytes / PERIOD / 1e6;
        const newest = Math.max(read?.at ?? 0, write?.at ?? 0);
        const of = (one?: { value: number; at: number }) => (one?.at === newest ? one.value : 0);
        return [[id, { readMBps: perSecond(of(read)), writeMBps: perSecond(of(write)) }]];
      }),
    );
  }

  async freeBytes(id: string): Promise<number | undefined> {
    const figures = await this.ask(`free ${id}`, [
      query('free', METRICS['fs-'], 'FreeDataStorageCapacity', id),
    ]);
    return figures.get('free')?.value;
  }

  private ask(what: string, queries: readonly MetricDataQuery[]): Promise<Figures> {
    const kept = this.kept.get(what);
    if (kept && this.now() - kept.at < KEPT_MS) return kept.figures;
    const figures = this.figures(queries);
    this.kept.set(what, { at: this.now(), figures });
    // What failed is asked for again.
    figures.catch(() => this.kept.delete(what));
    return figures;
  }

  /** The newest figure of each metric, of a period that is over. */
  private async figures(queries: readonly MetricDataQuery[]): Promise<Figures> {
    const end = Math.floor(this.now() / 1000 / PERIOD) * PERIOD;
    const found = new Map<string, { value: number; at: number }>();
    for (let start = 0; start < queries.length; start += METRIC_QUERIES.value) {
      const input = {
        MetricDataQueries: queries.slice(start, start + METRIC_QUERIES.value),
        StartTime: new Date((end - LOOKED_PERIODS * PERIOD) * 1000),
        EndTime: new Date(end * 1000),
      };
      const results = await ask('cloudwatch:GetMetricData', () =>
        allPages(
          paginateGetMetricData({ client: this.client }, input),
          (page) => page.MetricDataResults ?? [],
        ),
      );
      for (const { Id = '', Timestamps = [], Values = [] } of results) {
        Timestamps.forEach((time, index) => {
          const at = new Date(time).getTime();
          const value = Values[index];
          if (value !== undefined && at > (found.get(Id)?.at ?? 0)) found.set(Id, { value, at });
        });
      }
    }
    return found;
  }
}

function query(
  Id: string,
  { namespace, dimension }: { readonly namespace: string; readonly dimension: string },
  MetricName: string,
  Value: string,
): MetricDataQuery {
  const Metric = { Namespace: namespace, MetricName, Dimensions: [{ Name: dimension, Value }] };
  return { Id, MetricStat: { Metric, Period: PERIOD, Stat: 'Sum' } };
}
