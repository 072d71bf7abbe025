import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { jsonLog } from '../shared/log';
import { portsOn } from './aws';
import { environmentOf } from './environment';
import { show } from './handler';

/** Somebody waits in front of a dashboard: better no answer soon than one late. */
const CLIENT = { maxAttempts: 2, retryMode: 'standard' } as const;

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<string> {
  const environment = environmentOf(process.env);
  const log = jsonLog((line) => console.log(line), Date.now);
  return show(event, portsOn(new DynamoDBClient(CLIENT), environment, log), environment.settings);
}
