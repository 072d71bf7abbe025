import { setTimeout as sleep } from 'node:timers/promises';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { GetCommandInvocationCommand, SendCommandCommand, SSMClient } from '@aws-sdk/client-ssm';
import { NEWEST } from '../../lambda/shared/document-version';
import { ask, errorName } from '../preflight/aws/ask';
import { clientOptions } from './aws';
import type { Journal, LogEvent, LogsAws } from './port';

const LOOK_MS = 1000;
/** Longer than the document lets its program run. */
const LOOKS = 150;
const DELIVERY_SECONDS = 30;
const GOING_ON = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

export function logsAws(region: string): LogsAws {
  const logs = new CloudWatchLogsClient(clientOptions(region));
  const ssm = new SSMClient(clientOptions(region));
  return {
    events: async (logGroupName, since, filter, most) => {
      const found: LogEvent[] = [];
      let cut = false;
      const input = {
        logGroupName,
        startTime: since,
        // As one term, whatever characters are in it.
        filterPattern: filter === undefined ? undefined : `"${filter.replace(/["\\]/g, '\\$&')}"`,
      };
      const pages = paginateFilterLogEvents({ client: logs }, input)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await ask('logs:FilterLogEvents', () => pages.next());
        if (done) return { events: found, cut };
        for (const { eventId = '', timestamp = 0, logStreamName = '', message = '' } of value.events ?? [])
          found.push({ id: eventId, at: timestamp, stream: logStreamName, message: message.trimEnd() });
        if (found.length > most) {
          found.splice(0, found.length - most);
          cut = true;
        }
      }
    },
    journal: async (DocumentName, InstanceId, since) => {
      try {
        const CommandId = await ask('ssm:SendCommand', async (abortSignal) => {
          const command = new SendCommandCommand({
            DocumentName,
            DocumentVersion: NEWEST,
            InstanceIds: [InstanceId],
            TimeoutSeconds: DELIVERY_SECONDS,
            Comment: 'cdk-sas-grid logs',
            Parameters: { Since: [String(Math.floor(since / 1000))] },
          });
          return (await ssm.send(command, { abortSignal })).Command!.CommandId!;
        });
        return await answer(ssm, CommandId, InstanceId);
      } catch (error) {
        if (errorName(error) !== 'InvalidInstanceId') throw error;
        return { text: '', why: 'its agent of Systems Manager does not answer' };
      }
    },
  };
}

async function answer(client: SSMClient, CommandId: string, InstanceId: string): Promise<Journal> {
  for (let look = 0; look < LOOKS; look++) {
    await sleep(LOOK_MS);
    try {
      const found = await ask('ssm:GetCommandInvocation', (abortSignal) =>
        client.send(new GetCommandInvocationCommand({ CommandId, InstanceId }), { abortSignal }),
      );
      const { Status = '', StandardOutputContent: text = '', StandardErrorContent: wrong = '' } = found;
      if (GOING_ON.includes(Status)) continue;
      if (Status === 'Success') return { text };
      return { text, why: wrong.trim().split('\n')[0] || `the command is ${found.StatusDetails ?? Status}` };
    } catch (error) {
      // It is not there yet.
      if (errorName(error) !== 'InvocationDoesNotExist') throw error;
    }
  }
  return { text: '', why: 'it did not answer in time' };
}
