import { type Handled, HttpAnswers } from '../shared/answer';
import { jsonLog } from '../shared/log';
import { handle } from './handler';

const ports = {
  log: jsonLog((line) => console.log(line), Date.now),
  answers: new HttpAnswers(fetch, (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))),
};

/** The Lambda function's entry point. */
export async function handler(event: unknown): Promise<Handled> {
  return handle(event, ports);
}
