import { eventOf, judge } from '../../../lambda/benchmark-judge/handler';
import type { BenchmarkResult } from '../../../lambda/shared/benchmark/result';
import { type Failing, LAST_MODIFIED, RUN_KEY, sampleRun, World } from './fakes';
import { sampleHistory } from './report-samples';

const FOLDER = 'runs/20261122T101500Z-4f1c/';
const EVENT = { action: 'judge', bucket: 'results', runKey: RUN_KEY } as const;
const SETTINGS = { bucket: 'results', region: 'eu-central-1' };
const judgeIn = (world: World) => judge(EVENT, world.ports, SETTINGS);
const resultIn = (world: World): BenchmarkResult =>
  JSON.parse(world.objects.get(`${FOLDER}result.json`)!.text);

describe('the event', () => {
  test('is taken as the workflow sends it', () => expect(eventOf({ ...EVENT, more: 1 })).toEqual(EVENT));

  test.each([
    ['nothing', undefined, 'action'],
    ['another action', { ...EVENT, action: 'check' }, '"check"'],
    ['no bucket', { ...EVENT, bucket: '' }, 'bucket'],
    ['a key of something else', { ...EVENT, runKey: 'runs/x/result.json' }, 'runKey'],
    ['a key of no run', { ...EVENT, runKey: 'run.json' }, 'runKey'],
  ])('%s is refused', (_name, event, word) => expect(() => eventOf(event)).toThrow(word));
});

