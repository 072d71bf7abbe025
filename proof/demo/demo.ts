import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seconds, type Terminal } from '../../cli/terminal';
import { openInBrowser } from '../kit/browser';
import { cdk } from '../kit/cdk';
import { type Clients, connect } from '../kit/clients';
import { readCluster } from '../kit/cluster';
import { type Deployment, deploy } from '../kit/deploy';
import { readApiCalls, readHistory } from '../kit/history';
import { readEstate } from '../kit/inventory';
import { type LocalCloud, startLocalCloud } from '../kit/localcloud';
import type { Check, Estate } from '../kit/model';
import { readNfsMounts } from '../kit/nfs-check';
import { DemoError, settled, stop } from '../kit/processes';
import { reasonOf } from '../kit/program';
import { passed, type Report } from '../kit/report';
import { reportHtml } from '../kit/report-html';
import { describeFailure, isReplaced, machinesOf, reportJson, serversOf } from '../kit/report-json';
import { readSuperblocks, type Superblock } from '../kit/superblocks';
import { unprotect, verifyTeardown } from '../kit/teardown';
import { type Evidence, verify } from '../kit/verify';
import { describeBenchmark, held, runBenchmark, showBenchmark } from './benchmark';
import { victimNode } from './cluster-failure';
import { verifyCluster } from './cluster-verify';
import { Failures, type Ground } from './failures';
import { ManagedDemo, type Stage } from './managed-run';
import type { DemoOptions } from './options';
import { Outside } from './outside';
import { Shown } from './shown';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The tiers whose servers are terminated, in order: data, then management, then metadata; or the one server of NFS or
 * io2.
 */
const FAILING_TIERS = ['oss', 'mgs', 'mds', 'nfs', 'io2'];

/** One run: its phases in order, and the report that grows with them. */
export class Demo {
  private readonly started = Date.now();
  private readonly report: Mutable<Report>;
  private cloud!: LocalCloud;
  private clients!: Clients;
  private deployment!: Deployment;
  private outside!: Outside;
  /** Set once the embedded AWS has ended, by itself or because it was stopped. */
  private cloudEndedWith?: number;
  private readonly shown: Shown;

  constructor(
    private readonly options: DemoOptions,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {
    this.shown = new Shown(terminal);
    this.report = {
      schemaVersion: 1,
      finishedAt: '',
      deployment: options.deployment,
      fileSystem: '',
      mgsNid: '',
      passed: false,
      totalSeconds: 0,
      phases: [],
      servers: [],
      machines: [],
      deploymentChecks: [],
      failures: [],
      teardownChecks: [],
    };
  }

  async run(): Promise<void> {
    const { options, terminal } = this;
    terminal.line(
      `${terminal.style('cdk-sas-grid demo', 'bold')}: ${options.deployment}, on the embedded AWS`,
    );
    await this.phase('Start the embedded AWS', async () => {
      mkdirSync(options.out, { recursive: true });
      this.cloud = await startLocalCloud(this.root, options.python, options.state, options.out);
      this.clients = connect(this.cloud);
      terminal.line(`  ${this.cloud.endpoint}, state in ${options.state}`);
    });
    // Without the embedded AWS the other phases would only wait for their time limits.
    const ended = this.cloud.process.ended.then((code) => {
      this.cloudEndedWith = code;
    });
    await Promise.race([this.phases(), ended]);
    if (this.cloudEndedWith !== undefined) throw new DemoError('the demo could not go on');
    await stop(this.cloud.process);
  }

  private async phases(): Promise<void> {
    const { options } = this;
    this.outside = new Outside(this.clients, options.deployment, this.terminal);
    if (this.outside.needed) await this.phase('Make the network that exists', () => this.outside.make());
    await this.phase('Synthesize and deploy', async () => {
      const { parameters } = this.outside;
      this.deployment = await deploy(this.cdkSettings, options.deployment, this.clients, parameters);
      await this.outside.launchClient(this.deployment.fileSystem);
    });
    const { managed } = this.deployment;
    if (managed) return new ManagedDemo(this.stage, managed).run();
    let estate = await this.verifyDeployment();
    await this.benchmark();
    const { tiers, cluster } = this.deployment;
    const there = cluster
      ? [victimNode(cluster)]
      : FAILING_TIERS.filter((name) => tiers.some(({ tier }) => tier === name));
    const failing = options.short ? there.slice(0, 1) : there;
    const failures = new Failures(this.ground);
    for (const tier of failing)
      for (const harm of options.harms) estate = await failures.harm(tier, harm, estate);
    if (options.keep) await this.keep();
    else await this.phase('Tear down', () => this.tearDown(estate));
  }

  /** Notes why the run ended early. Without the embedded AWS every other error is only a consequence. */
  fail(consequence: string): void {
    const message = reasonOf(consequence, this.cloudEndedWith, this.options.out);
    this.report.error = message;
    this.terminal.line();
    this.terminal.line(`${this.terminal.style('The demo stopped:', 'red', 'bold')} ${message}`);
    this.terminal.line(`Logs: ${this.options.out}/*.log; state of the embedded AWS: ${this.options.state}`);
  }

  /** Finishes the report, writes it and says how it went. Returns whether all held. */
  writeReports(): boolean {
    const { report, terminal } = this;
    report.finishedAt = new Date().toISOString();
    report.totalSeconds = (Date.now() - this.started) / 1000;
    report.passed = passed(report) && (this.options.keep || report.teardownChecks.length > 0);
    writeFileSync(join(this.options.out, 'report.json'), reportJson(report));
    writeFileSync(join(this.options.out, 'report.html'), reportHtml(report));
    terminal.heading(
      report.passed ? terminal.style('Passed', 'green', 'bold') : terminal.style('Failed', 'red', 'bold'),
    );
    for (const failure of report.failures) {
      const took = isReplaced(failure) ? ` in ${seconds(failure.recoverySeconds)}` : '';
      terminal.check(failure.verified, `${describeFailure(failure)}${took}`);
    }
    if (report.benchmark) terminal.check(held(report.benchmark.checks), describeBenchmark(report.benchmark));
    const page = join(this.options.out, 'report.html');
    terminal.line(`  ${seconds(report.totalSeconds)} in all; report: ${page}`);
    openInBrowser(page, (line) => terminal.line(`  ${line}`));
    return report.passed;
  }

  private get stage(): Stage {
    return {
      options: this.options,
      settings: this.cdkSettings,
      clients: this.clients,
      report: this.report,
      phase: (name, work) => this.phase(name, work),
      benchmark: () => this.benchmark(),
      showServers: () => this.shown.servers(this.report),
      showChecks: (checks) => this.shown.checks(checks),
      keep: () => this.keep(),
    };
  }

  private get ground(): Ground {
    return {
      options: this.options,
      cloud: this.cloud,
      clients: this.clients,
      deployment: this.deployment,
      terminal: this.terminal,
      failures: this.report.failures,
      phase: (name, work) => this.phase(name, work),
      settled: (more) => this.settled(more),
      showChecks: (checks) => this.shown.checks(checks),
    };
  }

  private get cdkSettings() {
    return { root: this.root, out: this.options.out, cloud: this.cloud, terminal: this.terminal };
  }

  private async phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.terminal.heading(name);
    const start = Date.now();
    try {
      return await work();
    } finally {
      this.report.phases.push({ name, seconds: (Date.now() - start) / 1000 });
    }
  }

