import type { State, StateMachine } from '../../proof/simulation/aws/stepfunctions/definition';
import {
  checkDefinition,
  type Ending,
  Execution,
} from '../../proof/simulation/aws/stepfunctions/interpreter';
import { jsonata } from '../../proof/simulation/aws/stepfunctions/jsonata';
import { StateError } from '../../proof/simulation/aws/stepfunctions/paths';
import { Random } from '../../proof/simulation/core/random';
import { Scheduler } from '../../proof/simulation/core/scheduler';

const INVOKE = 'arn:aws:states:::lambda:invoke';

async function run(
  States: { [name: string]: State },
  input: unknown,
  answers: (payload: unknown, call: number) => unknown = () => null,
): Promise<Ending & { readonly seconds: number; readonly payloads: unknown[] }> {
  const scheduler = new Scheduler(Date.parse('2026-01-01T00:00:00Z'));
  const payloads: unknown[] = [];
  const machine: StateMachine = { StartAt: Object.keys(States)[0]!, States };
  checkDefinition(machine);
  const execution = new Execution(machine, 'test', input, {
    now: () => scheduler.now(),
    sleep: (ms) => scheduler.sleep(ms),
    transition: async () => undefined,
    random: new Random(1),
    isRunning: () => true,
    invoke: async (_name, payload) => {
      payloads.push(payload);
      return answers(payload, payloads.length);
    },
  });
  let ending: Ending | undefined;
  let at = 0;
  void execution.run().then((found) => {
    ending = found;
    at = scheduler.now();
  });
  const start = scheduler.now();
  await scheduler.run(start + 3_600_000);
  return { ...ending!, seconds: (at - start) / 1000, payloads };
}

const DONE: { [name: string]: State } = { Done: { Type: 'Succeed' } };

test('a task gets its payload from input and context, and its answer is selected and placed', async () => {
  const { output, payloads } = await run(
    {
      Ask: {
        Type: 'Task',
        Resource: INVOKE,
        Parameters: {
          FunctionName: 'f',
          Payload: {
            'name.$': '$$.Execution.Name',
            'x.$': '$.a.b',
            fixed: 1,
            deep: { 'since.$': '$$.Execution.StartTime' },
          },
        },
        ResultSelector: { 'y.$': '$.Payload.y', failures: 0 },
        ResultPath: '$.result',
        Next: 'Done',
      },
      ...DONE,
    },
    { a: { b: 2 } },
    () => ({ y: null, z: 3 }),
  );
  expect(payloads).toEqual([{ name: 'test', x: 2, fixed: 1, deep: { since: '2026-01-01T00:00:00.000Z' } }]);
  expect(output).toEqual({ a: { b: 2 }, result: { y: null, failures: 0 } });
});

test('what a selector asks for and the answer lacks fails the execution: no retry and no catch can help', async () => {
  const { status, error, payloads } = await run(
    {
      Ask: {
        Type: 'Task',
        Resource: INVOKE,
        Parameters: { FunctionName: 'f' },
        ResultSelector: { 'y.$': '$.Payload.y' },
        Retry: [{ ErrorEquals: ['States.ALL'] }],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Done' }],
        Next: 'Done',
      },
      ...DONE,
    },
    {},
    () => ({}),
  );
  expect([status, error, payloads.length]).toEqual(['FAILED', 'States.Runtime', 1]);
});

test('a failed task is tried again, then caught, with the error in its place', async () => {
  const { output, payloads, seconds } = await run(
    {
      Ask: {
        Type: 'Task',
        Resource: INVOKE,
        Parameters: { FunctionName: 'f', Payload: {} },
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 2, BackoffRate: 2 }],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
        ResultPath: null,
        Next: 'Never',
      },
      Never: { Type: 'Fail', Error: 'Never' },
      ...DONE,
    },
    { kept: true },
    () => {
      throw new StateError('Sandbox.Timedout', 'timed out');
    },
  );
  expect(output).toEqual({ kept: true, error: { Error: 'Sandbox.Timedout', Cause: 'timed out' } });
  expect([payloads.length, seconds]).toEqual([3, 6]);
});

test('full jitter waits at most as long as the back-off says', async () => {
  const retrier = {
    ErrorEquals: ['States.ALL'],
    IntervalSeconds: 2,
    MaxAttempts: 2,
    BackoffRate: 2,
    JitterStrategy: 'FULL',
  } as const;
  const { seconds, status } = await run(
    {
      Ask: {
        Type: 'Task',
        Resource: INVOKE,
        Parameters: { FunctionName: 'f' },
        Retry: [retrier],
        Next: 'Done',
      },
      ...DONE,
    },
    {},
    (_payload, call) => {
      if (call < 3) throw new StateError('Error', 'no');
    },
  );
  expect(status).toBe('SUCCEEDED');
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(6);
});

test('choices look at presence, texts and numbers, and a wait takes its seconds from the input', async () => {
  const { output, seconds } = await run(
    {
      Which: {
        Type: 'Choice',
        Choices: [
          {
            And: [
              { Variable: '$.gone', IsPresent: true },
              { Variable: '$.a', StringEquals: 'x' },
            ],
            Next: 'Wrong',
          },
          {
            Not: {
              Or: [
                { Variable: '$.a', StringEquals: 'x' },
                { Variable: '$.n', NumericEquals: 2 },
              ],
            },
            Next: 'Wrong',
          },
        ],
        Default: 'Wait',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.n', Next: 'Count' },
      Count: {
        Type: 'Pass',
        Parameters: { 'sum.$': 'States.MathAdd($.n, 1)' },
        ResultPath: '$.count',
        Next: 'Done',
      },
      Wrong: { Type: 'Fail', Error: 'Wrong' },
      ...DONE,
    },
    { a: 'x', n: 7 },
  );
  expect(output).toEqual({ a: 'x', n: 7, count: { sum: 8 } });
  expect(seconds).toBe(7);
});

test('the JSONata condition of the workflow', () => {
  const text =
    '{% $states.input.result.failures >= 5 or $toMillis($states.context.State.EnteredTime) >= ' +
    '$toMillis($states.context.Execution.StartTime) + 1000 * $states.input.deadlineSeconds %}';
  const value = (failures: number, after: number) =>
    jsonata(text, {
      input: { result: { failures }, deadlineSeconds: 60 },
      context: {
        State: { EnteredTime: new Date(after * 1000).toISOString() },
        Execution: { StartTime: new Date(0).toISOString() },
      },
    });
  expect([value(5, 0), value(4, 59), value(4, 60)]).toEqual([true, false, true]);
});

test.each(['$states.input.a & "b"', '$sum([1])', '$states.input.a[0]', '1 +'])(
  'JSONata %s is refused',
  (text) => {
    expect(() => jsonata(`{% ${text} %}`, { input: {}, context: {} })).toThrow(/not simulated/);
  },
);

test.each<[string, State]>([
  ['the type Map', { Type: 'Map' } as unknown as State],
  ['InputPath', { Type: 'Pass', InputPath: '$.a', End: true } as unknown as State],
  [
    'HeartbeatSeconds',
    { Type: 'Task', Resource: INVOKE, HeartbeatSeconds: 5, End: true } as unknown as State,
  ],
  ['the resource', { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', End: true }],
])('a definition with %s is refused', (what, state) => {
  expect(() => checkDefinition({ StartAt: 'S', States: { S: state } })).toThrow(what);
});
