import type { PlannedTest } from '../../../../lambda/shared/benchmark/plan';
import type { BenchmarkResult } from '../../../../lambda/shared/benchmark/result';
import fc from '../../../helpers/fast-check';
import * as samples from '../samples';

const RUNS = { numRuns: 150 };

interface HostSpec {
  readonly write: number;
  readonly read: number;
  readonly startedAt: number;
  readonly cores: number;
  readonly fileMiB: number;
  readonly reduced: boolean;
  readonly cachesDropped: boolean;
}

const rate = fc.double({ min: 1, max: 20_000, noNaN: true });
const anyHost: fc.Arbitrary<HostSpec> = fc.record({
  write: rate,
  read: rate,
  startedAt: fc.integer({ min: samples.START - 3600, max: samples.START + 3600 }),
  cores: fc.integer({ min: 1, max: 96 }),
  fileMiB: fc.integer({ min: 1, max: 100_000 }),
  reduced: fc.boolean(),
  cachesDropped: fc.boolean(),
});
const anyPath = fc.constantFrom(
  samples.LUSTRE_PATH,
  samples.SCRATCH_PATH,
  samples.IO2_PATH,
  samples.NFS_PATH,
);
const anyType = fc.constantFrom('i2.8xlarge', 'r5b.4xlarge', 'm6i.8xlarge', 'i9000.metal');

function runOf(specs: readonly HostSpec[], path: typeof samples.LUSTRE_PATH, type: string): samples.Sample {
  const hosts = samples.hosts(specs.length, type);
  const test = samples.plan('1-sas-io-x', 'sas-io', [hosts], { path, parameters: { Data: 'zero' } });
  const outputs = Object.fromEntries(
    hosts.map((host, index) => {
      const { write, read, cores, fileMiB, startedAt, reduced, cachesDropped } = specs[index]!;
      return [
        host.instanceId,
        samples.sasIo(
          host,
          { write, read },
          { cores, fileMiB, startedAt, setup: { reduced, cachesDropped } },
        ),
      ];
    }),
  );
  return {
    run: samples.runRecord('any', hosts, [test]),
    outputs: { [test.id]: outputs },
    history: [],
    endedAt: '2026-11-22T12:00:00Z',
  };
}

/** Every number of a result, with where it stands. */
function numbers(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => numbers(inner, `${path}.${name}`));
}

function expectSound(result: BenchmarkResult): void {
  for (const [path, value] of numbers(result))
    if (!Number.isFinite(value)) throw new Error(`${path} is ${value}`);
  expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify({ ...result })));
  expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity|undefined/);
  for (const figure of result.figures) {
    expect(figure.explanation).not.toBe('');
    expect(figure.MBpsPerCore * figure.physicalCores).toBeCloseTo(figure.MBps, 3);
    expect(figure.limits.map(({ MBps }) => MBps)).toEqual(
      [...figure.limits.map(({ MBps }) => MBps)].sort((a, b) => a - b),
    );
  }
  expect(result.verdict === 'passed').toBe(
    result.figures.some(({ passed }) => passed) && everythingJudgedPassed(result),
  );
}

function everythingJudgedPassed(result: BenchmarkResult): boolean {
  const judged = result.figures.filter(({ wanted }) => wanted !== undefined);
  return judged.every(({ passed }) => passed === true) && result.reasons.length === judged.length;
}

test('whatever hosts measure: every number is one, and only what is reached by all passes', () => {
  fc.assert(
    fc.property(fc.array(anyHost, { minLength: 1, maxLength: 4 }), anyPath, anyType, (specs, path, type) => {
      const result = samples.judge(runOf(specs, path, type));
      expectSound(result);
      for (const { MBps, perHost, hosts, passed, wanted, physicalCores } of result.figures) {
        const sum = Object.values(perHost).reduce((total, one) => total + one, 0);
        expect(MBps).toBeLessThanOrEqual(sum * (1 + 1e-6));
        // In what is wanted of it: how far each host is, the slowest one and all together.
        const cores = (id: string) =>
          result.hosts.find(({ instanceId }) => instanceId === id)!.physicalCores!;
        const slowest = Math.min(...hosts.map((id) => perHost[id]! / cores(id)));
        if (passed)
          expect(Math.min(slowest, MBps / physicalCores)).toBeGreaterThanOrEqual(wanted! * (1 - 1e-6));
        if (passed === false)
          expect(Math.min(slowest, sum / physicalCores)).toBeLessThan(wanted! * (1 + 1e-6));
      }
    }),
    RUNS,
  );
});

