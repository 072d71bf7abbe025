import { OptionError } from '../../../cli/arguments';
import type { FoundDeployment } from '../../../cli/deployment';
import { main } from '../../../cli/main';
import { follow } from '../../../cli/operation/follow';
import { type OperationOptions, parseOperation } from '../../../cli/operation/options';
import type { Execution, Lock, OperationAws } from '../../../cli/operation/port';
import { operate } from '../../../cli/run-operation';
import { Terminal } from '../../../cli/terminal';

const OPERATION = { name: 'stop', plan: () => ['2 servers stop'] };
const WORKFLOWS = JSON.stringify({ stop: 'arn:stop', start: 'arn:start' });
const LOCK: Lock = {
  operation: 'stop',
  execution: 'arn:before',
  since: '2026-01-01T20:00:00Z',
  step: 'nodes stop',
};

const deploymentWith = (outputs: { [name: string]: string }): FoundDeployment => ({
  name: 'mine',
  stacks: [
    {
      part: 'operations',
      name: 'mine-operations',
      id: 'mine-operations',
      status: 'CREATE_COMPLETE',
      outputs,
      tags: {},
      resources: [],
      failures: [],
    },
  ],
  unread: [],
});
const DEPLOYMENT = deploymentWith({ OperationsTable: 'table', Workflows: WORKFLOWS });

/** An account in which an execution ends so at once, and this is under way. */
function account(
  end: Partial<Execution> = { status: 'SUCCEEDED', message: 'mine sleeps' },
  lock?: Lock,
  held = 'RUNNING',
) {
  const started: unknown[] = [];
  const aws: OperationAws = {
    start: async (workflow, input) => {
      started.push([workflow, input]);
      return 'arn:new';
    },
    execution: async (arn) =>
      arn === 'arn:before' && looks++ === 0 ? { arn, status: held } : { arn, status: 'SUCCEEDED', ...end },
    lock: async () => lock,
    backup: async () => undefined,
  };
  let looks = 0;
  return { aws, started };
}

/** Does it in this process; what was written, without colour. */
async function done(
  { aws }: { aws: OperationAws },
  options: Partial<OperationOptions> = {},
  deployment = DEPLOYMENT,
): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const to = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const given = { ...parseOperation('stop', ['mine', '--yes']), ...options };
  const code = await operate(OPERATION, given, { out: to('out'), err: to('err'), env: {} }, deployment, aws);
  return { code, ...written };
}

test('with --yes it is started in the account, and followed to its end', async () => {
  const made = account();
  const { code, out, err } = await done(made);
  expect(code).toBe(0);
  expect(out).toBe('stop mine:\n  2 servers stop\nExecution: arn:new\n  ok    mine sleeps\n');
  expect(err).toBe('');
  expect(made.started).toEqual([['arn:stop', { cause: 'command', force: false }]]);
});

test.each<[string, string, string]>([
  ['goes on to watch what runs without the lock', 'RUNNING', 'arn:before'],
  ['starts anew when that has ended', 'ABORTED', 'arn:new'],
])('it %s', async (_, held, execution) => {
  const made = account(undefined, undefined, held);
  const operation = { ...OPERATION, alsoUnderWay: async () => LOCK };
  let out = '';
  const to = { write: (text: string) => (out += text) };
  const given = parseOperation('stop', ['mine', '--yes']);
  expect(await operate(operation, given, { out: to, err: to, env: {} }, DEPLOYMENT, made.aws)).toBe(0);
  expect(out).toContain(`Execution: ${execution}\n  ok    mine sleeps`);
  expect(made.started).toHaveLength(execution === 'arn:new' ? 1 : 0);
});

test('--force is told the workflow', async () => {
  const made = account();
  await done(made, { force: true });
  expect(made.started).toEqual([['arn:stop', { cause: 'command', force: true }]]);
});

test('where nobody can be asked, nothing is done', async () => {
  const made = account();
  await expect(done(made, { yes: false })).rejects.toThrow(OptionError);
  await expect(done(made, { yes: false })).rejects.toThrow(/--yes.*--dry-run/);
  expect(made.started).toEqual([]);
});

test.each([false, true])('--dry-run changes nothing (json: %s)', async (json) => {
  const made = account();
  const { code, out } = await done(made, { dryRun: true, yes: false, json });
  expect(code).toBe(0);
  expect(made.started).toEqual([]);
  if (json)
    expect(JSON.parse(out)).toEqual({ deployment: 'mine', status: 'DRY_RUN', plan: ['2 servers stop'] });
  else expect(out).toBe('stop mine:\n  2 servers stop\n');
});

test('--no-wait leaves it to the account', async () => {
  const { code, out } = await done(account(), { noWait: true, json: true });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ deployment: 'mine', status: 'RUNNING', execution: 'arn:new' });
});

test.each<[string, Partial<Execution>, string]>([
  ['refused', { status: 'FAILED', message: 'Somebody is at work' }, 'Somebody is at work'],
  ['stopped by somebody', { status: 'ABORTED' }, 'the execution is ABORTED'],
  ['out of time', { status: 'TIMED_OUT' }, 'the execution is TIMED_OUT'],
])('one that is %s exits with 1, and says why', async (_name, end, words) => {
  const { code, out } = await done(account({ message: undefined, ...end }));
  expect(code).toBe(1);
  expect(out).toContain(`FAIL  ${words}`);
});

