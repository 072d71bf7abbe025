import {
  belowComfortable,
  defaultThreshold,
  judgedPhases,
  wantedOf,
} from '../../../../lambda/benchmark-judge/analysis/thresholds';
import * as samples from '../samples';

test('what the papers want, MB/s per physical core', () => {
  expect([defaultThreshold('temporary'), defaultThreshold('shared'), defaultThreshold('io2')]).toEqual([
    100, 50, 100,
  ]);
});

test('between what passes and what makes the papers content there is a note', () => {
  const note = 'The papers want up to 75 MB/s per core for this use.';
  expect(belowComfortable(samples.LUSTRE_PATH, 60)).toBe(note);
  expect(belowComfortable(samples.LUSTRE_PATH, 75)).toBeUndefined();
  expect(belowComfortable(samples.IO2_PATH, 110)).toBe(
    'The papers want up to 125 MB/s per core for this use.',
  );
  const passing = samples.lustreSample();
  const path = { ...samples.LUSTRE_PATH, writeMBpsPerCore: 20, readMBpsPerCore: 20 };
  const tests = passing.run.tests.map((test) =>
    test.path?.directory === '/sasdata' && test.test === 'sas-io' ? { ...test, path } : test,
  );
  const result = samples.judge({ ...passing, run: { ...passing.run, tests } });
  expect(result.verdict).toBe('passed');
  expect(result.figures.find(({ directory }) => directory === '/sasdata')!.explanation).toContain(note);
});

const plan = (
  test: 'sas-io' | 'fio' | 'iozone' | 'network',
  parameters: Record<string, string> = {},
  path = samples.SCRATCH_PATH,
) => samples.plan('1', test, [], { path, parameters });

test.each([
  ['sas-io', { Data: 'zero' }, ['write', 'read']],
  ['sas-io', {}, ['write', 'read']],
  ['sas-io', { Data: 'random' }, ['write-random-data', 'read-random-data']],
  ['sas-io', { Data: 'both' }, ['write', 'write-random-data', 'read', 'read-random-data']],
  ['iozone', {}, ['write', 'read']],
  ['fio', { Jobs: 'sequential,mixed' }, ['write', 'read']],
  ['fio', {}, ['write', 'read']],
  ['fio', { Jobs: 'mixed,metadata' }, []],
  ['network', {}, []],
] as const)('%s with %j has to measure %j', (test, parameters, phases) => {
  expect(judgedPhases(plan(test, parameters))).toEqual(phases);
});

test('only what has a threshold is judged', () => {
  expect(judgedPhases(plan('sas-io', {}, { ...samples.SCRATCH_PATH, readMBpsPerCore: undefined }))).toEqual([
    'write',
  ]);
  expect(wantedOf(plan('sas-io'), 'rewrite')).toBeUndefined();
  expect(wantedOf(plan('sas-io'), 'toString')).toBeUndefined();
});
