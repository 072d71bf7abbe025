import { GATE_TIMEOUT } from '../../../constructs/private/benchmark-deadline';
import { handle } from '../../../lambda/benchmark-gate/handler';
import type { Ports } from '../../../lambda/benchmark-gate/ports';

class World {
  status = 'UPDATE_IN_PROGRESS';
  readonly answers: { Status: string; Reason: string; PhysicalResourceId: string }[] = [];
  readonly started: { arn: string; name: string; input: Record<string, unknown> }[] = [];
  broken = false;
  /** How long the function's role may do nothing, milliseconds from its first call. */
  forbiddenFor = 0;
  slept = 0;

  ports(): Ports {
    return {
      log: { info: () => {}, error: () => {}, metrics: () => {} },
      timer: {
        now: () => this.slept,
        sleep: async (ms) => {
          this.slept += ms;
        },
      },
      answers: { put: async (_url, body) => void this.answers.push(JSON.parse(body)) },
      workflow: {
        start: async (arn, name, input) => {
          if (this.broken) throw new Error('AccessDenied');
          this.started.push({ arn, name, input: input as Record<string, unknown> });
        },
      },
      stack: {
        status: async () => {
          if (this.slept >= this.forbiddenFor) return this.status;
          throw Object.assign(new Error('is not authorized'), { name: 'AccessDenied' });
        },
      },
    };
  }
}

const ADDRESS = {
  ResponseURL: 'https://answer',
  StackId: 'arn:stack',
  RequestId: 'request-1',
  LogicalResourceId: 'Run',
};

const request = (RequestType: string, more: object = {}, properties: object = {}) => ({
  ...ADDRESS,
  RequestType,
  ResourceProperties: {
    StateMachineArn: 'arn:machine',
    Gate: 'true',
    DeadlineSeconds: '3480',
    ...properties,
  },
  ...more,
});

test.each(['Create', 'Update'])('%s begins a run that answers by itself', async (type) => {
  const world = new World();
  expect(await handle(request(type), world.ports())).toEqual({ did: 'started' });
  expect(world.answers).toEqual([]);
  expect(world.started).toEqual([
    {
      arn: 'arn:machine',
      name: 'deployment-request-1',
      input: {
        cause: 'deployment',
        answer: { ...ADDRESS, PhysicalResourceId: 'benchmark-after-deployment' },
        deadlineSeconds: 3480,
      },
    },
  ]);
});

test('a deployment that does not wait is answered at once', async () => {
  const world = new World();
  await handle(request('Create', {}, { Gate: 'false' }), world.ports());
  expect(world.started[0]!.input).toEqual({ cause: 'deployment' });
  expect(world.answers).toMatchObject([
    { Status: 'SUCCESS', PhysicalResourceId: 'benchmark-after-deployment' },
  ]);
});

test.each(['UPDATE_ROLLBACK_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'])(
  'in %s nothing is measured',
  async (status) => {
    const world = new World();
    world.status = status;
    await handle(request('Update'), world.ports());
    expect(world.started).toEqual([]);
    expect(world.answers).toMatchObject([{ Status: 'SUCCESS' }]);
  },
);

test('a deletion is let go', async () => {
  const world = new World();
  await handle(request('Delete', {}, { StateMachineArn: undefined }), world.ports());
  expect(world.started).toEqual([]);
  expect(world.answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test.each([
  [{ StateMachineArn: '' }, 'StateMachineArn is ""'],
  [{ DeadlineSeconds: '99999' }, 'DeadlineSeconds is "99999"; allowed: 1 to 3600'],
])('properties %j are a failed request', async (properties, words) => {
  const world = new World();
  await handle(request('Create', {}, properties), world.ports());
  expect(world.answers[0]).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(words) });
});

test('a role that was made a moment ago is waited for', async () => {
  const world = new World();
  world.forbiddenFor = 20_000;
  expect(await handle(request('Create'), world.ports())).toEqual({ did: 'started' });
  expect(world.started).toHaveLength(1);
});

test('a role that may not do it is no reason to outlast the function', async () => {
  const world = new World();
  world.forbiddenFor = Number.POSITIVE_INFINITY;
  await handle(request('Create'), world.ports());
  expect(world.answers).toMatchObject([{ Status: 'FAILED', Reason: 'is not authorized' }]);
  expect(world.slept).toBeLessThan(1000 * GATE_TIMEOUT - 20_000);
});

test('a workflow that cannot be started fails the deployment with the reason', async () => {
  const world = new World();
  world.broken = true;
  await handle(request('Create'), world.ports());
  expect(world.answers).toMatchObject([{ Status: 'FAILED', Reason: 'AccessDenied' }]);
});

describe('at the end of the workflow', () => {
  const told = async (more: object) => {
    const world = new World();
    const answer = { ...ADDRESS, PhysicalResourceId: 'p' };
    await handle({ action: 'answer', answer, ...more }, world.ports());
    return world.answers[0]!;
  };

  test('only a passed verdict is a success', async () => {
    const judged = { verdict: 'passed', reasons: [], resultKey: 'r', reportKey: 'runs/x/report.html' };
    expect(await told({ judged })).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'p' });
    for (const verdict of ['failed', 'incomplete']) {
      const answer = await told({
        judged: { ...judged, verdict, reasons: ['Write is slow.', 'So is read.'] },
      });
      expect(answer).toMatchObject({
        Status: 'FAILED',
        Reason: `benchmark ${verdict}. Write is slow. So is read. Report: runs/x/report.html`,
      });
    }
  });

  test('without a verdict the reason is told', async () => {
    const Cause = JSON.stringify({ errorType: 'BenchmarkRefused', errorMessage: 'no host runs' });
    expect(await told({ error: { Error: 'BenchmarkRefused', Cause } })).toMatchObject({
      Status: 'FAILED',
      Reason: 'the benchmark was not done: BenchmarkRefused: no host runs',
    });
    expect(await told({ error: { Error: 'States.Timeout' } })).toMatchObject({ Status: 'FAILED' });
    expect(await told({})).toMatchObject({ Status: 'FAILED' });
  });

  test('an answer that has no address is ignored', async () => {
    const world = new World();
    expect(await handle({ action: 'answer', answer: {} }, world.ports())).toEqual({ did: 'ignored' });
    expect(await handle('x', world.ports())).toEqual({ did: 'ignored' });
  });
});
