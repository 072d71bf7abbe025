import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { judgeRun } from './analysis';
import { DynamoHistory, S3Bucket, SnsTopic } from './aws';
import { environmentOf } from './environment';
import { eventOf, type Judged, judge } from './handler';
import { reportHtml } from './report';

const CLIENT = clientOf({ attempts: 5, timeoutMs: 10_000 });

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(input: unknown): Promise<Judged> {
  const event = eventOf(input);
  const { table, topicArn, dashboardUrl, region } = environmentOf(process.env);
  const clock = { now: () => Date.now(), sleep: (milliseconds: number) => sleep(milliseconds) };
  const print = (line: string) => console.log(line);
  return judge(
    event,
    {
      clock,
      print,
      log: jsonLog(print, clock.now),
      bucket: new S3Bucket(new S3Client(CLIENT), event.bucket),
      history: new DynamoHistory(new DynamoDBClient(CLIENT), table),
      topic: topicArn === undefined ? undefined : new SnsTopic(new SNSClient(CLIENT), topicArn),
      judge: judgeRun,
      report: reportHtml,
    },
    { bucket: event.bucket, region, dashboardUrl },
  );
}
