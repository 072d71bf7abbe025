import { run } from '../../../lambda/node-health/handler';
import type { Answer, CleanUp } from '../../../lambda/node-health/ports';
import type { SentCommand } from '../../../lambda/node-health/remembered-hosts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;
const SETTINGS = {
  grid: 'stack/Grid',
  servers: { filter: 'instance-id', values: ['i-0', 'i-1', 'i-2'] },
  intervalSeconds: 300,
  cleanUpSeconds: 3600,
};

const healthy: Answer = { is: 'healthy', name: 'node1', usedPercent: 12, reasons: [] };
const says = (is: 'unhealthy' | 'unsure', ...codes: string[]): Answer => ({
  is,
  name: 'node2',
  reasons: codes.map((code) => ({ code, text: `${code} is bad` })),
});

/** Servers that run for an hour, unless it says otherwise, and what they said. */
interface World {
  readonly answers?: { readonly [id: string]: Answer };
  readonly running?: { readonly [id: string]: number };
  readonly sent?: SentCommand[];
  readonly cleanUpsSent?: SentCommand[];
  readonly results?: CleanUp[] | Error;
}

/** Notes what a call was given, and answers. */
function noted<T, R>(list: T[], given: T, answer: R): R {
  list.push(given);
  return answer;
}

async function round(world: World, settings: object = {}) {
  const metrics: { [name: string]: number }[] = [];
  const lines: [string, Record<string, unknown> | undefined][] = [];
  const asked: string[][] = [];
  const cleaned: string[][] = [];
  const running = world.running ?? { 'i-0': 60, 'i-1': 60, 'i-2': 60 };
  const since: number[] = [];
  const result = await run(
    {
      log: {
        info: (message, fields) => void lines.push([message, fields]),
        error: (message, fields) => void lines.push([message, fields]),
        metrics: (grid, values) => {
          expect(grid).toBe('stack/Grid');
          metrics.push(values);
        },
      },
      now: () => NOW,
      servers: {
        running: async () =>
          new Map(Object.entries(running).map(([id, minutes]) => [id, NOW - minutes * MINUTE])),
      },
      health: {
        sent: async (from) => noted(since, from, world.sent ?? [{ id: 'c', sentAt: NOW - 5 * MINUTE }]),
        answers: async () => new Map(Object.entries(world.answers ?? {})),
        ask: async (ids) => noted(asked, [...ids], ['next']),
      },
      cleanUp: {
        sent: async (from) => noted(since, from, world.cleanUpsSent ?? []),
        results: async () => {
          if (world.results instanceof Error) throw world.results;
          return world.results ?? [];
        },
        ask: async (ids) => noted(cleaned, [...ids], ['clean']),
      },
    },
    { ...SETTINGS, ...settings },
  );
  return { result, metrics: metrics[0], lines, asked, cleaned, since };
}

test('servers that are all well are counted as nothing, and asked again', async () => {
  const { metrics, asked } = await round({ answers: { 'i-0': healthy, 'i-1': healthy, 'i-2': healthy } });
  expect(metrics).toEqual({ UnhealthyNodes: 0, SilentNodes: 0, NodesCutOff: 0, ScratchUsedPercent: 12 });
  expect(asked).toEqual([['i-0', 'i-1', 'i-2']]);
});

test('an unhealthy one is counted and told with its reasons; of the scratch the fullest counts', async () => {
  const full: Answer = {
    is: 'unhealthy',
    name: 'node2',
    usedPercent: 97,
    reasons: [{ code: 'scratch-full', text: '/saswork is 97 % full' }],
  };
  const { metrics, result } = await round({ answers: { 'i-0': healthy, 'i-1': full, 'i-2': healthy } });
  expect(metrics).toMatchObject({ UnhealthyNodes: 1, NodesCutOff: 0, ScratchUsedPercent: 97 });
  expect(result.unhealthy).toEqual([
    { instanceId: 'i-1', name: 'node2', why: 'scratch-full: /saswork is 97 % full' },
  ]);
});

