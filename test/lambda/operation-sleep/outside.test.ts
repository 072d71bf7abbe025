import type { CommandInvocation } from '@aws-sdk/client-ssm';
import { takeSleepStep } from '../../../lambda/operation-sleep/handler';
import { answerOf } from '../../../lambda/shared/operation/answer';
import { environmentOf } from '../../../lambda/shared/operation/environment';
import { LUSTRE, World } from './world';

const invocation = (StatusDetails: string, Output = '', ResponseCode?: number): CommandInvocation => ({
  InstanceId: 'i-1',
  StatusDetails,
  CommandPlugins: [{ Output, ResponseCode }],
});

describe('an invocation', () => {
  test.each([
    ['Success', 'mounted: /sasdata \n', 0],
    ['Failed', 'sas has 2 processes at work ', 10],
  ])('that is %s says what its host says', (status, said, exitCode) =>
    expect(answerOf(invocation(status, said, exitCode))).toEqual({
      state: 'ended',
      exitCode,
      said: said.trim(),
    }),
  );

  test.each(['Pending', 'In Progress', 'Delayed', 'Cancelling'])('that is %s is waited for', (status) =>
    expect(answerOf(invocation(status))).toEqual({ state: 'pending', said: '' }),
  );

  test.each(['Delivery Timed Out', 'Execution Timed Out', 'Undeliverable', 'Terminated', 'Cancelled', ''])(
    'that is %j is silence, and no consent',
    (status) => {
      const answer = answerOf(invocation(status, 'nobody is at work', 0));
      expect(answer).toMatchObject({ state: 'silent' });
      expect(answer.exitCode).toBeUndefined();
    },
  );

  test('has its last lines told, and not a novel', () => {
    const said = answerOf(invocation('Failed', `first\n${'x'.repeat(500)}\nlast`, 1)).said;
    expect(said.length).toBeLessThanOrEqual(300);
    expect(answerOf(invocation('Failed', 'first\na\nb\nlast\n', 1)).said).toBe('a b last');
  });
});

test('the environment is what the construct sets', () => {
  const { deadlineSeconds, ...deployment } = LUSTRE;
  const env = {
    OPERATIONS_TABLE: 'table',
    DOCUMENT: 'document',
    DEADLINE_SECONDS: String(deadlineSeconds),
    DEPLOYMENT: JSON.stringify(deployment),
  };
  expect(environmentOf(env)).toEqual({ table: 'table', document: 'document', settings: LUSTRE });
  for (const name of Object.keys(env)) {
    expect(() => environmentOf({ ...env, [name]: undefined })).toThrow(name);
  }
});

test('what is neither stop nor start is refused by name', () => {
  const world = new World();
  const event = { operation: 'delete', execution: 'a', startedAt: '2026-01-01T20:00:00Z', input: {} };
  expect(() => takeSleepStep(event, world.ports(), LUSTRE)).toThrow(
    "operation is 'delete'; allowed: stop or start",
  );
});
