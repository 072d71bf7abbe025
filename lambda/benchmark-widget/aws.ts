import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readHistory } from '../shared/benchmark/history-table';
import type { Log } from '../shared/log';
import type { Environment } from './environment';
import type { Ports } from './ports';

/** The ports on this client. */
export function portsOn(dynamodb: DynamoDBClient, { table, settings }: Environment, log: Log): Ports {
  const newest = (limit: number) => readHistory(dynamodb, table, settings.benchmark, { limit });
  return { log, history: { newest } };
}
