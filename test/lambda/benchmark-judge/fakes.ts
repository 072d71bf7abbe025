import type { Ports, StoredText } from '../../../lambda/benchmark-judge/ports';
import type { RunRecord } from '../../../lambda/shared/benchmark/plan';
import type { HistoryEntry } from '../../../lambda/shared/benchmark/result';
import { sampleResult } from './report-samples';

/** A world of the judge's function in memory, whose calls can be made to fail. */

export const RUN_KEY = 'runs/20261122T101500Z-4f1c/run.json';
export const LAST_MODIFIED = '2026-11-22T12:02:41.000Z';

export function sampleRun(overrides: Partial<RunRecord> = {}): RunRecord {
  const result = sampleResult({ hosts: 2 });
  return {
    format: 1,
    runId: result.runId,
    benchmark: result.benchmark,
    packageVersion: '0.1.0',
    startedAt: result.startedAt,
    cause: 'deployment',
    hosts: result.hosts,
    tests: [
      {
        id: '1-sas-io',
        test: 'sas-io',
        document: 'doc',
        parameters: {},
        waves: [['i-1', 'i-2']],
        timeoutSeconds: 60,
      },
    ],
    estimate: result.estimate,
    outcomes: {
      '1-sas-io': [
        { instanceId: 'i-1', status: 'done', outputKey: 'runs/x/outputs/i-1' },
        { instanceId: 'i-2', status: 'refused', reason: 'no room', output: 'inline of i-2' },
      ],
    },
    ...overrides,
  };
}

export type Failing =
  | 'read'
  | 'before'
  | 'write result'
  | 'write report'
  | 'put'
  | 'publish'
  | 'report'
  | 'judge';

export class World {
  readonly objects = new Map<string, Partial<StoredText> & { text: string; type?: string }>();
  readonly items = new Map<string, HistoryEntry>();
  readonly told: { subject: string; message: string }[] = [];
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly slept: number[] = [];
  readonly judged: Parameters<Ports['judge']>[] = [];
  readonly failing = new Set<Failing>();
  /** Called before each read of an object. */
  onRead: (key: string) => void = () => {};
  underWay = 0;
  mostUnderWay = 0;

  constructor(run: RunRecord = sampleRun()) {
    this.objects.set(RUN_KEY, { text: JSON.stringify(run), lastModified: LAST_MODIFIED });
    this.objects.set('runs/x/outputs/i-1', { text: 'output of i-1' });
  }

  readonly ports: Ports = {
    clock: {
      now: () => Date.parse('2027-01-01T00:00:00Z'),
      sleep: async (milliseconds) => {
        this.slept.push(milliseconds);
      },
    },
    log: {
      info: () => {},
      error: (message) => this.errors.push(message),
      metrics: () => {},
    },
    print: (line) => this.lines.push(line),
    bucket: {
      read: async (key) => {
        this.underWay += 1;
        this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
        await new Promise(setImmediate);
        this.underWay -= 1;
        this.onRead(key);
        if (key !== RUN_KEY) this.fail('read');
        const object = this.objects.get(key);
        return object && { bytes: object.text.length, cutOff: false, ...object };
      },
      write: async (key, text, type) => {
        this.fail(key.endsWith('result.json') ? 'write result' : 'write report');
        this.objects.set(key, { text, type });
      },
    },
    history: {
      before: async (_benchmark, runId, limit) => {
        this.fail('before');
        return [...this.items.values()].filter((entry) => entry.runId < runId).slice(-limit);
      },
      put: async (entry) => {
        this.fail('put');
        this.items.set(entry.runId, entry);
      },
    },
    topic: {
      publish: async (subject, message) => {
        this.fail('publish');
        this.told.push({ subject, message });
      },
    },
    judge: (...given) => {
      this.fail('judge');
      this.judged.push(given);
      const [run, , history, endedAt] = given;
      const { hosts, ...result } = sampleResult(
        { hosts: 2 },
        { runId: run.runId, endedAt, history: [...history] },
      );
      return { ...result, hosts };
    },
    report: (result) => {
      this.fail('report');
      return `<p>report of ${result.runId}</p>`;
    },
  };

  private fail(what: Failing): void {
    if (this.failing.has(what)) throw Object.assign(new Error(`${what} failed`), { name: 'Broken' });
  }
}
