import {
  ANSWER_SECONDS,
  CLOUDFORMATION_WAITS,
  GATE_TIMEOUT,
  LAST_CALLS,
  longestSeconds,
  MARGIN,
  REQUEST_AGE,
} from '../../../constructs/private/benchmark-deadline';
import { judgeRun } from '../../../lambda/benchmark-judge/analysis';
import fc from '../../helpers/fast-check';
import { definition, Fleet, START, sasIo, Workflow } from './fleet';

/**
 * What the workflow may take after the last step: finishing, judging and answering, all of them failing before they
 * succeed.
 */
const AFTER_THE_STEPS =
  longestSeconds(LAST_CALLS.finish) + longestSeconds(LAST_CALLS.judge) + longestSeconds(LAST_CALLS.tell);

const NEVER = 1e9;
const INPUT = { cause: 'deployment', deadlineSeconds: ANSWER_SECONDS };

/** Seconds from CloudFormation's request to its answer, when the workflow's last step ends then. */
const answeredAfter = (now: number): number =>
  REQUEST_AGE + GATE_TIMEOUT + Math.ceil((now - START) / 1000) + AFTER_THE_STEPS;

interface Case {
  readonly hosts: ('well' | 'deaf' | 'deaf to everything' | 'offline' | 'refused' | 'lost' | 'pending')[];
  readonly users: number[];
  readonly timeoutSeconds?: number;
  readonly seconds: number;
  readonly parallel: boolean;
  readonly hostsTimeoutSeconds: number;
  readonly unseenSeconds: number;
  readonly tools: string[];
  readonly callMs: number;
}

const anyCase: fc.Arbitrary<Case> = fc.record(
  {
    hosts: fc.array(
      fc.constantFrom(
        'well' as const,
        'deaf' as const,
        'deaf to everything' as const,
        'offline' as const,
        'refused' as const,
        'lost' as const,
        'pending' as const,
      ),
      { minLength: 1, maxLength: 5 },
    ),
    // A clean-up of its own for each account; a benchmark has 20 paths at most.
    users: fc.array(fc.nat(19), { minLength: 1, maxLength: 20 }),
    timeoutSeconds: fc.integer({ min: 60, max: 172_800 }),
    seconds: fc.constantFrom(20, 300, 3000),
    parallel: fc.boolean(),
    hostsTimeoutSeconds: fc.integer({ min: 1, max: 60 }).map((minutes) => minutes * 60),
    unseenSeconds: fc.constantFrom(3, 3, 60, NEVER),
    tools: fc.constantFrom<string[]>([], ['fio']),
    callMs: fc.constantFrom(0, 300),
  },
  {
    requiredKeys: [
      'hosts',
      'users',
      'seconds',
      'parallel',
      'hostsTimeoutSeconds',
      'unseenSeconds',
      'tools',
      'callMs',
    ],
  },
);

function workflowOf(one: Case): Workflow {
  const fleet = new Fleet(one.hosts.length);
  fleet.unseenSeconds = one.unseenSeconds;
  fleet.courses.set('doc-sas-io', {
    seconds: one.seconds,
    status: 'Success',
    exitCode: 0,
    said: 'x',
    outputAfter: 5,
  });
  for (const [index, way] of one.hosts.entries()) {
    const id = `i-node${index + 1}`;
    const deaf = { seconds: NEVER, deaf: true };
    if (way.startsWith('deaf')) fleet.courses.set(`doc-sas-io ${id}`, deaf);
    if (way === 'deaf to everything')
      for (const document of ['doc-clean-up', 'doc-install']) fleet.courses.set(`${document} ${id}`, deaf);
    if (way === 'offline') fleet.offline.add(id);
    if (way === 'refused') fleet.refused.add(id);
    if (way === 'pending') fleet.setState(id, 'pending');
  }
  const tests = one.users.map((user, index) => ({
    ...sasIo(`/data${index}`, `${index + 1}-sas-io`, `user${user}`),
    parameters: { Directory: `/data${index}`, FileMiB: '64', User: `user${user}` },
    ...(one.timeoutSeconds !== undefined && { timeoutSeconds: one.timeoutSeconds }),
  }));
  const { parallel, hostsTimeoutSeconds, tools } = one;
  const workflow = new Workflow(fleet, definition({ tests, parallel, hostsTimeoutSeconds, tools }), INPUT);
  workflow.callMs = one.callMs;
  workflow.beforeEach = () => {
    for (const [index, way] of one.hosts.entries())
      if (way === 'lost' && fleet.now > START + 600_000) fleet.setState(`i-node${index + 1}`, 'terminated');
  };
  return workflow;
}

