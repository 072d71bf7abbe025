import { handle, type Ports } from '../../../lambda/first-data/handler';

const METRIC = { MetricName: 'SilentNodes', Dimensions: { Grid: 'mine-grid/Cluster' } };
const EVENT = {
  RequestType: 'Create',
  ResponseURL: 'https://example.com/answer',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'FirstData',
  ResourceProperties: METRIC,
};

/** CloudWatch, which shows what was put after some looks. */
function world({ looks = 0, there = false, fails = '' } = {}) {
  const put: unknown[] = [];
  const answers: { Status: string }[] = [];
  let now = 0;
  let left = looks;
  const ports: Ports = {
    metrics: {
      hasData: async () => {
        if (there) return true;
        if (put.length === 0) return false;
        left -= 1;
        return left < 0;
      },
      put: async (metric) => {
        if (fails) throw Object.assign(new Error('no'), { name: fails });
        put.push(metric);
      },
    },
    answers: { put: async (_, body) => void answers.push(JSON.parse(body)) },
    log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
    timer: {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds;
      },
    },
  };
  return { ports, put, answers, seconds: () => now / 1000 };
}

test('a metric without data gets a point, and is waited for until CloudWatch shows it', async () => {
  const { ports, put, answers, seconds } = world({ looks: 3 });
  await handle(EVENT, ports);
  expect(put).toEqual([{ name: 'SilentNodes', dimensions: METRIC.Dimensions }]);
  expect(seconds()).toBe(15);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('one that has data keeps what it says: an alarm that rings goes on', async () => {
  const { ports, put, answers } = world({ there: true });
  await handle(EVENT, ports);
  expect(put).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test.each([
  ['CloudWatch refuses', { fails: 'InternalServiceFault' }, EVENT],
  ['a right is missing for good', { fails: 'AccessDenied' }, EVENT],
  ['the point never shows', { looks: 1000 }, EVENT],
  ['the request is none', {}, { ...EVENT, ResourceProperties: {} }],
])('no deployment fails for it when %s', async (_, what, event) => {
  const { ports, answers, seconds } = world(what);
  await handle(event, ports);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
  // Within the time of the function, which is four minutes.
  expect(seconds()).toBeLessThan(180);
});

test('nothing is done when the resource goes', async () => {
  const { ports, put, answers } = world();
  await handle({ ...EVENT, RequestType: 'Delete' }, ports);
  expect(put).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});
