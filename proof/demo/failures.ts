import { setTimeout as sleep } from 'node:timers/promises';
import { count, seconds, type Terminal, table } from '../../cli/terminal';
import { OWN_AGENT } from '../kit/agent-name';
import type { Clients } from '../kit/clients';
import type { Deployment } from '../kit/deploy';
import { FaultDoor } from '../kit/fault-door';
import { countCalls, readApiCalls } from '../kit/history';
import type { LocalCloud } from '../kit/localcloud';
import type { Check, Estate, MapSlot } from '../kit/model';
import { servedDirectory, sharedDirectories } from '../kit/mounts';
import { recordedPhases, type Step } from '../kit/recovery';
import type { FailureReport } from '../kit/report';
import { clientsSentence } from '../kit/report-clients';
import { readSuperblocks } from '../kit/superblocks';
import { check, type Evidence } from '../kit/verify';
import { loseNode } from './cluster-failure';
import { failOver, type Recovered, victimOf } from './failure';
import type { Harm, HarmMeans } from './harms';
import { clientChecks, Load } from './load';
import type { DemoOptions } from './options';

/** What a run lends to its failures. */
export interface Ground {
  readonly options: DemoOptions;
  readonly cloud: LocalCloud;
  readonly clients: Clients;
  readonly deployment: Deployment;
  readonly terminal: Terminal;
  /** Grows with each failure. */
  readonly failures: FailureReport[];
  phase<T>(name: string, work: () => Promise<T>): Promise<T>;
  settled(more: Partial<Evidence>): Promise<{ estate: Estate; checks: Check[] }>;
  showChecks(checks: Check[]): void;
}

/** Harms servers of slots, one after another, and verifies what became of each. */
export class Failures {
  private readonly means: HarmMeans;

  constructor(private readonly ground: Ground) {
    this.means = { clients: ground.clients, door: new FaultDoor(ground.cloud.endpoint) };
  }

  /** Harms the server of a tier's slot. @returns the estate afterwards */
  harm(tierName: string, harm: Harm, before: Estate): Promise<Estate> {
    const slot = victimOf(before, tierName);
    return this.ground.phase(`The server of ${slot.slot} ${harm.was}`, async () => {
      const { options, settled } = this.ground;
      const superblocksBefore = readSuperblocks(options.state);
      const load = await this.startLoad(slot, harm);
      const done = harm.replaces ? await this.replace(slot, harm, before) : await this.endure(slot, harm);
      if (harm.replaces) await load?.inherit(done.oldInstance, done.newInstance);
      await load?.goesOn();
      const victim = harm.replaces ? done.oldInstance : undefined;
      const { estate, checks: found } = await settled({ before, superblocksBefore, victim });
      const clients = await load?.end(done.from);
      const checks = [
        ...found.filter(({ id }) => harm.replaces || id !== 'old-server-gone'),
        ...(harm.replaces ? [] : [sameServer(slot, estate)]),
        ...(clients ? clientChecks(clients) : []),
      ];
      this.report({ slot, harm, done, clients, checks, recorded: recordedOf(estate, slot) });
      return estate;
    });
  }

  /** Clients write all the time, where hosts have real file systems; not the server that is to fail. */
  private async startLoad(slot: MapSlot, harm: Harm): Promise<Load | undefined> {
    const { cloud, clients, options, terminal } = this.ground;
    if (!cloud.realFileSystems) return undefined;
    const owner = slot.owner ?? '';
    const { [owner]: own, ...others } = sharedDirectories(options.state);
    // Without a client the server is one: what it wrote is looked for by who takes over.
    const served = Object.keys(others).length === 0 ? servedDirectory(options.state, owner) : undefined;
    const mine = served ?? (harm.replaces ? undefined : own);
    const directories = mine ? { ...others, [owner]: mine } : others;
    const load = await Load.start(clients.ssm, directories);
    terminal.line(`  ${count(Object.keys(directories).length, 'client')} write`);
    return load;
  }

  private replace(slot: MapSlot, harm: Harm, before: Estate): Promise<Recovered> {
    const { clients, deployment, options, terminal } = this.ground;
    const { table: map, tiers, cluster } = deployment;
    if (cluster) return loseNode(clients, cluster, before, slot, harm, this.means, options.state, terminal);
    const tier = tiers.find(({ tier: name }) => name === slot.tier)!;
    return failOver(clients, map, tier, before, slot, harm, this.means, terminal);
  }

  /** Has the server bear it, and then be without it. */
  private async endure(slot: MapSlot, harm: Harm): Promise<Recovered> {
    const { terminal } = this.ground;
    const instance = slot.owner!;
    const from = Date.now() / 1000;
    await harm.strike(instance, this.means);
    terminal.line(`  ${instance} ${harm.was}`);
    terminal.status(`  waiting ${seconds(harm.seconds)}`);
    await sleep(harm.seconds * 1000);
    await harm.lift?.(instance, this.means);
    const to = Date.now() / 1000;
    return { slot: slot.slot, oldInstance: instance, newInstance: instance, steps: [], from, to };
  }

  private report(found: {
    readonly slot: MapSlot;
    readonly harm: Harm;
    readonly done: Recovered;
    readonly clients?: FailureReport['clients'];
    readonly checks: Check[];
    readonly recorded?: Step[];
  }): void {
    const { slot, harm, done, clients, checks } = found;
    const { deployment, failures, options, terminal, showChecks } = this.ground;
    const byAction = countCalls(readApiCalls(options.state), done.from, done.to, OWN_AGENT);
    const failure: FailureReport = {
      tier: slot.tier,
      slot: slot.slot,
      harm: harm.was,
      oldInstance: done.oldInstance,
      newInstance: done.newInstance,
      volumes: slot.volumes,
      address: slot.address,
      fencedBy: done.fencedBy,
      recoverySeconds: done.to - done.from,
      steps: done.steps,
      recorded: deployment.cluster || !harm.replaces ? undefined : found.recorded,
      apiCalls: { total: Object.values(byAction).reduce((sum, calls) => sum + calls, 0), byAction },
      clients,
      verified: checks.every(({ passed }) => passed),
      checks,
    };
    failures.push(failure);
    terminal.line();
    if (harm.replaces) this.showRecovery(failure);
    if (clients) terminal.line(`  ${clientsSentence(clients)}`);
    terminal.line();
    showChecks(checks);
  }

  private showRecovery({ steps, apiCalls }: FailureReport): void {
    const { terminal } = this.ground;
    const rows = steps.map(({ name, start, seconds: took }) => [name, seconds(start), seconds(took)]);
    for (const line of table(['Step', 'after', 'took'], rows)) terminal.line(`  ${line}`);
    terminal.line(`  ${apiCalls.total} API calls by the recovery`);
  }
}

/** Nobody took over: the slot is the same server's, by the same epoch. */
function sameServer(before: MapSlot, { slots }: Estate): Check {
  const now = slots.find(({ tier, slot }) => tier === before.tier && slot === before.slot);
  const same = now?.owner === before.owner && now?.epoch === before.epoch;
  return check('not-replaced', 'The server goes on serving its slot; nobody took over', before.owner ?? '', [
    ...(same ? [] : [`${before.slot} went from ${before.owner} to ${now?.owner ?? 'nobody'}`]),
  ]);
}

/** What the map says of the slot's recovery, if it says anything. */
function recordedOf(estate: Estate, { tier, slot }: MapSlot): Step[] | undefined {
  const row = estate.slots.find((each) => each.tier === tier && each.slot === slot);
  const phases = row ? recordedPhases(row) : [];
  return phases.length > 0 ? phases : undefined;
}
