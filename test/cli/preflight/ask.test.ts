import { ask, isUnchecked, type Unchecked } from '../../../cli/preflight/aws/ask';

const failing = (name: string, code?: string) => async (): Promise<never> => {
  throw Object.assign(new Error('told by AWS'), { name, code });
};

test.each([
  ['UnauthorizedOperation', undefined, 'the right to ec2:DescribeImages is missing', 'ec2:DescribeImages'],
  ['AccessDeniedException', undefined, 'the right to ec2:DescribeImages is missing', 'ec2:DescribeImages'],
  ['RequestLimitExceeded', undefined, 'ec2:DescribeImages was refused 6 times as one too many', undefined],
  ['Error', 'ECONNREFUSED', 'ec2:DescribeImages reached nobody: told by AWS', undefined],
])('%s %s is nothing that AWS has answered', async (name, code, message, action) => {
  const error = await ask('ec2:DescribeImages', failing(name, code)).catch((one: unknown) => one);
  expect(isUnchecked(error)).toBe(true);
  expect(error).toMatchObject({ message, action });
});

test('what else AWS says is passed on', async () => {
  await expect(ask('ec2:DescribeImages', failing('InvalidAMIID.NotFound'))).rejects.toThrow('told by AWS');
});

test('a call without an answer ends, and is stopped', async () => {
  jest.useFakeTimers();
  let stopped = false;
  const asked = ask('ec2:DescribeImages', (signal) => {
    signal.addEventListener('abort', () => {
      stopped = true;
    });
    return new Promise<never>(() => {});
  }).catch((one: Unchecked) => one.message);
  await jest.advanceTimersByTimeAsync(15_000);
  jest.useRealTimers();
  expect(await asked).toBe('ec2:DescribeImages got no answer in 15 s');
  expect(stopped).toBe(true);
});
