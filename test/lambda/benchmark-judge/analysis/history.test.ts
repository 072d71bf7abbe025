import { configurationOf, KEPT_RUNS } from '../../../../lambda/benchmark-judge/analysis';
import { earlierRuns, previousOf, regressionsOf } from '../../../../lambda/benchmark-judge/analysis/history';
import { historyEntryOf } from '../../../../lambda/benchmark-judge/history';
import type { Figure, HistoryEntry } from '../../../../lambda/shared/benchmark/result';
import { figureKey } from '../../../../lambda/shared/benchmark/words';
import * as samples from '../samples';

const { run } = samples.lustreSample();
const entry = (runId: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  benchmark: 'grid',
  runId,
  startedAt: '2026-11-01T00:00:00Z',
  verdict: 'passed',
  packageVersion: '0.1.0',
  MBps: {},
  MBpsPerCore: {},
  configuration: configurationOf(run),
  ...more,
});

describe('what was measured', () => {
  const changed = (change: Partial<typeof run>) => configurationOf({ ...run, ...change });

  test('replaced hosts of the same types are the same', () => {
    const replaced = run.hosts.map((host, index) => ({
      ...host,
      instanceId: `i-${index}`,
      privateIp: `10.9.9.${index}`,
      name: `other-${index}`,
    }));
    expect(
      changed({
        hosts: replaced,
        runId: 'later',
        startedAt: 'later',
        cause: 'schedule',
        packageVersion: '9',
      }),
    ).toBe(configurationOf(run));
  });

  test('other addresses of clients and peers are the same', () => {
    const tests = run.tests.map((test) => ({
      ...test,
      parameters: { ...test.parameters, Peers: '10.9.9.9' },
    }));
    expect(changed({ tests: tests.filter(({ id }) => id === '3-network') })).toBe(
      changed({ tests: run.tests.filter(({ id }) => id === '3-network') }),
    );
  });

  test.each([
    ['other types', { hosts: run.hosts.map((host) => ({ ...host, instanceType: 'r5b.4xlarge' })) }],
    [
      'more servers',
      {
        tests: run.tests.map((test) => ({
          ...test,
          path: test.path && { ...test.path, storage: { ...test.path.storage!, servers: 6 } },
        })),
      },
    ],
    [
      'smaller files',
      { tests: run.tests.map((test) => ({ ...test, parameters: { ...test.parameters, FileMiB: '64' } })) },
    ],
    [
      'hosts one after the other',
      { tests: run.tests.map((test) => ({ ...test, waves: test.waves.flat().map((host) => [host]) })) },
    ],
  ])('%s are something else', (_, change) => {
    expect(changed(change)).not.toBe(configurationOf(run));
  });
});

describe('the table of the history', () => {
  const result = samples.judge(samples.lustreSample());

  test('has the figures by test, directory and phase; of several waves the lowest per core', () => {
    const kept = historyEntryOf({ ...result, configuration: 'c' }, 'r.json', 'r.html');
    expect(Object.keys(kept.MBps)).toEqual([
      'sas-io|/saswork|write',
      'sas-io|/saswork|read',
      'sas-io|/sasdata|write',
      'sas-io|/sasdata|read',
      'network||tcp',
    ]);
    expect(kept).toMatchObject({
      runId: result.runId,
      verdict: 'failed',
      configuration: 'c',
      resultKey: 'r.json',
    });
    const [first, second] = result.figures as [Figure, Figure];
    const waves = [{ ...first, MBps: 7, MBpsPerCore: 1 }, first, second];
    expect(historyEntryOf({ ...result, figures: waves }, '', '').MBps[figureKey(first)]).toBe(7);
  });

  test('does not keep what fewer hosts did', () => {
    const kept = historyEntryOf(samples.judge(samples.hostLostSample()), '', '');
    expect(Object.keys(kept.MBps)).not.toContain('sas-io|/sasdata|write');
  });

  test('is read from the oldest to the newest, without other benchmarks and later runs, at most what is kept', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      entry(`20261001T0000${String(index).padStart(2, '0')}Z`),
    );
    const found = earlierRuns(run, [
      ...many.reverse(),
      entry('20270101T000000Z'),
      entry('20261002T000000Z', { benchmark: 'other' }),
    ]);
    expect(found).toHaveLength(KEPT_RUNS);
    expect(found.at(-1)!.runId).toBe('20261001T000059Z');
    expect(found[0]!.runId).toBe('20261001T000010Z');
  });
});

describe('comparison with the last run', () => {
  const key = 'sas-io|/sasdata|write';
  const compared = (history: HistoryEntry[]) =>
    samples.judge({ ...samples.lustreSample(), history }).figures.find((figure) => figureKey(figure) === key)!
      .previous;

  test('the last one of the same configuration that has the figure', () => {
    const history = [
      entry('20261001T000000Z', { MBps: { [key]: 2000 } }),
      entry('20261002T000000Z', { MBps: { [key]: 1600 } }),
      entry('20261003T000000Z', { MBps: {} }),
      entry('20261004T000000Z', { MBps: { [key]: 9999 }, configuration: 'other' }),
    ];
    expect(compared(history)).toEqual({
      runId: '20261002T000000Z',
      MBps: 1600,
      change: expect.closeTo(1484 / 1600 - 1, 6),
    });
  });

  test.each([[[]], [[entry('20261001T000000Z')]], [[entry('20261001T000000Z', { MBps: { [key]: 0 } })]]])(
    'nothing to compare with',
    (history) => {
      expect(compared(history)).toBeUndefined();
    },
  );

  test.each([
    [1600, 0],
    [1648, 0],
    [1650, 1],
  ])('%i MB/s before: %i regression(s), from a tenth on', (MBps, count) => {
    const { figures } = samples.judge({
      ...samples.lustreSample(),
      history: [entry('20261001T000000Z', { MBps: { [key]: MBps } })],
    });
    expect(regressionsOf(figures)).toHaveLength(count);
  });

  test('hosts of different sizes, one after the other: the same again is no regression', () => {
    const result = samples.judge(samples.lustreSample());
    const [figure] = result.figures as [Figure];
    // The larger one has more, and less for each of its cores.
    const sizes = [
      { ...figure, MBps: 1000, MBpsPerCore: 62 },
      { ...figure, MBps: 1500, MBpsPerCore: 47 },
    ];
    const before = historyEntryOf({ ...result, figures: sizes, configuration: 'c' }, '', '');
    const again = sizes.map((one) => ({ ...one, previous: previousOf(one, [before], 'c') }));
    expect(regressionsOf(again)).toEqual([]);
    const slower = { ...sizes[1]!, MBps: 1300, MBpsPerCore: 41 };
    const now = [sizes[0]!, slower].map((one) => ({ ...one, previous: previousOf(one, [before], 'c') }));
    expect(regressionsOf(now)).toEqual([expect.stringMatching(/fell by 13 %, from 1,500 MB\/s/)]);
  });
});
