import { describeError } from '../shared/log';
import { type Judgement, judge } from './judge';
import type { Ports } from './ports';
import type { SentCommand } from './remembered-hosts';
import { COUNTED_INTERVALS, READABLE_INTERVALS, type Settings, STARTING_INTERVALS } from './settings';

/** What a run ends with, for the log. */
export interface RunResult extends Judgement {
  readonly outcome: 'asked' | 'too-early';
  /** How many servers run. */
  readonly running: number;
}

/**
 * One run: reads what became of the last round of questions, and asks again. Which commands that were Systems Manager
 * knows; nothing else is remembered, so that a run may die after any call, and the next one does the same.
 *
 * Nothing follows from it but metrics and lines of the log. The clean-up of the scratch is the host's own decision.
 */
export async function run(ports: Ports, settings: Settings): Promise<RunResult> {
  const now = ports.now();
  const ago = (intervals: number): number => now - intervals * settings.intervalSeconds * 1000;
  const counted = ago(COUNTED_INTERVALS);
  const sent = await ports.health.sent(counted);
  // A second event for the same time, or one that came late.
  if (sent.some(({ sentAt }) => sentAt > ago(READABLE_INTERVALS))) {
    return { outcome: 'too-early', running: 0, unhealthy: [], silent: [], cutOff: [], unsure: [] };
  }
  const running = await ports.servers.running(settings.servers);
  const answers = await ports.health.answers(idsOf(sent));
  const judgement = judge(running, answers, ago(STARTING_INTERVALS));
  await ports.health.ask([...running.keys()]);
  const result: RunResult = { outcome: 'asked', running: running.size, ...judgement };
  ports.log.metrics(settings.grid, metricsOf(judgement));
  ports.log.info('round', { grid: settings.grid, ...result });
  await cleanUp(ports, settings, [...running.keys()], counted);
  return result;
}

const metricsOf = ({ unhealthy, silent, cutOff, usedPercent }: Judgement): Record<string, number> => ({
  UnhealthyNodes: unhealthy.length,
  SilentNodes: silent.length,
  NodesCutOff: cutOff.length,
  ...(usedPercent !== undefined ? { ScratchUsedPercent: usedPercent } : {}),
});

/** In the order in which they were sent. */
const idsOf = (sent: readonly SentCommand[]): string[] =>
  [...sent].sort((a, b) => a.sentAt - b.sentAt).map(({ id }) => id);

/** Says what the last clean-up did, and begins the next one when it is due. Its failure is no fault of the round. */
async function cleanUp(
  { cleanUp: port, log, now }: Ports,
  { grid, intervalSeconds, cleanUpSeconds }: Settings,
  running: readonly string[],
  counted: number,
): Promise<void> {
  if (cleanUpSeconds === undefined || running.length === 0) return;
  try {
    const sent = await port.sent(now() - (cleanUpSeconds - intervalSeconds / 2) * 1000);
    const recent = sent.filter(({ sentAt }) => sentAt >= counted);
    for (const { instanceId, done, said } of recent.length > 0 ? await port.results(idsOf(recent)) : [])
      if (!done || !said.startsWith('0 removed')) log.info('clean-up', { grid, instanceId, done, said });
    if (sent.length === 0) await port.ask(running);
  } catch (error) {
    log.error('the scratch cannot be cleaned up', { grid, error: describeError(error) });
  }
}