test('a file server that cannot be reached has a count of its own', async () => {
  const answers = {
    'i-0': healthy,
    'i-1': says('unhealthy', 'unreachable'),
    'i-2': says('unhealthy', 'unreachable', 'mount'),
  };
  expect((await round({ answers })).metrics).toMatchObject({ UnhealthyNodes: 1, NodesCutOff: 2 });
});

test('a server that cannot tell counts for nothing, and is named', async () => {
  const { metrics, result } = await round({
    answers: { 'i-0': healthy, 'i-1': says('unsure', 'mount', 'unreachable'), 'i-2': healthy },
  });
  expect(metrics).toMatchObject({ UnhealthyNodes: 0, SilentNodes: 0, NodesCutOff: 0 });
  expect(result.unsure.map(({ instanceId }) => instanceId)).toEqual(['i-1']);
});

test('one that runs without an answer is silent, unless it has just started; a stopped one is all right', async () => {
  const { metrics, asked } = await round({
    answers: { 'i-0': healthy, 'i-1': { is: 'silent', why: 'the question is ExecutionTimedOut' } },
    running: { 'i-0': 60, 'i-1': 60, 'i-2': 19 },
  });
  expect(metrics).toMatchObject({ UnhealthyNodes: 0, SilentNodes: 1 });
  expect(asked).toEqual([['i-0', 'i-1', 'i-2']]);
  const night = await round({ running: {} });
  expect(night.metrics).toEqual({ UnhealthyNodes: 0, SilentNodes: 0, NodesCutOff: 0 });
  expect(night.cleaned).toEqual([]);
});

test('all are silent when no question could be sent', async () => {
  expect((await round({ sent: [] })).metrics).toMatchObject({ SilentNodes: 3 });
});

test('a second event for the same round does nothing', async () => {
  const { result, metrics, asked } = await round({ sent: [{ id: 'c', sentAt: NOW - 40_000 }] });
  expect(result.outcome).toBe('too-early');
  expect([metrics, asked]).toEqual([undefined, []]);
});

describe('the clean-up', () => {
  test('begins when there was none for an hour, on the servers that run', async () => {
    const { cleaned, since } = await round({ running: { 'i-1': 60 } });
    expect(cleaned).toEqual([['i-1']]);
    expect(since).toEqual([NOW - 7.5 * MINUTE, NOW - 57.5 * MINUTE]);
    expect((await round({ cleanUpsSent: [{ id: 'c', sentAt: NOW - 50 * MINUTE }] })).cleaned).toEqual([]);
    expect((await round({}, { cleanUpSeconds: undefined })).cleaned).toEqual([]);
  });

  test('says what it removed and where it failed, once', async () => {
    const results = [
      { instanceId: 'i-0', done: true, said: '0 removed, 3 kept, 0 failed' },
      { instanceId: 'i-1', done: true, said: '1 removed, 0 kept, 0 failed\nremoved /saswork/x' },
      { instanceId: 'i-2', done: false, said: '0 removed, 0 kept, 1 failed' },
    ];
    const told = async (minutes: number) => {
      const { lines } = await round({
        results,
        cleanUpsSent: [{ id: 'c', sentAt: NOW - minutes * MINUTE }],
      });
      return lines.filter(([message]) => message === 'clean-up').map(([, fields]) => fields!.instanceId);
    };
    expect(await told(5)).toEqual(['i-1', 'i-2']);
    expect(await told(10)).toEqual([]);
  });

  test('that fails leaves the round as it is', async () => {
    const { metrics, lines } = await round({
      results: new Error('throttled'),
      cleanUpsSent: [{ id: 'c', sentAt: NOW - 5 * MINUTE }],
    });
    expect(metrics).toMatchObject({ SilentNodes: 3 });
    expect(lines.at(-1)![1]).toMatchObject({ error: 'Error: throttled' });
  });
});