test('hosts that begin and end together: the total is the sum of the hosts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), rate, (count, speed) => {
      const spec = {
        write: speed,
        read: speed,
        startedAt: samples.START,
        cores: 8,
        fileMiB: 1000,
        reduced: false,
        cachesDropped: true,
      };
      const [write] = samples.judge(
        runOf(
          Array.from({ length: count }, () => spec),
          samples.SCRATCH_PATH,
          'i2.8xlarge',
        ),
      ).figures;
      const sum = Object.values(write!.perHost).reduce((total, one) => total + one, 0);
      expect(write!.MBps / sum).toBeCloseTo(1, 6);
      expect(write!.MBps / (count * speed)).toBeCloseTo(1, 4);
    }),
    RUNS,
  );
});

test('an output that was cut off: the numbers of the whole, or none; and never a pass', () => {
  const sample = samples.io2Sample();
  const [[testId, [[instanceId, output]]]] = Object.entries(sample.outputs).map(([id, of]) => [
    id,
    Object.entries(of),
  ]) as [[string, [[string, string]]]];
  const whole = new Map(samples.judge(sample).figures.map((one) => [one.phase, one.MBps]));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: output.trimEnd().length - 1 }), (length) => {
      const result = samples.judge({
        ...sample,
        outputs: { [testId]: { [instanceId]: output.slice(0, length) } },
      });
      expect(result.verdict).toBe('incomplete');
      for (const { phase, MBps } of result.figures) expect(whole.get(phase)).toBe(MBps);
    }),
    RUNS,
  );
});

test('any one host that fails, is refused, is late or is lost: never a pass, and the others keep their figures', () => {
  const status = fc.constantFrom('refused', 'failed', 'timed-out', 'lost');
  const fast: HostSpec = {
    write: 9000,
    read: 9000,
    startedAt: samples.START,
    cores: 16,
    fileMiB: 40_000,
    reduced: false,
    cachesDropped: true,
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 5 }),
      fc.nat(),
      status,
      fc.boolean(),
      (count, which, how, silent) => {
        const sample = runOf(
          Array.from({ length: count }, () => fast),
          samples.SCRATCH_PATH,
          'i2.8xlarge',
        );
        expect(samples.judge(sample).verdict).toBe('passed');
        const [test] = sample.run.tests as [PlannedTest];
        const victim = sample.run.hosts[which % count]!.instanceId;
        const outcomes = sample.run.outcomes[test.id]!.map((one) =>
          one.instanceId === victim ? { instanceId: victim, status: how, reason: 'it was so' } : one,
        );
        const outputs = { [test.id]: { ...sample.outputs[test.id], ...(silent && { [victim]: '' }) } };
        const result = samples.judge({
          ...sample,
          outputs,
          run: { ...sample.run, outcomes: { [test.id]: outcomes } },
        });
        expect(result.verdict).toBe('incomplete');
        expect(result.figures).toHaveLength(2);
        if (silent)
          for (const { hosts, missing } of result.figures)
            expect([hosts.length, missing]).toEqual([count - 1, [victim]]);
        expectSound(result);
      },
    ),
    RUNS,
  );
});

test('a phase that is judged and was not measured: never a pass', () => {
  const sample = samples.io2Sample();
  const [[testId, [[instanceId, output]]]] = Object.entries(sample.outputs).map(([id, of]) => [
    id,
    Object.entries(of),
  ]) as [[string, [[string, string]]]];
  for (const phase of ['write', 'read']) {
    const without = output
      .split('\n')
      .filter((line) => !line.includes(`"kind":"phase","phase":"${phase}"`))
      .join('\n');
    const result = samples.judge({ ...sample, outputs: { [testId]: { [instanceId]: without } } });
    expect(result).toMatchObject({
      verdict: 'incomplete',
      reasons: [`sas-io on /saswork: no figure of the phase '${phase}' from sas-1.`],
    });
  }
});

test('whatever the hosts print: no exception, and never a pass out of nothing', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.constantFrom(
          ...samples
            .lustreSample()
            .outputs['1-sas-io-saswork']![samples.hosts(1, 'x')[0]!.instanceId]!.split('\n'),
        ),
        { maxLength: 40 },
      )
      .map((lines) => lines.join('\n')),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(
        'sas-io',
        'iozone',
        'fio',
        'mixed-sas',
        'network',
        'raw-device',
        'lustre-server' as const,
      ),
      text,
      text,
      (name, one, other) => {
        const hosts = samples.hosts(3, 'm6i.8xlarge');
        const test = samples.plan('1-x', name, [hosts], { path: samples.LUSTRE_PATH });
        const outputs = { [test.id]: { [hosts[0]!.instanceId]: one, [hosts[1]!.instanceId]: other } };
        const result = samples.judge({
          run: samples.runRecord('any', hosts, [test]),
          outputs,
          history: [],
          endedAt: '',
        });
        expectSound(result);
        expect(result.verdict).not.toBe('passed');
      },
    ),
    RUNS,
  );
});
