import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartInstancesCommand, StopInstancesCommand } from '@aws-sdk/client-ec2';
import { seconds } from '../../cli/terminal';
import { loadConfig } from '../../lib/config';
import { OWN_AGENT } from '../kit/agent-name';
import { type CdkSettings, cdk } from '../kit/cdk';
import type { Clients } from '../kit/clients';
import type { ManagedFileSystem } from '../kit/deploy';
import { countCalls, readApiCalls, readHistory } from '../kit/history';
import { readInstances } from '../kit/inventory';
import type { Check, Estate, Instance } from '../kit/model';
import { DemoError, settled, waitFor } from '../kit/processes';
import type { Step } from '../kit/recovery';
import type { MachineReport, Report } from '../kit/report';
import { machinesOf } from '../kit/report-json';
import { goneChecks, stacksOf, unprotect } from '../kit/teardown';
import { held } from './benchmark';
import { deleteFileSystem, fileSystem } from './fsx';
import { askHosts, type HostFacts, sharedFile, writeShared } from './hosts';
import { check, expectedParameters, type ManagedEvidence, verifyManaged } from './managed';
import type { DemoOptions } from './options';

/** What a run lends to its phases. */
export interface Stage {
  readonly options: DemoOptions;
  readonly settings: CdkSettings;
  readonly clients: Clients;
  readonly report: { -readonly [K in keyof Report]: Report[K] };
  phase<T>(name: string, work: () => Promise<T>): Promise<T>;
  benchmark(): Promise<void>;
  showServers(): void;
  showChecks(checks: Check[]): void;
  keep(): Promise<void>;
}

const LOOK_EVERY_SECONDS = 0.25;

/** The phases of a deployment whose file system AWS runs: no server of it can fail here, so a node of the grid does. */
export class ManagedDemo {
  private readonly mountPoint: string;
  private readonly expectedHosts: number;
  private written = '';
  /** Whether the deployment has a benchmark, whose stack uses the others. */
  private readonly measured: boolean;

  constructor(
    private readonly stage: Stage,
    private readonly managed: ManagedFileSystem,
  ) {
    const { grid, benchmark } = loadConfig(stage.options.deployment);
    this.measured = benchmark !== undefined;
    // What AWS runs is for a grid of its own.
    this.mountPoint = grid!.mountPoint ?? '/sasdata';
    this.expectedHosts = 1 + grid!.nodes;
  }

  async run(): Promise<void> {
    const { stage } = this;
    const machines = await stage.phase('Verify the deployment', () => this.verifyDeployment());
    await stage.benchmark();
    const node = nodeOf(machines);
    await stage.phase(`Lose the hardware of ${node.name}`, () => this.restart(node, machines));
    if (stage.options.keep) await stage.keep();
    else await stage.phase('Tear down', () => this.tearDown());
  }

  private async verifyDeployment(): Promise<MachineReport[]> {
    const { report, clients } = this.stage;
    report.managedFileSystem = { id: this.managed.id, source: this.managed.mountSource };
    report.fileSystem = this.managed.mountSource;
    report.machines = machinesIn(await readInstances(clients));
    const [first] = report.machines;
    if (!first) throw new DemoError('no host of the grid runs');
    await this.hostsReady(report.machines);
    await this.write(first.instance, `written by ${first.name}`);
    report.deploymentChecks = await this.settled({});
    this.stage.showServers();
    this.stage.showChecks(report.deploymentChecks);
    return report.machines;
  }

