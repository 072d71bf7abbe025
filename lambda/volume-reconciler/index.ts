import { awsPorts } from './aws';
import { settingsOf } from './environment';
import { reconcile } from './handler';
import type { PassResult } from './result';

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<PassResult> {
  const { settings, table, document } = settingsOf(process.env);
  return reconcile(event, awsPorts(settings, table, document), settings);
}
