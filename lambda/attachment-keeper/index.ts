import { EC2Client } from '@aws-sdk/client-ec2';
import { HttpAnswers } from '../shared/answer';
import { clientOf } from '../shared/client';
import { EnvironmentReader } from '../shared/environment';
import { jsonLog } from '../shared/log';
import { Ec2Attachments, PATIENCE } from './aws';
import { type Handled, handle } from './handler';

/** The Lambda function's entry point. */
export async function handler(event: unknown): Promise<Handled> {
  const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));
  const ports = {
    attachments: new Ec2Attachments(new EC2Client(clientOf(PATIENCE))),
    answers: new HttpAnswers(fetch, sleep),
    log: jsonLog((line) => console.log(line), Date.now),
    timer: { now: Date.now, sleep },
  };
  const env = new EnvironmentReader(process.env);
  return handle(event, ports, {
    tag: env.text('CLUSTER_TAG'),
    volumeIds: env.text('VOLUMES').split(','),
    interfaceIds: env.text('INTERFACES').split(','),
  });
}
