import { EC2Client } from '@aws-sdk/client-ec2';
import { type Handled, HttpAnswers } from '../shared/answer';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { Ec2Reservations, PATIENCE } from './aws';
import { handle } from './handler';

/** The Lambda function's entry point. */
export async function handler(event: unknown): Promise<Handled> {
  const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
  return handle(event, {
    reservations: new Ec2Reservations(new EC2Client(clientOf(PATIENCE))),
    answers: new HttpAnswers(fetch, sleep),
    log: jsonLog((line) => console.log(line), Date.now),
    timer: { now: Date.now, sleep },
  });
}