  /** EC2 recovers no type with disks of its own: who runs the grid stops and starts such a node. */
  private async restart(node: MachineReport, machines: MachineReport[]): Promise<void> {
    const { clients, settings, report, options } = this.stage;
    const { terminal } = settings;
    const other = machines.find(({ instance }) => instance !== node.instance)!;
    terminal.line(
      '  Nodes are instances that nothing replaces: termination protection keeps them, and EC2 recovers no type',
    );
    terminal.line('  with disks of its own. Its operator stops and starts a node whose hardware failed.');
    const from = Date.now() / 1000;
    const at = () => Date.now() / 1000 - from;
    const show = (line: string) => {
      const moment = at();
      terminal.line(`  ${terminal.style(seconds(moment).padStart(8), 'cyan')}  ${line}`);
      return moment;
    };
    const ids = { InstanceIds: [node.instance] };
    await clients.ec2.send(new StopInstancesCommand(ids));
    await this.state(node, 'stopped');
    const stopped = show(`${node.name} is stopped; its disks, and what was on them, are gone`);
    await this.write(other.instance, `written by ${other.name} while ${node.name} was down`);
    show(`${other.name} goes on: it writes to ${this.mountPoint}`);
    const started = at();
    await clients.ec2.send(new StartInstancesCommand(ids));
    await this.state(node, 'running');
    const running = show(`${node.name} runs on other hardware`);
    await this.hostsReady([node]);
    const ready = show(`${node.name} has scratch again and ${this.mountPoint} mounted`);
    const to = Date.now() / 1000;
    const byAction = countCalls(readApiCalls(options.state), from, to, OWN_AGENT);
    const checks = await this.settled({ failure: { before: node, from } });
    report.failures.push({
      tier: 'grid',
      slot: node.name,
      oldInstance: node.instance,
      newInstance: node.instance,
      volumes: [],
      address: node.address,
      recoverySeconds: to - from,
      steps: [
        step('Node stops, as failed hardware does', 0, stopped),
        step('Node boots on other hardware', started, running),
        step('Scratch made again, file system mounted', running, ready),
      ],
      apiCalls: { total: Object.values(byAction).reduce((sum, count) => sum + count, 0), byAction },
      verified: checks.every(({ passed }) => passed),
      checks,
    });
    terminal.line();
    this.stage.showChecks(checks);
  }

  /** The file system stays, and with it the network that it is in. What is said of deleting them is then done. */
  private async tearDown(): Promise<void> {
    const { clients, options, settings, report } = this.stage;
    const { deployment } = options;
    const { terminal } = settings;
    const network = `${deployment}-network`;
    const words = this.filesInState();
    await unprotect(clients, deployment, estateOf(await readInstances(clients)));
    const users = this.measured ? [`${deployment}-benchmark`] : [];
    await this.destroy('destroy', ...users, `${deployment}-grid`, `${deployment}-storage`);
    const kept = await this.keptChecks(network, words);
    report.teardownChecks = kept;
    this.stage.showChecks(kept);
    terminal.line();
    terminal.line('  To delete the file system with all that is on it, and then the network that it was in:');
    terminal.line(`    aws fsx delete-file-system --file-system-id ${this.managed.id}`);
    terminal.line(`    npx cdk destroy ${network} --exclusively -c deployment=${deployment}`);
    await deleteFileSystem(settings.cloud, this.managed.id);
    const gone = async () => ((await fileSystem(settings.cloud, this.managed.id)) ? undefined : true);
    await waitFor(`the end of ${this.managed.id}`, gone, LOOK_EVERY_SECONDS);
    await this.destroy('destroy-network', network);
    const after = await goneChecks(clients, deployment, []);
    report.teardownChecks = [...kept, ...after];
    this.stage.showChecks(after);
  }

  private async destroy(log: string, ...stacks: string[]): Promise<void> {
    const app = ['--force', '--exclusively', '--app', join(this.stage.options.out, 'cdk.out')];
    const words = { done: 'deleted', doing: 'deleting' };
    await cdk(this.stage.settings, log, ['destroy', ...stacks, ...app], words);
  }

