import type { CommandInvocation } from '@aws-sdk/client-ssm';
import { statusOf } from '../commanded-hosts';

/** What became of a command on one host. */
export interface Answer {
  readonly state: 'pending' | 'ended' | 'silent';
  readonly exitCode?: number;
  readonly said: string;
}

const MAX_SAID = 300;

/** How an invocation stands that is not over. */
const UNDER_WAY: readonly string[] = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

/** What an invocation says of its host. */
export function answerOf(invocation: CommandInvocation): Answer {
  const status = statusOf(invocation);
  if (UNDER_WAY.includes(status)) return { state: 'pending', said: '' };
  if (!['Success', 'Failed'].includes(status))
    return { state: 'silent', said: `the command is ${status || 'lost'}` };
  const plugin = invocation.CommandPlugins?.[0];
  const said = (plugin?.Output ?? '').trim().split('\n').slice(-3).join(' ').slice(0, MAX_SAID);
  return { state: 'ended', exitCode: plugin?.ResponseCode, said };
}
