import { jsonLog } from '../shared/log';
import { HttpAnswers } from '../volume-map-resource/answer';
import { type Handled, handle } from './handler';

/** The Lambda function's entry point. It calls no service of AWS. */
export async function handler(event: unknown): Promise<Handled> {
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  return handle(event, {
    log: jsonLog((line) => console.log(line), Date.now),
    answers: new HttpAnswers(fetch, sleep),
  });
}
