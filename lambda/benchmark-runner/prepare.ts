import { type BenchmarkDefinition, runKey } from '../../constructs/private/benchmark-definition';
import type { Estimate, RunRecord } from '../shared/benchmark/plan';
import type { ObservedMachines } from './chosen-machines';
import { testsEndAt } from './deadline';
import { type PlannedRun, planRun, runIdOf } from './plan-run';
import type { Instance, Ports } from './ports';
import { BenchmarkRefused, TimeIsShort } from './refusal';
import { type RunRequest, requestOf } from './request';
import type { Step } from './steps';

/** What the workflow says when it asks for a run. */
export interface PrepareEvent {
  readonly definition: BenchmarkDefinition;
  /** The execution: its ARN, and when it began (ISO 8601). */
  readonly execution: { readonly id: string; readonly startedAt: string };
  /** Its input. */
  readonly input?: unknown;
}

/** What the workflow carries on. */
export interface Prepared {
  /** `waiting`: hosts start and have not reported yet. */
  readonly outcome: 'waiting' | 'ready';
  readonly waitSeconds: number;
  readonly runId?: string;
  readonly runKey?: string;
  readonly benchmark?: string;
  /** How many steps there are. */
  readonly steps?: number;
  /** The first of those that clean up: what follows when something breaks the run off. */
  readonly cleanUpStep?: number;
  readonly hosts?: number;
  readonly estimate?: Estimate;
  /** What is about to be done, in words. */
  readonly summary?: string;
}

/** How long a run that no deployment has asked for waits for agents that do not report. */
const PATIENCE_SECONDS = 60;

const WAIT_SECONDS = 10;

/** Until the first step has begun, which renews the lock for its time. */
const LOCK_SECONDS = 900;

/**
 * Finds the hosts, plans the run, takes the lock and writes the record. Repeated, or after a crash, it ends in the
 * same: the run's id is that of the execution, and what was written is not planned anew.
 */
export async function prepare(event: PrepareEvent, ports: Ports): Promise<Prepared> {
  const { definition, execution } = event;
  const request = requestOf(event.input);
  const startedAt = Date.parse(execution.startedAt);
  if (!Number.isFinite(startedAt))
    throw new Error(`the start ${JSON.stringify(execution.startedAt)} is no time`);
  const runId = runIdOf(execution.id, startedAt);

  const [known, knownSteps] = await Promise.all([ports.store.run(runId), ports.store.steps(runId)]);
  if (known && knownSteps) {
    await takeLock(runId, ports);
    return readyToRun(known, knownSteps);
  }
  const machines = await findMachines(definition, ports);
  const now = ports.clock.now();
  const { notRepresentative } = ports;
  const circumstances = { runId, startedAt, now, notRepresentative };
  const plan = (): PlannedRun => planRun(definition, request, onlyRunning(machines), circumstances);
  const elapsedSeconds = (now - startedAt) / 1000;
  if (
    waitsForHosts(machines, request, definition, elapsedSeconds) &&
    !isLastMoment(plan, request, circumstances)
  ) {
    return { outcome: 'waiting', waitSeconds: WAIT_SECONDS };
  }
  const { run, steps } = plan();
  await takeLock(runId, ports);
  // The record comes last: where it is, the steps are.
  await ports.store.saveSteps(runId, steps);
  await ports.store.saveRun(run);
  const prepared = readyToRun(run, steps);
  ports.log.info('run prepared', { runId, summary: prepared.summary });
  return prepared;
}

async function findMachines(definition: BenchmarkDefinition, ports: Ports): Promise<ObservedMachines> {
  const [hosts, servers] = await Promise.all([
    ports.instances.tagged(definition.hosts),
    definition.servers.length > 0 ? ports.instances.tagged(definition.servers) : [],
  ]);
  const up = [...hosts, ...servers].filter(({ state }) => state === 'running').map((one) => one.instanceId);
  const online = up.length > 0 ? await ports.commands.online([...new Set(up)]) : [];
  return { hosts: sortedByName(hosts), servers: sortedByName(servers), online: new Set(online) };
}

