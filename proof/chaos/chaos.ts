import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, seconds, type Terminal } from '../../cli/terminal';
import { OWN_AGENT } from '../kit/agent-name';
import { type Clients, connect } from '../kit/clients';
import { type Deployment, deploy } from '../kit/deploy';
import { FaultDoor } from '../kit/fault-door';
import { readApiCalls, readHistory } from '../kit/history';
import { readEstate } from '../kit/inventory';
import { type LocalCloud, startLocalCloud } from '../kit/localcloud';
import type { Check, Estate } from '../kit/model';
import { Patience } from '../kit/patience';
import { DemoError, stop } from '../kit/processes';
import { reasonOf } from '../kit/program';
import { readEvidence, type Watched, watchedOf } from '../kit/record/evidence';
import { judge } from '../kit/record/judge';
import { readSuperblocks, type Superblock } from '../kit/superblocks';
import { estateChecks } from '../kit/verify';
import { carryOut, type Means } from './abuse';
import { checkData, readAcknowledged, readRecords } from './client-data';
import { findFunctions } from './functions';
import { ClientsOfSlots, isServed, servedSlots } from './look';
import type { ChaosOptions } from './options';
import { type Abuse, planOf } from './plan';
import { proveMistakes } from './proof';
import { recoveriesOf, summaryOf } from './recoveries';
import { type ChaosReport, type Done, passedAll, showReport, summarizeCalls } from './report';

const DEPLOYMENT = 'sas-grid-lustre';
const LOOK_EVERY_SECONDS = 1;
/** Where output is no terminal, progress is told this often. */
const PROGRESS_EVERY_SECONDS = 30;
/** The schedule that catches lost events comes every five minutes, and a lease lasts two. */
/** For so long nothing of the slots may move. */
const SETTLE_QUIET_SECONDS = 120;
/** All has to hold this long, so that something late would show. */
const CALM_SECONDS = 4;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One run: its phases in order, and the report that grows with them. */
export class Chaos {
  private readonly started = Date.now();
  private readonly report: Mutable<ChaosReport>;
  private cloud!: LocalCloud;
  private clients!: Clients;
  private deployment!: Deployment;
  private door!: FaultDoor;
  private watched!: Watched;
  private before!: Estate;
  private superblocks: Record<string, Superblock> = {};
  private cloudEndedWith?: number;
  private readonly looks = { served: 0, all: 0 };

