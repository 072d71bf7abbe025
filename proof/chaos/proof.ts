import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { seconds, type Terminal } from '../../cli/terminal';
import { readMap } from '../kit/inventory';
import type { LocalCloud } from '../kit/localcloud';
import type { MapSlot } from '../kit/model';
import { Patience } from '../kit/patience';
import { readEvidence, type Watched } from '../kit/record/evidence';
import { judge } from '../kit/record/judge';
import type { Means } from './abuse';
import { BREAKS, type Break, packReconciler } from './broken';
import { replaceCode } from './functions';
import { isServed } from './look';
import type { ChaosOptions } from './options';
import type { Proof } from './report';

/** What a proof needs. */
export interface ProofMeans {
  readonly means: Means;
  readonly cloud: LocalCloud;
  readonly root: string;
  readonly options: ChaosOptions;
  readonly watched: Watched;
  readonly terminal: Terminal;
  /** Waits until all is well with the right reconciler. */
  readonly settle: () => Promise<boolean>;
}

/** For so long nothing of the slots may move. */
const QUIET_SECONDS = 60;
/** How long the terminated server hangs, so that there is a time at which nothing may be taken from it. */
const HANG_SECONDS = 6;

/**
 * Shows that the checks bite: deploys a reconciler with a mistake in the place of the right one, lets a server fail,
 * and waits until an invariant notices. The mistakes live in this test alone.
 */
export async function proveMistakes(proof: ProofMeans): Promise<Proof[]> {
  const proofs: Proof[] = [];
  const mistakes = BREAKS.filter(({ name }) => proof.options.mistakes.includes(name));
  for (const mistake of mistakes) {
    await deployCode(proof, mistake);
    const found = await provokeViolation(proof, mistake);
    proofs.push(found);
    proof.terminal.check(found.caught, `${mistake.name}, after ${seconds(found.seconds)}`);
    // After the last one nothing comes that would need a right reconciler.
    if (mistake !== mistakes.at(-1)) await repair(proof);
  }
  return proofs;
}

async function deployCode({ means, cloud, root, options }: ProofMeans, mistake?: Break): Promise<void> {
  const region = cloud.environment.AWS_REGION ?? 'us-east-1';
  const python = options.python.includes('/') ? resolve(root, options.python) : options.python;
  const zip = await packReconciler(root, join(options.out, 'reconcilers'), python, mistake);
  for (const { name } of means.reconcilers) await replaceCode(cloud.endpoint, region, name, zip);
}

async function slotsOf({ means }: ProofMeans): Promise<MapSlot[]> {
  const rows = await Promise.all(means.tiers.map(({ tier }) => readMap(means.clients, means.table, tier)));
  return rows.flat().filter((row): row is MapSlot => 'networkInterfaceId' in row);
}

/** Terminates a server and waits for a violation that was not there before. */
async function provokeViolation(proof: ProofMeans, mistake: Break): Promise<Proof> {
  const { means, options, watched } = proof;
  const caughtBy: readonly string[] = mistake.caughtBy;
  const started = Date.now();
  let seen = '';
  const patience = new Patience(QUIET_SECONDS, undefined, () => seen);
  await loseServer(proof);
  for (;;) {
    seen = JSON.stringify(await slotsOf(proof));
    const since = started / 1000;
    const fresh = judge(readEvidence(options.state, watched))
      .map(({ id, violations }) => ({ id, violations: violations.filter(({ time }) => time >= since) }))
      .filter(({ violations }) => violations.length > 0);
    const violated = fresh.map(({ id }) => id);
    const caught = violated.some((id) => caughtBy.includes(id));
    const took = (Date.now() - started) / 1000;
    if (caught || patience.lost()) {
      await means.door.ask('calm');
      const decisive = fresh.find(({ id }) => caughtBy.includes(id)) ?? fresh[0];
      const example = decisive?.violations[0]?.detail ?? '';
      return { name: mistake.name, what: mistake.what, caught, violated, example, seconds: took };
    }
    await sleep(500);
  }
}

async function loseServer(proof: ProofMeans): Promise<void> {
  const { clients, door } = proof.means;
  const victim = (await slotsOf(proof)).filter((slot) => slot.tier === 'oss' && isServed(slot)).at(-1)?.owner;
  if (!victim) return;
  await door.ask('hang-shutdown', { instance: victim, seconds: HANG_SECONDS });
  await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [victim] }));
}

/**
 * Puts the right code back, and a new server wherever the mistake may have left one that was never told what to serve.
 */
async function repair(proof: ProofMeans): Promise<void> {
  const { clients } = proof.means;
  await deployCode(proof);
  const owners = (await slotsOf(proof))
    .filter(({ tier }) => tier === 'oss')
    .flatMap(({ owner }) => owner ?? []);
  if (owners.length) await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: owners }));
  await sleep(2000); // until their slots are no longer called served
  await proof.settle();
}