/** In the same order each time, whatever EC2's is. */
const sortedByName = (machines: Instance[]): Instance[] =>
  [...machines].sort(
    (a, b) => (a.name ?? '').localeCompare(b.name ?? '') || a.instanceId.localeCompare(b.instanceId),
  );

const onlyRunning = ({ hosts, servers, online }: ObservedMachines): ObservedMachines => ({
  hosts: hosts.filter(({ state }) => state === 'running'),
  servers: servers.filter(({ state }) => state === 'running'),
  online,
});

/** A deployment may have started hosts that boot yet. */
function waitsForHosts(
  { hosts, servers, online }: ObservedMachines,
  request: RunRequest,
  definition: BenchmarkDefinition,
  elapsedSeconds: number,
): boolean {
  const chosen = (one: Instance): boolean =>
    !request.hosts || request.hosts.includes(one.instanceId) || request.hosts.includes(one.name ?? '');
  const coming = [...hosts, ...servers]
    .filter(chosen)
    .filter(
      ({ state, instanceId }) => state === 'pending' || (state === 'running' && !online.has(instanceId)),
    );
  const none = [...hosts, ...servers].every(({ state }) => state !== 'pending' && state !== 'running');
  const deployment = request.cause === 'deployment';
  const patience = deployment ? definition.hostsTimeoutSeconds : PATIENCE_SECONDS;
  // A group launches its instances after CloudFormation has moved on.
  return (coming.length > 0 || (none && deployment)) && elapsedSeconds < patience;
}

/**
 * Whether a run that CloudFormation waits for has to begin now, with the hosts that are there, to end in its time.
 * Those that have not reported are missing in its result then, by their names; where none has, it is refused.
 */
function isLastMoment(
  plan: () => PlannedRun,
  request: RunRequest,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): boolean {
  if (request.deadlineSeconds === undefined) return false;
  let seconds = 0;
  try {
    seconds = plan().run.estimate.seconds;
  } catch (error) {
    if (error instanceof TimeIsShort) return true;
    // Hosts that come yet may make what cannot be done possible.
    if (!(error instanceof BenchmarkRefused)) throw error;
  }
  return now + 1000 * (WAIT_SECONDS + seconds) >= testsEndAt(request, startedAt);
}

async function takeLock(runId: string, ports: Ports): Promise<void> {
  const now = Math.floor(ports.clock.now() / 1000);
  const other = await ports.table.lock(runId, now + LOCK_SECONDS, now);
  if (!other) return;
  const until = new Date(other.until * 1000).toISOString();
  throw new BenchmarkRefused(
    `run ${other.runId} of this benchmark is under way; two at a time would measure each other. Wait for its ` +
      `end; if it was stopped, its lock ends by itself at ${until}.`,
  );
}

function readyToRun(run: RunRecord, steps: Step[]): Prepared {
  const cleanUp = steps.findIndex(({ kind }) => kind === 'clean-up');
  const { estimate, hosts, tests } = run;
  const summary =
    `${tests.length} test(s) on ${hosts.length} host(s): about ${Math.ceil(estimate.seconds / 60)} minutes, ` +
    `${gigabytes(estimate.bytesWritten)} written, ${estimate.costUSD.toFixed(2)} ` +
    `USD.${run.notRepresentative ? ` ${run.notRepresentative}` : ''}`;
  return {
    outcome: 'ready',
    waitSeconds: 0,
    runId: run.runId,
    runKey: runKey(run.runId),
    benchmark: run.benchmark,
    steps: steps.length,
    cleanUpStep: cleanUp < 0 ? steps.length : cleanUp,
    hosts: hosts.length,
    estimate,
    summary,
  };
}

const gigabytes = (bytes: number): string =>
  bytes >= 1e10 ? `${Math.round(bytes / 1e9)} GB` : `${(bytes / 1e9).toFixed(2)} GB`;