  private async keptChecks(network: string, words: string): Promise<Check[]> {
    const { clients, options, settings } = this.stage;
    const [found, stacks, instances] = await Promise.all([
      fileSystem(settings.cloud, this.managed.id),
      stacksOf(clients.cloudformation, options.deployment),
      readInstances(clients),
    ]);
    const left = stacks.map(({ StackName = '' }) => StackName);
    const now = this.filesInState();
    return [
      check('grid-gone', 'The grid and the stack of the file system are deleted', `${network} stays`, [
        ...left.filter((name) => name !== network).map((name) => `${name} exists`),
        ...(left.includes(network) ? [] : [`${network} is gone, although the file system is in it`]),
        ...instances
          .filter(({ state }) => state !== 'terminated')
          .map(({ id, state }) => `${id} is ${state}`),
      ]),
      check(
        'file-system-kept',
        'The file system is kept',
        `${this.managed.id}; it costs on until it is deleted`,
        [...(found?.Lifecycle === 'AVAILABLE' ? [] : [`it is ${found?.Lifecycle ?? 'gone'}`])],
      ),
      check('data-kept', 'The files on it are untouched', `'${now}'`, [
        ...(now && now === words ? [] : [`'${words}' became '${now}'`]),
      ]),
    ];
  }

  /** What lies on the file system, as the embedded AWS keeps it: no host has it mounted any more. */
  private filesInState(): string {
    const file = join(this.stage.options.state, 'file-systems', this.managed.id, sharedFile(''));
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  private async write(instance: string, words: string): Promise<void> {
    await writeShared(this.stage.clients.ssm, instance, this.mountPoint, words);
    this.written = words;
  }

  private async state(node: MachineReport, wanted: string): Promise<void> {
    const reached = async () => {
      const now = (await readInstances(this.stage.clients)).find(({ id }) => id === node.instance);
      return now?.state === wanted ? now : undefined;
    };
    await waitFor(`${node.name} to be ${wanted}`, reached, LOOK_EVERY_SECONDS);
  }

  private async hostsReady(machines: MachineReport[]): Promise<void> {
    const ready = async () => {
      const facts = await this.ask(machines);
      return Object.values(facts).every((one) => one.ready) ? true : undefined;
    };
    await waitFor('the hosts to be set up', ready, LOOK_EVERY_SECONDS);
  }

  private ask(machines: MachineReport[]): Promise<Record<string, HostFacts>> {
    const types = [...new Set(machines.map(({ instanceType }) => instanceType))];
    const parameters = [...new Set(types.flatMap((type) => Object.keys(expectedParameters(type))))];
    const ids = machines.map(({ instance }) => instance);
    return askHosts(this.stage.clients.ssm, ids, this.mountPoint, parameters);
  }

  private settled(more: Partial<ManagedEvidence>): Promise<Check[]> {
    return settled(() => this.checks(more), held);
  }

  private async checks(more: Partial<ManagedEvidence>): Promise<Check[]> {
    const { clients, options, settings } = this.stage;
    const machines = machinesIn(await readInstances(clients));
    return verifyManaged({
      ...more,
      fileSystem: await fileSystem(settings.cloud, this.managed.id),
      mountPoint: this.mountPoint,
      expectedHosts: this.expectedHosts,
      machines,
      facts: await this.ask(machines),
      written: this.written,
      history: readHistory(options.state),
    });
  }
}

/** The node that fails: of several the one in the middle, so that others go on on both sides. */
export function nodeOf(machines: MachineReport[]): MachineReport {
  const nodes = machines.filter(({ name }) => name.startsWith('node'));
  const node = nodes[Math.floor(nodes.length / 2)];
  if (!node) throw new DemoError('the grid has no node that could fail');
  return node;
}

const step = (name: string, start: number, end: number): Step => ({ name, start, end, seconds: end - start });

const machinesIn = (instances: Instance[]) => machinesOf(estateOf(instances));

/** Without tiers there are no slots: every instance is a host of the grid. */
const estateOf = (instances: Instance[]): Estate => ({
  tiers: [],
  slots: [],
  owners: [],
  instances,
  volumes: [],
  interfaces: [],
  groups: {},
});
