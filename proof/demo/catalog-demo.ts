import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { count, seconds, type Terminal } from '../../cli/terminal';
import { loadConfig } from '../../lib/config';
import { PACKAGE_VERSION } from '../../lib/service-catalog/catalog';
import {
  type CatalogConfig,
  type CatalogProduct,
  loadCatalog,
} from '../../lib/service-catalog/catalog-config';
import { assemblyFolder, type CdkSettings, cdk } from '../kit/cdk';
import { connect } from '../kit/clients';
import { readApiCalls } from '../kit/history';
import { type LocalCloud, startLocalCloud } from '../kit/localcloud';
import type { Check } from '../kit/model';
import { DemoError, stop } from '../kit/processes';
import { refusedByRole } from '../kit/record/permissions';
import { CatalogUser } from './catalog-client';
import { EARLIER, recordEarlier } from './catalog-earlier';
import { type Chapter, ProductStory } from './catalog-story';
import type { DemoOptions } from './options';
import { makeSurroundings, parametersOf } from './surroundings';

// The image that the embedded AWS knows; it starts every host from it.
const IMAGE = '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64';
const ROOT_DEVICE = '/dev/xvda';
// Of any other image the embedded AWS's hosts say that it is RHEL.
const OTHER_IMAGE = 'ami-0123456789abcdef0';

/** One with servers of its own, and one that AWS runs. */
const SHORT = ['sas-grid-nfs', 'sas-grid-fsx'];

/**
 * Deploys a catalog, and launches, updates and terminates its products side by side, through the Service Catalog API.
 */
export class CatalogDemo {
  private readonly started = Date.now();
  private readonly catalog: CatalogConfig;
  private readonly checks: Check[] = [];
  private cloud!: LocalCloud;
  private error?: string;

