import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CommandInvocation,
  paginateDescribeInstanceInformation,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { COMMAND_INSTANCES } from '../../constructs/facts/services';
import { answerOf as probeAnswerOf } from '../../lambda/health-prober/aws-hosts';
import { answerOf } from '../../lambda/node-health/aws';
import { RememberedHosts } from '../../lambda/node-health/remembered-hosts';
import { statusOf } from '../../lambda/shared/commanded-hosts';
import { ask } from '../preflight/aws/ask';
import { allPages } from '../preflight/aws/ec2';
import type { HealthLook } from './port';

/** Servers are asked every five minutes: so far back the answers of three rounds lie. */
const ASKED_MS = 16 * 60_000;

/** Rounds that are read: the last one may be under way. */
const ROUNDS = 3;

const RUN_SECONDS = 30;
const LOOK_MS = 1000;
const SHELL = 'AWS-RunShellScript';

/** What each server of a grid last said, in the newest round that it answered. */
export async function healthOf(
  client: SSMClient,
  document: string,
): Promise<{ [instanceId: string]: HealthLook }> {
  const newest = await newestOf(client, document);
  return Object.fromEntries(
    [...newest].map(([instanceId, invocation]) => {
      const answer = answerOf(invocation);
      const at = invocation.RequestedDateTime?.toISOString() ?? '';
      if (answer.is === 'silent')
        return [instanceId, { is: answer.is, reasons: [{ code: 'agent', text: answer.why }], at }];
      return [instanceId, { ...answer, name: answer.name || undefined, at }];
    }),
  );
}

/** Why each storage server that was probed through this document does not serve, in its own words. */
export async function saidOf(client: SSMClient, document: string): Promise<{ [instanceId: string]: string }> {
  const newest = await newestOf(client, document);
  return Object.fromEntries(
    [...newest].flatMap(([instanceId, invocation]) => {
      const answer = probeAnswerOf(invocation);
      const said = answer.is === 'fails' ? answer.said : answer.is === 'unknown' ? answer.why : '';
      return said ? [[instanceId, said]] : [];
    }),
  );
}

/** The newest invocation of each instance that has ended; of one that has none, the newest. */
async function newestOf(client: SSMClient, document: string): Promise<Map<string, CommandInvocation>> {
  const hosts = new RememberedHosts(client, document, '');
  const sent = await ask('ssm:ListCommands', () => hosts.sent(Date.now() - ASKED_MS));
  const recent = sent.sort((a, b) => b.sentAt - a.sentAt);
  // A round of many servers has several commands, sent within moments of each other.
  const commands = recent.slice(
    0,
    ROUNDS * Math.max(1, recent.filter(({ sentAt }) => sentAt > recent[0]!.sentAt - 60_000).length),
  );
  const found = await ask('ssm:ListCommandInvocations', () =>
    hosts.invocations(commands.map(({ id }) => id)),
  );
  const newest = new Map<string, CommandInvocation>();
  for (const one of found) {
    const before = newest.get(one.InstanceId!);
    if (!before || (!hasEnded(before) && hasEnded(one))) newest.set(one.InstanceId!, one);
  }
  return newest;
}

const hasEnded = (invocation: CommandInvocation): boolean =>
  !/^(Pending|InProgress|Delayed|Cancelling|)$/.test(statusOf(invocation));

/** Runs a script, and waits a bounded time for what it prints. */
export async function runOn(
  client: SSMClient,
  instanceIds: readonly string[],
  script: string,
): Promise<{ [instanceId: string]: string }> {
  const hosts = new RememberedHosts(client, SHELL, '');
  const commands: string[] = [];
  for (let start = 0; start < instanceIds.length; start += COMMAND_INSTANCES.value) {
    // One without an agent that answers makes SendCommand refuse them all.
    const online = await onlineOf(client, instanceIds.slice(start, start + COMMAND_INSTANCES.value));
    if (online.length > 0) commands.push(await send(client, online, script));
  }
  const until = Date.now() + RUN_SECONDS * 1000;
  for (;;) {
    const found = await ask('ssm:ListCommandInvocations', () => hosts.invocations(commands));
    if (found.every(hasEnded) || Date.now() > until) {
      const done = found.filter((one) => statusOf(one) === 'Success');
      return Object.fromEntries(done.map((one) => [one.InstanceId!, one.CommandPlugins?.[0]?.Output ?? '']));
    }
    await sleep(LOOK_MS);
  }
}

async function onlineOf(client: SSMClient, Values: string[]): Promise<string[]> {
  const Filters = [{ Key: 'InstanceIds', Values }];
  const found = await ask('ssm:DescribeInstanceInformation', () =>
    allPages(
      paginateDescribeInstanceInformation({ client }, { Filters }),
      ({ InstanceInformationList = [] }) => InstanceInformationList,
    ),
  );
  return found.flatMap(({ InstanceId, PingStatus }) =>
    PingStatus === 'Online' && InstanceId ? [InstanceId] : [],
  );
}

async function send(client: SSMClient, InstanceIds: string[], script: string): Promise<string> {
  const { Command } = await ask('ssm:SendCommand', (abortSignal) =>
    client.send(
      new SendCommandCommand({
        DocumentName: SHELL,
        InstanceIds,
        TimeoutSeconds: RUN_SECONDS,
        Comment: 'cdk-sas-grid status: how full is it?',
        Parameters: { commands: script.split('\n'), executionTimeout: [String(RUN_SECONDS)] },
      }),
      { abortSignal },
    ),
  );
  return Command!.CommandId!;
}