describe('a run', () => {
  test('is judged, written, kept and told', async () => {
    const world = new World();
    const judged = await judgeIn(world);
    expect(judged).toEqual({
      verdict: 'failed',
      reasons: resultIn(world).reasons,
      resultKey: `${FOLDER}result.json`,
      reportKey: `${FOLDER}report.html`,
      problems: [],
    });
    expect(world.objects.get(judged.resultKey)!.type).toBe('application/json');
    expect(world.objects.get(judged.reportKey)).toMatchObject({
      text: '<p>report of 20261122T101500Z-4f1c</p>',
      type: 'text/html; charset=utf-8',
    });
    expect([...world.items.keys()]).toEqual(['20261122T101500Z-4f1c']);
    expect(world.lines.length).toBe(resultIn(world).figures.length + 1);
    expect(world.told).toHaveLength(1);
  });

  test('gives the judge what the hosts said, the runs before, and the time at which the last host ended', async () => {
    const world = new World();
    for (const entry of sampleHistory(60)) world.items.set(entry.runId, entry);
    world.items.set('2027', { ...sampleHistory(1)[0]!, runId: '2027' });
    await judgeIn(world);
    const [run, outputs, history, endedAt] = world.judged[0]!;
    expect(run).toEqual(sampleRun());
    expect(outputs).toEqual({ '1-sas-io': { 'i-1': 'output of i-1', 'i-2': 'inline of i-2' } });
    expect(history).toHaveLength(50);
    expect(history.at(-1)!.runId < run.runId).toBe(true);
    expect(endedAt).toBe(LAST_MODIFIED);
  });

  test('that knows when it ended ended then', async () => {
    const world = new World(sampleRun({ endedAt: '2026-11-22T11:00:00.000Z' }));
    await judgeIn(world);
    expect(resultIn(world).endedAt).toBe('2026-11-22T11:00:00.000Z');
  });

  test('that is judged twice leaves the same, and does not see itself among the runs before', async () => {
    const world = new World();
    for (const entry of sampleHistory(3)) world.items.set(entry.runId, entry);
    const first = await judgeIn(world);
    const [objects, items] = [new Map(world.objects), new Map(world.items)];
    expect(await judgeIn(world)).toEqual(first);
    expect(world.objects).toEqual(objects);
    expect(world.items).toEqual(items);
    expect(world.judged[1]).toEqual(world.judged[0]);
    expect(world.lines.slice(world.lines.length / 2)).toEqual(world.lines.slice(0, world.lines.length / 2));
  });

  test('without a topic is told to nobody', async () => {
    const world = new World();
    const { problems } = await judge(EVENT, { ...world.ports, topic: undefined }, SETTINGS);
    expect(problems).toEqual([]);
    expect(world.told).toEqual([]);
  });

  test('with more reasons than the state of a workflow takes gives the first, and says how many are left', async () => {
    const world = new World();
    const reasons = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(2000)}`);
    const ports = {
      ...world.ports,
      judge: (...given: Parameters<typeof world.ports.judge>) => ({
        ...world.ports.judge(...given),
        reasons,
      }),
    };
    const judged = await judge(EVENT, ports, SETTINGS);
    expect(JSON.stringify(judged).length).toBeLessThan(20_000);
    expect(judged.reasons.at(-1)).toBe('and 480 more');
    expect(resultIn(world).reasons).toHaveLength(500);
  });
});

describe('a failure', () => {
  test.each<[Failing, RegExp]>([
    ['before', /history could not be read/],
    ['write report', /report could not be written/],
    ['report', /report could not be drawn/],
    ['put', /history could not be written/],
    ['publish', /could not be told/],
  ])('of "%s" keeps nothing else from being done, and is told', async (failing, said) => {
    const world = new World();
    world.failing.add(failing);
    const judged = await judgeIn(world);
    expect(judged.verdict).toBe('failed');
    expect(judged.problems).toEqual([expect.stringMatching(said)]);
    expect(world.errors).toHaveLength(1);
    expect(resultIn(world).verdict).toBe('failed');
    expect(world.lines.length).toBeGreaterThan(1);
    expect(world.objects.has(judged.reportKey)).toBe(failing !== 'write report');
    expect(world.items.size).toBe(failing === 'put' ? 0 : 1);
    expect(world.told).toHaveLength(failing === 'publish' ? 0 : 1);
  });

  test('of everything after the verdict leaves the verdict', async () => {
    const world = new World();
    for (const each of ['before', 'write report', 'put', 'publish'] as const) world.failing.add(each);
    const judged = await judgeIn(world);
    expect(judged.problems).toHaveLength(4);
    expect(resultIn(world).verdict).toBe('failed');
  });

  test('to draw the report leaves a plain one with the verdict', async () => {
    const world = new World();
    world.failing.add('report');
    const { reportKey } = await judgeIn(world);
    expect(world.objects.get(reportKey)!.text).toContain(
      '<h1>Storage benchmark sas-grid-lustre: failed</h1>',
    );
  });

  test('to write the report is said in the mail, which names no report', async () => {
    const world = new World();
    world.failing.add('write report');
    await judgeIn(world);
    expect(world.told[0]!.message).toContain('There is no report of this run');
    expect(world.told[0]!.message).not.toContain('report.html');
  });

  test('to read the history is told in the result: nothing was compared', async () => {
    const world = new World();
    world.failing.add('before');
    await judgeIn(world);
    expect(resultIn(world).problems).toEqual([expect.stringContaining('nothing was compared')]);
  });

  test.each<Failing>(['judge', 'write result'])(
    'of "%s" is thrown: there is no verdict that lasts',
    async (failing) => {
      const world = new World();
      world.failing.add(failing);
      await expect(judgeIn(world)).rejects.toThrow(`${failing} failed`);
      expect(world.items.size).toBe(0);
      expect(world.told).toEqual([]);
      expect(world.lines).toEqual([]);
    },
  );

  test.each([
    ['missing', undefined, /there is no runs/],
    ['no JSON', { text: '{"format":' }, /is no JSON/],
    ['of another format', { text: '{"format":2}' }, /format 2/],
    ['empty', { text: 'null' }, /format undefined/],
    ['without its tests', { text: JSON.stringify({ ...sampleRun(), tests: undefined }) }, /has no tests/],
    ['cut off', { text: '{}', cutOff: true }, /longer than/],
  ])('to have a run.json, one that is %s, is thrown with what is wrong', async (_name, object, said) => {
    const world = new World();
    if (object === undefined) world.objects.delete(RUN_KEY);
    else world.objects.set(RUN_KEY, object);
    await expect(judgeIn(world)).rejects.toThrow(said);
  });
});
