import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { portsOn } from './aws';
import { environmentOf } from './environment';
import { show } from './handler';

/** Somebody waits in front of a dashboard: better no answer soon than one late. */
const CLIENT = clientOf({ attempts: 2, timeoutMs: 5_000 });

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<string> {
  const environment = environmentOf(process.env);
  const log = jsonLog((line) => console.log(line), Date.now);
  return show(event, portsOn(new DynamoDBClient(CLIENT), environment, log), environment.settings);
}
