import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { HttpAnswers } from '../shared/answer';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { CloudWatchMetrics, PATIENCE } from './aws';
import { type Handled, handle } from './handler';

/** The Lambda function's entry point. */
export async function handler(event: unknown): Promise<Handled> {
  const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
  return handle(event, {
    metrics: new CloudWatchMetrics(new CloudWatchClient(clientOf(PATIENCE)), Date.now),
    answers: new HttpAnswers(fetch, sleep),
    log: jsonLog((line) => console.log(line), Date.now),
    timer: { now: Date.now, sleep },
  });
}