  private readEstate(): Promise<Estate> {
    const { table, tiers, cluster } = this.deployment;
    return cluster ? readCluster(this.clients, cluster) : readEstate(this.clients, table, tiers);
  }

  private async verifyDeployment(): Promise<Estate> {
    return this.phase('Verify the deployment', async () => {
      const { estate, checks: found } = await this.settled({});
      const checks = [...found, ...(await this.outside.verifyRefusals(`${this.options.deployment}-storage`))];
      this.report.deploymentChecks = checks;
      this.report.fileSystem = this.deployment.fileSystem;
      this.report.mgsNid = this.deployment.mgsNid;
      this.report.servers = serversOf(estate);
      this.report.machines = machinesOf(estate);
      if (this.deployment.cluster) this.report.sharedVolumes = true;
      this.shown.servers(this.report);
      this.shown.checks(checks);
      return estate;
    });
  }

  /** Before servers fail: afterwards the hosts would measure a file system that recovers. */
  private async benchmark(): Promise<void> {
    const { benchmark } = this.deployment;
    if (!benchmark) return;
    await this.phase('Run the benchmark', async () => {
      const { out } = this.options;
      const report = await runBenchmark(
        this.clients,
        benchmark,
        out,
        this.cloud.realFileSystems,
        this.terminal,
      );
      this.report.benchmark = report;
      showBenchmark(report, out, this.terminal);
      this.shown.checks(report.checks);
    });
  }

  private settled(more: Partial<Evidence>): Promise<{ estate: Estate; checks: Check[] }> {
    return settled(
      () => this.checks(more),
      ({ checks }) => held(checks),
    );
  }

  private async checks(more: Partial<Evidence>): Promise<{ estate: Estate; checks: Check[] }> {
    const estate = await this.readEstate();
    const { state } = this.options;
    const evidence: Evidence = {
      ...more,
      estate,
      history: readHistory(state),
      calls: readApiCalls(state),
      superblocks: readSuperblocks(state),
      nfsMounts: readNfsMounts(state),
    };
    const { cluster } = this.deployment;
    return { estate, checks: cluster ? verifyCluster(evidence, cluster) : verify(evidence) };
  }

  private async tearDown(estate: Estate): Promise<void> {
    const { options } = this;
    const superblocks: Record<string, Superblock> = readSuperblocks(options.state);
    await unprotect(this.clients, options.deployment, estate);
    const args = ['destroy', '--all', '--force', '--app', join(options.out, 'cdk.out')];
    await this.outside.endClient();
    await cdk(this.cdkSettings, 'destroy', args, { done: 'deleted', doing: 'deleting' });
    const outsideChecks = await this.outside.remove();
    const checks = await verifyTeardown(
      this.clients,
      options.deployment,
      this.deployment.table,
      estate,
      options.state,
      superblocks,
    );
    this.report.teardownChecks = [...checks, ...outsideChecks];
    this.shown.checks(this.report.teardownChecks);
  }

  private async keep(): Promise<void> {
    const { terminal } = this;
    this.writeReports();
    terminal.heading('Left running until Ctrl-C. To look around from another shell:');
    for (const [name, value] of Object.entries(this.cloud.environment))
      terminal.line(`  export ${name}='${value}'`);
    await new Promise(() => {}); // ended by the signal, or by the end of the embedded AWS
  }
}