test('whatever the hosts do, CloudFormation has its answer in time, and every host has an outcome', async () => {
  let [refused, measured] = [0, 0];
  await fc.assert(
    fc.asyncProperty(anyCase, async (one) => {
      const workflow = workflowOf(one);
      const run = await workflow.run().catch((error: Error) => {
        expect(error.name).toBe('BenchmarkRefused');
        return undefined;
      });
      expect(answeredAfter(workflow.fleet.now)).toBeLessThanOrEqual(CLOUDFORMATION_WAITS - MARGIN);
      if (!run) {
        refused += 1;
        return;
      }
      measured += 1;
      for (const { id, waves } of run.tests) {
        expect(run.outcomes[id]!.map(({ instanceId }) => instanceId).sort()).toEqual(waves.flat().sort());
        for (const { status, reason } of run.outcomes[id]!) expect(status === 'done' || reason).toBeTruthy();
      }
      // Nothing is sent after the time that is kept for the end, but to clean up.
      const late = workflow.fleet.commands.filter(({ at }) => at > Date.parse(run.endedAt!));
      expect(late).toEqual([]);
    }),
    { numRuns: 40, seed: 20261122 },
  );
  expect(refused).toBeGreaterThan(2);
  expect(measured).toBeGreaterThan(15);
});

test('hosts that are all deaf, and do not even clean up, are named in an answer that comes in time', async () => {
  const users = Array.from({ length: 20 }, (_, index) => index);
  const hosts = ['deaf to everything', 'deaf to everything', 'deaf to everything'] as const;
  const workflow = workflowOf({
    hosts: [...hosts],
    users,
    timeoutSeconds: 172_800,
    seconds: 20,
    parallel: true,
    hostsTimeoutSeconds: 900,
    unseenSeconds: 3,
    tools: ['fio'],
    callMs: 300,
  });
  const run = await workflow.run();
  expect(answeredAfter(workflow.fleet.now)).toBeLessThanOrEqual(CLOUDFORMATION_WAITS - MARGIN);
  const { verdict, reasons } = judgeRun(run, {}, [], run.endedAt!);
  expect(verdict).toBe('incomplete');
  for (const name of ['node1', 'node2', 'node3']) {
    expect(reasons).toContainEqual(
      expect.stringMatching(new RegExp(`on ${name}: .*time of the whole run was over`)),
    );
  }
  // Every account's clean-up was sent all the same: programs go on with it by themselves.
  expect(new Set(workflow.fleet.ran('doc-clean-up'))).toEqual(new Set(['i-node1', 'i-node2', 'i-node3']));
  expect(workflow.fleet.ran('doc-clean-up')).toHaveLength(3 * 20);
});

test.each([15, 60])(
  'hosts that never report are named within the time, with a hostsTimeout of %s minutes',
  async (minutes) => {
    const workflow = workflowOf({
      hosts: ['offline', 'offline'],
      users: [0],
      seconds: 20,
      parallel: true,
      hostsTimeoutSeconds: minutes * 60,
      unseenSeconds: 3,
      tools: [],
      callMs: 0,
    });
    await expect(workflow.run()).rejects.toThrow(
      /2 host\(s\) run, and Systems Manager hears from none: node1, node2\. /,
    );
    expect(answeredAfter(workflow.fleet.now)).toBeLessThanOrEqual(CLOUDFORMATION_WAITS - MARGIN);
  },
);

test('a host that does not report is not waited for until the others have no time left', async () => {
  const workflow = workflowOf({
    hosts: ['well', 'offline'],
    users: [0],
    seconds: 20,
    parallel: true,
    hostsTimeoutSeconds: 3600,
    unseenSeconds: 3,
    tools: [],
    callMs: 0,
  });
  const run = await workflow.run();
  expect(run.outcomes['1-sas-io']).toMatchObject([
    { instanceId: 'i-node1', status: 'done' },
    { instanceId: 'i-node2', status: 'lost', reason: 'Systems Manager does not hear from its agent' },
  ]);
});

test('what may or may not have been sent when the time is over is not sent again', async () => {
  const fleet = new Fleet(60);
  for (let index = 1; index <= 60; index++) fleet.refused.add(`i-node${index}`);
  const workflow = new Workflow(fleet, definition({ tests: [sasIo()] }), INPUT);
  const run = await workflow.run();
  expect(answeredAfter(fleet.now)).toBeLessThanOrEqual(CLOUDFORMATION_WAITS - MARGIN);
  const reasons = run.outcomes['1-sas-io-saswork']!.map(({ reason }) => reason!);
  expect(reasons).toHaveLength(60);
  expect(reasons.some((reason) => reason === 'Systems Manager does not take it')).toBe(true);
  expect(reasons.some((reason) => /the time of the whole run was over/.test(reason))).toBe(true);
});
