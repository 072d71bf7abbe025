import { EC2Client } from '@aws-sdk/client-ec2';
import { clientOf } from '../shared/client';
import { EnvironmentReader } from '../shared/environment';
import { jsonLog } from '../shared/log';
import { Ec2Snapshots, PATIENCE } from './aws';
import { type Handled, handle } from './handler';

/** The Lambda function's entry point. */
export async function handler(): Promise<Handled> {
  const env = new EnvironmentReader(process.env);
  const tierTag = env.text('TIER_TAG');
  const log = jsonLog((line) => console.log(line), Date.now);
  const store = new Ec2Snapshots(new EC2Client(clientOf(PATIENCE)), env.text('VOLUMES').split(','), {
    key: env.text('SNAPSHOT_TAG_KEY'),
    value: tierTag,
  });
  return handle({ store, log, now: Date.now }, tierTag);
}
