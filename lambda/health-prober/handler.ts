import { describeError } from '../shared/log';
import { deploymentObstacle, obstacleTo } from './guards';
import { type Count, type Judgement, judge, probed, unasked } from './judge';
import type { Group, Mark, Ports, TierState } from './ports';
import { GOING_TO_SLEEP_MS, ROUND_MS, type Settings } from './settings';

/** What a run ends with, for the log. */
export interface RunResult {
  readonly outcome: 'probed' | 'idle' | 'too-early' | 'path-lost';
  readonly asked: number;
  readonly missing: string[];
  readonly unknown: string[];
  /** The server that was declared unhealthy. */
  readonly marked?: string;
  /** Why nothing was counted, or nobody was declared unhealthy. */
  readonly withheld?: string;
}

/** The marks that are kept: enough for a day at the shortest pause would be many; those of the limits suffice. */
const KEPT_MARKS = 100;

/**
 * One run: reads what became of the last round of probes, has at most one server replaced, and asks all servers again.
 * Nothing is remembered between runs but in the map, so that it may die after any call.
 *
 * It takes nothing from any server. What it does at most is to tell Auto Scaling that an instance is unhealthy; volumes
 * move when the instance was seen terminated, as after any other failure.
 */
export async function run(ports: Ports, settings: Settings): Promise<RunResult> {
  try {
    return await probeAll(ports, settings);
  } catch (error) {
    // The way to a service of AWS is lost, or it throttles. That is a fault of the prober, never of a server.
    ports.log.error('the servers cannot be probed', { tier: settings.tier, error: describeError(error) });
    ports.log.metrics(settings.tierTag, metricsOf(settings.slotCount, 0, 0, 0));
    return { outcome: 'path-lost', asked: 0, missing: [], unknown: [], withheld: describeError(error) };
  }
}

/**
 * Servers of a tier that goes to sleep stop serving before they go. Those that run longer after that than a stop may
 * take were woken by somebody.
 */
const isGoingToSleep = (sleep: TierState['rows']['sleep'], now: number): boolean =>
  sleep !== undefined && !(now - Date.parse(sleep.since) > GOING_TO_SLEEP_MS);

async function probeAll(ports: Ports, settings: Settings): Promise<RunResult> {
  const now = ports.clock.now();
  const state = await ports.map.read();
  const { slots, sleep } = state.rows;
  const none = { asked: 0, missing: [], unknown: [] };
  if (isGoingToSleep(sleep, now) || slots.length === 0 || slots.every((row) => row.released)) {
    ports.log.metrics(settings.tierTag, metricsOf(0, 0, 0, 0));
    return { outcome: 'idle', ...none };
  }
  // A second event for the same minute, or one that came late.
  if (state.round && Math.abs(now - Date.parse(state.round.sentAt)) < ROUND_MS)
    return { outcome: 'too-early', ...none };

  const group = (await ports.group.describe()) ?? { members: [], suspended: [] };
  const answers = await ports.hosts.answers(state.round?.commands ?? []);
  const judgement = judge(state, group, answers, now, settings);
  for (const { claim, record } of judgement.counts) await ports.map.count(claim, record);
  const verdict = await replaceOne(judgement, state, group, ports, settings);

  await askAgain(state, group, ports);
  const unknown = [...judgement.unknown, ...unasked(state, group)];
  const result: RunResult = {
    outcome: 'probed',
    asked: judgement.asked.length,
    missing: judgement.missing,
    unknown,
    ...verdict,
  };
  ports.log.metrics(
    settings.tierTag,
    metricsOf(unknown.length, judgement.missing.length, verdict.marked ? 1 : 0, verdict.withheld ? 1 : 0),
  );
  const why = Object.fromEntries(
    judgement.counts.map((count) => [count.claim.slot, count.why ?? 'serves again']),
  );
  ports.log.info('round', { tier: settings.tier, round: state.round?.round, ...result, why });
  return result;
}

const metricsOf = (
  unprobed: number,
  missing: number,
  marked: number,
  withheld: number,
): Record<string, number> => ({
  UnprobedServers: unprobed,
  MissingServices: missing,
  ServersDeclaredUnhealthy: marked,
  ReplacementsWithheld: withheld,
});

/** Declares at most one server unhealthy. */
async function replaceOne(
  judgement: Judgement,
  state: TierState,
  group: Group,
  ports: Ports,
  settings: Settings,
): Promise<{ marked?: string; withheld?: string }> {
  if (judgement.suspect !== undefined) return { withheld: judgement.suspect };
  const [first] = judgement.candidates;
  if (first === undefined) return unproven(judgement);
  const now = ports.clock.now();
  const obstacleOf = (each: Count) => obstacleTo(each, state, group, now, settings);
  // A slot that no server mends keeps no other one from getting a new server.
  const candidate = judgement.candidates.find((each) => obstacleOf(each) === undefined) ?? first;
  const obstacle = obstacleOf(candidate) ?? (await deployment(ports));
  if (obstacle !== undefined) return { withheld: `${candidate.claim.owner} is not replaced: ${obstacle}` };
  return declareUnhealthy(candidate, state, ports);
}

/** A program that has never said of a server that it serves may be wrong about it: a person has to look. */
function unproven({ unproven: [first] }: Judgement): { withheld?: string } {
  if (first === undefined) return {};
  const { owner } = first.claim;
  return { withheld: `${owner} is not replaced: this probe has never said of it that it serves` };
}

/** What cannot be known is an obstacle. */
async function deployment(ports: Ports): Promise<string | undefined> {
  try {
    return deploymentObstacle(await ports.stack.status(), await ports.group.isRefreshing());
  } catch (error) {
    return `whether a deployment is under way cannot be told, ${describeError(error)}`;
  }
}

/** The intent goes into the map first. If a run dies in between, the next one does it again, within the same limits. */
async function declareUnhealthy(
  candidate: Count,
  state: TierState,
  ports: Ports,
): Promise<{ marked?: string; withheld?: string }> {
  const { claim, record } = candidate;
  const at = new Date(ports.clock.now()).toISOString();
  const mark: Mark = { slot: claim.slot, owner: claim.owner, at };
  const marks = [...state.marks.filter(({ owner }) => owner !== claim.owner), mark].slice(-KEPT_MARKS);
  const last = state.marks[state.marks.length - 1];
  if (!(await ports.map.mark(claim, { ...record, markedAt: at }, marks, last))) {
    return { withheld: 'its row, or the last declared server, has changed since it was read' };
  }
  const done = await ports.group.setUnhealthy(claim.owner);
  if (!done) return { withheld: `${claim.owner} is not a member of the group any more` };
  ports.log.info('declared unhealthy', { ...claim, misses: record.misses, why: candidate.why });
  return { marked: claim.owner };
}

/** A round whose sending fails is begun all the same, without commands: the next run sees that nothing is known. */
async function askAgain(state: TierState, group: Group, ports: Ports): Promise<void> {
  // Two rows may name one server, when the map was edited by hand.
  const owners = [...new Set(probed(state, group).map((row) => row.owner))];
  const sentAt = new Date(ports.clock.now()).toISOString();
  let commands: string[] = [];
  let failure: unknown;
  try {
    commands = owners.length > 0 ? await ports.hosts.ask(owners) : [];
  } catch (error) {
    failure = error;
  }
  await ports.map.begin({ round: (state.round?.round ?? 0) + 1, sentAt, commands });
  if (failure !== undefined) throw failure;
}
