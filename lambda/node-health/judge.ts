import type { Answer } from './ports';
import { UNREACHABLE } from './settings';

/** A server, and why, for people. */
export interface Told {
  readonly instanceId: string;
  readonly name: string;
  readonly why: string;
}

/** What a round shows of a grid. */
export interface Judgement {
  /** They say so themselves, for more than a file server that they cannot reach. */
  readonly unhealthy: Told[];
  /** EC2 has them running for long enough, and they did not answer. */
  readonly silent: Told[];
  /** They cannot reach a file server over the network. */
  readonly cutOff: Told[];
  /** They cannot tell: they have just started, or something on them does not say. */
  readonly unsure: Told[];
  /** How full the fullest scratch is; undefined when nobody said. */
  readonly usedPercent?: number;
}

/**
 * What the servers that run said. A server that is stopped is asked nothing, and is all right.
 *
 * @param running since when each one runs, in milliseconds since 1970
 * @param ready one that runs since then has to answer
 */
export function judge(
  running: ReadonlyMap<string, number>,
  answers: ReadonlyMap<string, Answer>,
  ready: number,
): Judgement {
  const unhealthy: Told[] = [];
  const silent: Told[] = [];
  const cutOff: Told[] = [];
  const unsure: Told[] = [];
  const used: number[] = [];
  for (const [instanceId, since] of running) {
    const answer: Answer = answers.get(instanceId) ?? { is: 'silent', why: 'its agent could not be reached' };
    if (answer.is === 'silent') {
      if (since <= ready) silent.push({ instanceId, name: '', why: answer.why });
      continue;
    }
    const told = {
      instanceId,
      name: answer.name,
      why: answer.reasons.map(({ code, text }) => `${code}: ${text}`).join('; '),
    };
    if (answer.usedPercent !== undefined) used.push(answer.usedPercent);
    if (answer.is === 'unsure') unsure.push(told);
    if (answer.is !== 'unhealthy') continue;
    const lost = answer.reasons.filter(({ code }) => code === UNREACHABLE);
    if (lost.length > 0) cutOff.push(told);
    if (lost.length < answer.reasons.length || lost.length === 0) unhealthy.push(told);
  }
  return {
    unhealthy,
    silent,
    cutOff,
    unsure,
    ...(used.length > 0 ? { usedPercent: Math.max(...used) } : {}),
  };
}