  constructor(
    private readonly options: ChaosOptions,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {
    this.report = {
      schemaVersion: 1,
      startedAt: new Date().toISOString(),
      finishedAt: '',
      deployment: DEPLOYMENT,
      seed: options.seed,
      abusedSeconds: 0,
      totalSeconds: 0,
      passed: false,
      slots: 0,
      servedShare: 0,
      abuses: {},
      notCarriedOut: 0,
      timeline: [],
      recoveries: { ...summaryOf([]), list: [] },
      apiCalls: summarizeCalls([], 0, 0, OWN_AGENT),
      invariants: [],
      checks: [],
      proofs: [],
    };
  }

  async run(): Promise<void> {
    const { options, terminal } = this;
    terminal.line(
      `${terminal.style('cdk-sas-grid chaos', 'bold')}: ${DEPLOYMENT} on the embedded AWS, ` +
        `abused for ${options.seconds} s, seed ${options.seed}`,
    );
    mkdirSync(options.out, { recursive: true });
    this.cloud = await startLocalCloud(this.root, options.python, options.state, options.out);
    this.clients = connect(this.cloud);
    this.door = new FaultDoor(this.cloud.endpoint);
    terminal.line(`  ${this.cloud.endpoint}, state in ${options.state}`);
    const ended = this.cloud.process.ended.then((code) => {
      this.cloudEndedWith = code;
    });
    await Promise.race([this.phases(), ended]);
    if (this.cloudEndedWith !== undefined) throw new DemoError('the run could not go on');
    await stop(this.cloud.process);
  }

  private async phases(): Promise<void> {
    const { options, terminal } = this;
    terminal.heading('Synthesize and deploy');
    const settings = { root: this.root, out: options.out, cloud: this.cloud, terminal };
    this.deployment = await deploy(settings, DEPLOYMENT, this.clients);
    await this.settle();
    this.before = await this.estate();
    this.superblocks = readSuperblocks(options.state);
    this.watched = watchedOf(this.before);
    this.report.slots = this.before.slots.length;
    const means = await this.means();

    terminal.heading(`Abuse: ${count(this.report.slots, 'slot')}, ${options.seconds} s`);
    const from = Date.now() / 1000;
    await this.abuse(means);
    this.report.abusedSeconds = Date.now() / 1000 - from;

    terminal.heading('Let it settle');
    await this.door.ask('calm');
    this.report.settledSeconds = await this.settle();
    this.judge(from);
    this.report.effects = await this.door.counts();
    if (options.mistakes.length > 0) {
      terminal.heading('Put mistakes into the reconciler');
      const settle = async () => (await this.settle()) !== undefined;
      const { cloud, root } = this;
      const proof = { means, cloud, root, options, watched: this.watched, terminal, settle };
      this.report.proofs = await proveMistakes(proof);
    }
  }

  private estate(): Promise<Estate> {
    return readEstate(this.clients, this.deployment.table, this.deployment.tiers);
  }

  private async means(): Promise<Means> {
    const { table, tiers } = this.deployment;
    const region = this.cloud.environment.AWS_REGION ?? 'us-east-1';
    const { reconcilers, all: functions } = await findFunctions(this.cloud.endpoint, region);
    for (const { tier } of tiers) {
      if (!reconcilers.some((one) => one.tier === tier))
        throw new DemoError(`no function reconciles tier ${tier}`);
    }
    return { clients: this.clients, door: this.door, table, tiers, reconcilers, functions };
  }

  /** Carries out the plan, looks at the slots meanwhile, and sees to it that clients write. */
  private async abuse(means: Means): Promise<void> {
    const { options, terminal } = this;
    const places = this.before.slots.map(({ tier, slot }) => ({ tier, slot }));
    const plan = planOf({ ...options, places });
    const started = Date.now();
    const elapsed = () => (Date.now() - started) / 1000;
    let over = false;
    const looking = this.lookOn(elapsed, () => over);
    for (const abuse of plan) {
      await sleep(Math.max(0, abuse.at - elapsed()) * 1000);
      await this.carryOut(abuse, means, elapsed());
    }
    await sleep(Math.max(0, options.seconds - elapsed()) * 1000);
    over = true;
    await looking;
    this.report.servedShare = this.looks.all ? this.looks.served / this.looks.all : 0;
    terminal.line(`  ${seconds(elapsed()).padStart(8)}  the abuse ends`);
  }

  private async carryOut(abuse: Abuse, means: Means, at: number): Promise<void> {
    const { kind, tier, slot } = abuse;
    let what: string | undefined;
    try {
      what = await carryOut(abuse, means);
    } catch (error) {
      if (error instanceof DemoError) throw error;
      // Refused as too many, or the server has gone in this very moment.
      what = undefined;
    }
    if (what === undefined) {
      this.report.notCarriedOut++;
      return;
    }
    const done: Done = { at: Math.round(at * 10) / 10, kind, tier, slot, what };
    this.report.timeline = [...this.report.timeline, done];
    this.report.abuses = { ...this.report.abuses, [kind]: (this.report.abuses[kind] ?? 0) + 1 };
    const style = this.terminal.style(seconds(at).padStart(8), 'cyan');
    this.terminal.line(`  ${style}  ${kind.padEnd(23)} ${slot.padEnd(7)} ${what}`);
  }

  private async lookOn(elapsed: () => number, over: () => boolean): Promise<void> {
    const writers = new ClientsOfSlots(this.clients);
    let told = 0;
    while (!over()) {
      try {
        const estate = await this.estate();
        const { slots } = estate;
        const served = servedSlots(estate);
        await writers.follow(served);
        const unserved = slots.filter((slot) => !served.includes(slot)).map(({ slot }) => slot);
        this.looks.all += slots.length;
        this.looks.served += served.length;
        const line =
          `${served.length} of ${slots.length} slots served` +
          (unserved.length ? `, not ${unserved.join(', ')}` : '');
        this.terminal.status(`  ${seconds(elapsed()).padStart(8)}  ${line}`);
        if (elapsed() - told >= PROGRESS_EVERY_SECONDS) {
          told = elapsed();
          this.terminal.line(`  ${seconds(told).padStart(8)}  ${line}`);
        }
      } catch {
        // Refused as too many: the next look shows it.
      }
      await sleep(LOOK_EVERY_SECONDS * 1000);
    }
  }

  /**
   * Waits until all checks hold and go on holding. @returns after how many seconds; undefined when they did not in time
   */
  private async settle(): Promise<number | undefined> {
    const started = Date.now();
    let seen = '';
    const patience = new Patience(SETTLE_QUIET_SECONDS, undefined, () => seen);
    let since: number | undefined;
    for (;;) {
      const { slots, checks } = await this.checks();
      this.report.checks = checks;
      const now = Date.now();
      since = checks.every(({ passed }) => passed) ? (since ?? now) : undefined;
      if (since !== undefined && now - since >= CALM_SECONDS * 1000) return (since - started) / 1000;
      const failed = checks.filter(({ passed }) => !passed).map(({ id, detail }) => [id, detail]);
      seen = JSON.stringify([slots, failed]);
      if (patience.lost()) return undefined;
      const unserved = slots.filter((slot) => !isServed(slot)).map(({ slot, phase }) => `${slot} (${phase})`);
      const wait = seconds((now - started) / 1000).padStart(8);
      this.terminal.status(
        `  ${wait}  ${unserved.length ? `not served: ${unserved.join(', ')}` : 'all served'}`,
      );
      await sleep(LOOK_EVERY_SECONDS * 1000);
    }
  }

  private async checks(): Promise<{ slots: Estate['slots']; checks: Check[] }> {
    const { state } = this.options;
    const estate = await this.estate();
    const evidence = {
      estate,
      history: readHistory(state),
      calls: readApiCalls(state),
      superblocks: readSuperblocks(state),
    };
    const before = this.before && { before: this.before, superblocksBefore: this.superblocks };
    // There is no one victim here that could be gone: 'released-after-end' says it of all of them.
    const checks = estateChecks({ ...evidence, ...before }).filter(({ id }) => id !== 'old-server-gone');
    return { slots: estate.slots, checks };
  }

  private judge(from: number): void {
    const { state } = this.options;
    const now = Date.now() / 1000;
    const evidence = readEvidence(state, this.watched);
    const list = recoveriesOf(evidence).filter((recovery) => recovery.from >= from);
    this.report.invariants = judge(evidence);
    this.report.recoveries = { ...summaryOf(list), list };
    this.report.apiCalls = summarizeCalls(evidence.calls, from, now, OWN_AGENT);
    const acknowledged = readAcknowledged(state);
    const volumes = this.before.slots.flatMap((slot) => slot.volumes);
    this.report.data = checkData(acknowledged, readRecords(state, volumes), now);
  }

  /** Notes why the run ended early. Without the embedded AWS every other error is only a consequence. */
  fail(consequence: string): void {
    const message = reasonOf(consequence, this.cloudEndedWith, this.options.out);
    this.report.error = message;
    this.terminal.line();
    this.terminal.line(`${this.terminal.style('The run stopped:', 'red', 'bold')} ${message}`);
  }

  /** Finishes the report, writes it and says how it went. Returns whether all held. */
  writeReports(): boolean {
    const { report, terminal, options } = this;
    report.finishedAt = new Date().toISOString();
    report.totalSeconds = (Date.now() - this.started) / 1000;
    report.passed = passedAll(report);
    const round = (_key: string, value: unknown) =>
      typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 100) / 100 : value;
    const file = join(options.out, 'report.json');
    writeFileSync(file, `${JSON.stringify(report, round, 2)}\n`);
    showReport(report, terminal);
    terminal.heading(
      report.passed ? terminal.style('Passed', 'green', 'bold') : terminal.style('Failed', 'red', 'bold'),
    );
    const again = `--seconds ${options.seconds} --seed ${options.seed}${options.short ? ' --short' : ''}`;
    terminal.line(`  ${seconds(report.totalSeconds)} in all; report: ${file}; the same abuses: ${again}`);
    if (!report.passed)
      terminal.line(`  logs: ${options.out}/*.log; state of the embedded AWS: ${options.state}`);
    return report.passed;
  }
}