  constructor(
    private readonly options: DemoOptions,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {
    this.catalog = loadCatalog(options.deployment);
  }

  async run(): Promise<void> {
    const { options, terminal } = this;
    terminal.line(
      `${terminal.style('cdk-sas-grid catalog', 'bold')}: ${options.deployment}, on the embedded AWS`,
    );
    mkdirSync(options.out, { recursive: true });
    this.cloud = await this.phase('Start the embedded AWS', () =>
      startLocalCloud(this.root, options.python, options.state, options.out),
    );
    const ended = this.cloud.process.ended.then(() => {
      throw new DemoError('the embedded AWS ended during the run');
    });
    await Promise.race([this.phases(), ended]);
    ended.catch(() => undefined);
    await stop(this.cloud.process);
  }

  fail(message: string): void {
    this.error = message;
    this.terminal.line(`${this.terminal.style('The demo stopped:', 'red', 'bold')} ${message}`);
    this.terminal.line(`Logs: ${this.options.out}/*.log; state of the embedded AWS: ${this.options.state}`);
  }

  /** Writes the report and says how it went. Returns whether all held. */
  writeReports(): boolean {
    const { terminal, checks, error } = this;
    const passed = !error && checks.length > 0 && checks.every((check) => check.passed);
    const totalSeconds = (Date.now() - this.started) / 1000;
    const file = join(this.options.out, 'catalog.json');
    writeFileSync(file, `${JSON.stringify({ passed, totalSeconds, error, checks }, null, 2)}\n`);
    terminal.heading(
      passed ? terminal.style('Passed', 'green', 'bold') : terminal.style('Failed', 'red', 'bold'),
    );
    terminal.line(`  ${count(checks.length, 'check')}, ${seconds(totalSeconds)} in all; report: ${file}`);
    return passed;
  }

  private async phases(): Promise<void> {
    await this.phase('Synthesize and deploy the catalog', () => this.deploy());
    const user = new CatalogUser(this.cloud);
    const products = await user.products();
    const chapters = await this.chapters();
    await this.phase(`Launch, update and terminate ${count(chapters.length, 'product')}`, async () => {
      const stage = {
        cloud: this.cloud,
        clients: connect(this.cloud),
        user,
        state: this.options.state,
        tell: (line: string) => this.terminal.line(`  ${line}`),
      };
      const stories = chapters.map((chapter) => {
        const id = products.get(chapter.product);
        if (!id)
          throw new DemoError(
            `the catalog has no product '${chapter.product}'; it has: ${[...products.keys()].join(', ')}`,
          );
        const story = new ProductStory(chapter, stage);
        return { story, told: story.tell(id) };
      });
      for (const checks of await Promise.all(stories.map(({ told }) => told))) this.checks.push(...checks);
      const refused = refusedByRole(readApiCalls(this.options.state))
        .map(({ role = '', service, action }) => ({ role, call: `${service}:${action}` }))
        .filter(({ role }) => !stories.some(({ story }) => story.owns(role)))
        .map(({ role, call }) => `${role}: ${call}`);
      const check = {
        id: 'catalog-refused',
        title: 'No role of the catalog itself was refused a call',
        passed: refused.length === 0,
        detail: refused.join('; '),
      };
      this.checks.push(check);
      this.terminal.check(check.passed, check.passed ? check.title : `${check.title}: ${check.detail}`);
    });
    if (this.options.keep) {
      this.terminal.heading('Left running until Ctrl-C. To look around from another shell:');
      for (const [name, value] of Object.entries(this.cloud.environment))
        this.terminal.line(`  export ${name}='${value}'`);
      await new Promise(() => {});
    }
  }

  private async deploy(): Promise<void> {
    const { options } = this;
    const settings: CdkSettings = {
      root: this.root,
      out: options.out,
      cloud: this.cloud,
      terminal: this.terminal,
    };
    const assembly = assemblyFolder(settings);
    rmSync(assembly, { recursive: true, force: true });
    const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = this.cloud.environment;
    const versions = join(options.out, 'versions');
    const bootstrapped = cdk(
      settings,
      'bootstrap',
      ['bootstrap', `aws://${account}/${region}`],
      undefined,
      options.out,
    );
    recordEarlier(options.deployment, versions, account, region);
    await Promise.all([
      bootstrapped,
      cdk(settings, 'synth', [
        'synth',
        '--quiet',
        ...['-c', `deployment=${options.deployment}`, '-c', `catalog-versions=${versions}`],
        ...['--output', assembly],
      ]),
    ]);
    const args = [
      'deploy',
      '--all',
      '--app',
      assembly,
      '--require-approval',
      'never',
      '--progress',
      'events',
    ];
    await cdk(settings, 'deploy', args, { done: 'deployed', doing: 'deploying' });
  }

  private async chapters(): Promise<Chapter[]> {
    const image = await this.image();
    const network = await makeSurroundings(connect(this.cloud));
    const { short, twice } = this.options;
    const products = this.catalog.products.filter(({ deployment }) => !short || SHORT.includes(deployment));
    const chapter = ({ deployment, name }: CatalogProduct, launch: string, index: number): Chapter => {
      const { io2, existingNetwork } = loadConfig(deployment);
      return {
        product: name,
        name: launch,
        from: EARLIER,
        to: this.catalog.version ?? PACKAGE_VERSION,
        launchWith: {
          ...parametersOf(network),
          Zone: 'us-east-1a',
          VpcRange: `10.${30 + index}.0.0/20`,
          HostName: launch,
          GridImage: image,
          GridRootDevice: ROOT_DEVICE,
          // Amazon Linux has no GFS2.
          ServerImage: io2 ? OTHER_IMAGE : image,
          ServerRootDevice: ROOT_DEVICE,
        },
        refused: existingNetwork ? { SubnetId: network.publicSubnetId } : { Zone: 'us-east-1b' },
        sizeFixed: (io2?.nodes ?? 1) > 1,
      };
    };
    const names = ({ deployment }: CatalogProduct) => [deployment, ...(twice ? [`${deployment}-2`] : [])];
    return products
      .flatMap((product) => names(product).map((name) => ({ product, name })))
      .map(({ product, name }, index) => chapter(product, name, index));
  }

  private async image(): Promise<string> {
    const ssm = new SSMClient({
      endpoint: this.cloud.endpoint,
      region: this.cloud.environment.AWS_REGION ?? 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: IMAGE }));
    if (!Parameter?.Value) throw new DemoError(`the embedded AWS knows no image ${IMAGE}`);
    return Parameter.Value;
  }

  private async phase<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.terminal.heading(name);
    const start = Date.now();
    const result = await work();
    this.terminal.line(`  done in ${seconds((Date.now() - start) / 1000)}`);
    return result;
  }
}