test('for programs one object comes on the standard output, and all else on the other one', async () => {
  const { code, out, err } = await done(account({ status: 'FAILED', message: 'no' }), { json: true });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    deployment: 'mine',
    execution: 'arn:new',
    status: 'FAILED',
    message: 'no',
  });
  expect(err).toContain('Execution: arn:new');
});

describe('what is under way', () => {
  test('is gone on with, and not started a second time, nor asked for', async () => {
    const made = account(undefined, LOCK);
    const { code, out } = await done(made, { yes: false, force: true });
    expect(code).toBe(0);
    expect(out).toContain('It is under way since 2026-01-01T20:00:00Z. --force does not change it');
    expect(out).toContain('Execution: arn:before');
    expect(made.started).toEqual([]);
  });

  test('and is another operation refuses', async () => {
    const made = account(undefined, { ...LOCK, operation: 'start', step: 'waiting for mgs-00' });
    const { code, out } = await done(made);
    expect(code).toBe(1);
    expect(out).toContain('start is under way since 2026-01-01T20:00:00Z: waiting for mgs-00');
    expect(made.started).toEqual([]);
  });

  test.each(['ABORTED', 'TIMED_OUT', 'FAILED', 'SUCCEEDED', 'UNKNOWN'])(
    'no more, since its execution is %s, is in nobody its way',
    async (held) => {
      for (const operation of ['stop', 'start']) {
        const made = account(undefined, { ...LOCK, operation }, held);
        await expect(done(made)).resolves.toMatchObject({ code: 0 });
        expect(made.started).toHaveLength(1);
      }
    },
  );
});

test.each<[string, { [name: string]: string }, RegExp]>([
  ['are not deployed', {}, /The stack mine-operations, .* make deploy DEPLOYMENT=mine/],
  ['have no stop', { OperationsTable: 'table', Workflows: '{}' }, /mine has no stop/],
])('of a deployment whose operations %s nothing can be started', async (_name, outputs, words) => {
  await expect(done(account(), {}, deploymentWith(outputs))).rejects.toThrow(words);
});

describe('whoever follows', () => {
  /** What is told while the execution stands so, look by look. */
  async function told(
    statuses: readonly string[],
    steps: readonly Partial<Lock>[],
  ): Promise<[Execution, string]> {
    let text = '';
    let looks = 0;
    const aws = {
      ...account().aws,
      execution: async (arn: string) => ({ arn, status: statuses[Math.min(looks, statuses.length - 1)]! }),
      lock: async () => ({ ...LOCK, execution: 'arn:new', ...steps[Math.min(looks, steps.length - 1)] }),
    };
    const terminal = new Terminal(
      {
        write: (each: string) => {
          text += each;
        },
      },
      {},
    );
    const pause = async () => void looks++;
    return [await follow(aws, 'table', 'arn:new', { terminal, pause }), text];
  }

  test('is told each step once, and none of another execution', async () => {
    const [end, text] = await told(
      ['RUNNING', 'RUNNING', 'PENDING_REDRIVE', 'RUNNING', 'SUCCEEDED'],
      [
        { step: 'nodes stop' },
        { step: 'nodes stop' },
        { step: 'unmount' },
        { step: 'other', execution: 'arn:other' },
      ],
    );
    expect(end.status).toBe('SUCCEEDED');
    expect(text).toBe('  nodes stop\n  unmount\n');
  });

  test('waits until Step Functions knows it, and not for ever', async () => {
    await expect(told(['UNKNOWN', 'UNKNOWN', 'RUNNING', 'SUCCEEDED'], [{}])).resolves.toMatchObject([
      { status: 'SUCCEEDED' },
      '  nodes stop\n',
    ]);
    await expect(told(['UNKNOWN'], [{}])).resolves.toMatchObject([{ status: 'UNKNOWN' }, expect.any(String)]);
  });
});

describe('the command line', () => {
  test('has all options', () => {
    const line = 'mine --yes --dry-run --force --json --no-wait --region eu-west-1 --profile p';
    expect(parseOperation('stop', line.split(' '))).toEqual({
      deployment: 'mine',
      yes: true,
      dryRun: true,
      force: true,
      json: true,
      noWait: true,
      region: 'eu-west-1',
      profile: 'p',
    });
    expect(parseOperation('start', ['mine'])).toMatchObject({
      yes: false,
      dryRun: false,
      force: false,
      json: false,
    });
  });

  test.each<[string[], RegExp]>([
    [[], /One deployment is needed/],
    [['mine', 'yours'], /One deployment is needed; given: mine yours/],
    [['config/mine.yaml'], /Did you mean mine\?/],
    [['mine', '--now'], /--now/],
    [['mine', '--yes=no'], /--yes/],
    [['mine', '--region', 'Europe'], /--region is 'Europe'/],
  ])('%j is refused', async (args, words) => {
    for (const verb of ['stop', 'start']) {
      expect(() => parseOperation(verb, args)).toThrow(words);
      let err = '';
      const screen = {
        write: (text: string) => {
          err += text;
        },
      };
      expect(await main([verb, ...args], { out: { write: () => undefined }, err: screen, env: {} })).toBe(2);
      expect(err).toMatch(words);
    }
  });
});
