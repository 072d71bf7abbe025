import { TIME_TO_LIVE } from '../private/recoveries';
import type { DocumentParts } from './document-parts';
import { type ApiInput, apiStep, output, RUNTIME, type Step } from './steps';

/**
 * The partition of the lock in the volume map, apart from the rows of tiers, which no game day may write. No tier can
 * have this name.
 */
export const LOCK_KEY = 'game-day#lock';

/**
 * How much longer than the recovery may take a game day may be at work: its checks, its measurement, and the clients'
 * second look.
 */
const MORE_SECONDS = 3600;

const NAMES = { '#execution': 'execution' };
const ME = { ':me': { S: '{{ automation:EXECUTION_ID }}' } };

/**
 * Takes the lock, for one game day at a time in all tiers of a volume map. What another one has just done may not be
 * seen by anybody yet.
 *
 * A game day that was stopped leaves it behind; then it is over by itself after the longest time that one can take.
 */
export function lock({ table, recoverySeconds, script }: DocumentParts): Step[] {
  return [
    {
      name: 'lockTimes',
      action: 'aws:executeScript',
      timeoutSeconds: 60,
      inputs: {
        Runtime: RUNTIME,
        Handler: 'lock_times',
        InputPayload: { seconds: recoverySeconds + MORE_SECONDS },
        Script: script,
      },
      outputs: [output('Now', '$.Payload.now'), output('Until', '$.Payload.until')],
      onFailure: 'step:notStarted',
      isCritical: true,
    },
    apiStep(
      'lock',
      {
        ...item(table, 'UpdateItem'),
        UpdateExpression: 'SET #execution = :me, #until = :until',
        ConditionExpression: 'attribute_not_exists(#execution) OR #execution = :me OR #until < :now',
        ExpressionAttributeNames: { ...NAMES, '#until': TIME_TO_LIVE },
        ExpressionAttributeValues: {
          ...ME,
          ':now': { N: '{{ lockTimes.Now }}' },
          ':until': { N: '{{ lockTimes.Until }}' },
        },
      },
      'anotherOne',
    ),
  ];
}

/** The step that removes the lock, if it is this game day's, and goes on to the ending, whether it could or not. */
export function unlock(table: string, ending: string): Step {
  const inputs = {
    ...item(table, 'DeleteItem'),
    ConditionExpression: '#execution = :me',
    ExpressionAttributeNames: NAMES,
    ExpressionAttributeValues: ME,
  };
  const step = apiStep(unlockBefore(ending), inputs, ending);
  return { ...step, isCritical: false, nextStep: ending };
}

/** The name of the step that removes the lock before an ending. */
export const unlockBefore = (ending: string): string => `unlock_${ending}`;

const item = (table: string, Api: string): ApiInput => ({
  Service: 'dynamodb',
  Api,
  TableName: table,
  Key: { tier: { S: LOCK_KEY }, item: { S: 'lock' } },
});
