import { type DynamoDBClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain, toItem } from '../attributes';
import type { HistoryEntry } from './result';

/** The table of the runs: partition key `benchmark`, sort key `runId`. */

/**
 * The newest runs, the oldest of them first; with `before` only those older than that run. Consistent: a run that has
 * just ended is there.
 */
export async function readHistory(
  client: DynamoDBClient,
  table: string,
  benchmark: string,
  options: { readonly limit: number; readonly before?: string },
): Promise<HistoryEntry[]> {
  const { limit, before } = options;
  const entries: HistoryEntry[] = [];
  let start: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression:
          before === undefined ? 'benchmark = :benchmark' : 'benchmark = :benchmark AND runId < :before',
        ExpressionAttributeValues: toItem({ ':benchmark': benchmark, ':before': before }),
        Limit: limit,
        ExclusiveStartKey: start,
      }),
    );
    for (const item of page.Items ?? []) {
      const entry = entryOf(fromItem(item));
      if (entry !== undefined && entries.length < limit) entries.push(entry);
    }
    start = page.LastEvaluatedKey;
    // A page ends after 1 MB, too, and may hold items that are no runs.
  } while (start !== undefined && entries.length < limit);
  return entries.reverse();
}

const VERDICTS: readonly unknown[] = ['passed', 'failed', 'incomplete'];

/** An item of a run; undefined for what is none, so that one spoiled item does not hide the others. */
function entryOf(item: { [key: string]: Plain | undefined }): HistoryEntry | undefined {
  const { benchmark, runId, startedAt, verdict } = item;
  if (typeof benchmark !== 'string' || typeof runId !== 'string' || typeof startedAt !== 'string') return;
  if (!VERDICTS.includes(verdict)) return undefined;
  return {
    benchmark,
    runId,
    startedAt,
    verdict: verdict as HistoryEntry['verdict'],
    packageVersion: textOf(item.packageVersion) ?? '',
    MBps: numbersOf(item.MBps),
    MBpsPerCore: numbersOf(item.MBpsPerCore),
    configuration: textOf(item.configuration) ?? '',
    resultKey: textOf(item.resultKey),
    reportKey: textOf(item.reportKey),
    wantedPerCore: numbersOf(item.wantedPerCore),
    reasons: Array.isArray(item.reasons) ? item.reasons.filter((reason) => typeof reason === 'string') : [],
    notRepresentative: textOf(item.notRepresentative),
  };
}

const textOf = (value: Plain | undefined) => (typeof value === 'string' ? value : undefined);

function numbersOf(value: Plain | undefined): Record<string, number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const numbers = Object.entries(value).filter(
    (member): member is [string, number] => typeof member[1] === 'number' && Number.isFinite(member[1]),
  );
  return Object.fromEntries(numbers);
}
