/**
 * Deploys what the stored code synthesized to the embedded AWS, then the code as it is, and verifies that nothing of it
 * was replaced.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OptionError } from '../../cli/arguments';
import { count, seconds, type Terminal } from '../../cli/terminal';
import { deploymentNames } from '../../lib/config';
import { Outside } from '../../proof/demo/outside';
import { cdk } from '../../proof/kit/cdk';
import { bringImages } from '../../proof/kit/images';
import type { Check } from '../../proof/kit/model';
import { type ProgramOptions, type Run, start } from '../../proof/kit/program';
import { announcements } from './announced';
import { happenedSince, readEstate } from './estate';
import { onCloud } from './on-cloud';
import { unserved } from './served';
import { STORED, unpackStored } from './stored';
import { servedCheck, verifyUpgrade } from './verify';

const USAGE = `Deploys the code of ${STORED} to the embedded AWS, then the code as it is, in the order of 'make deploy'.
Verifies that no volume, interface, table, key, group or zone was replaced, that no host was restarted unannounced, and
that no data moved.

Usage: npx tsx test/upgrade/run.ts [options] [deployment ...]

  --out DIR    folder for logs and upgrade.json (default: out/upgrade)
  --help       this text

Without a deployment: all of config/. Exit code: 0 when every check held.`;

/**
 * Hosts of the stored code never come up on Amazon Linux 2023, which has no tuned, and this deployment waits for them:
 * whoever has it deployed named another image.
 */
const OTHER_IMAGE: Readonly<Record<string, Record<string, string>>> = {
  'sas-server-io2': {
    'sas-server-io2-storage:SsmParameterValueawsserviceamiamazonlinuxlatestal2023amikerneldefaultx8664C96584B6F00A464EAD1953AFF4B05118Parameter':
      '/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id',
  },
};

interface Options extends ProgramOptions {
  readonly deployments: string[];
}

interface Result {
  readonly deployment: string;
  readonly seconds: number;
  readonly checks: Check[];
}

function parse(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const known = deploymentNames();
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new OptionError(`there is no deployment '${unknown[0]}'; config/ has: ${known.join(', ')}`);
  const out = values.out ?? 'out/upgrade';
  return {
    deployments: positionals.length > 0 ? positionals : known,
    out,
    state: join(out, 'state'),
    help: values.help ?? false,
  };
}

class UpgradeRun implements Run {
  private readonly results: Result[] = [];
  private readonly began = Date.now();
  private error?: string;

  constructor(
    private readonly options: Options,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {}

  async run(): Promise<void> {
    const { out, deployments } = this.options;
    const stored = join(out, 'stored');
    rmSync(stored, { recursive: true, force: true });
    unpackStored(stored);
    for (const deployment of deployments) {
      if (!existsSync(join(stored, deployment))) {
        this.terminal.line(`${deployment} is newer than the stored code: nobody upgrades it`);
        continue;
      }
      const start = Date.now();
      this.terminal.heading(`Upgrade ${deployment} from ${STORED}`);
      const checks = await this.upgrade(deployment, join(stored, deployment));
      for (const { passed, title, detail } of checks) this.terminal.check(passed, `${title}: ${detail}`);
      this.results.push({ deployment, seconds: (Date.now() - start) / 1000, checks });
    }
  }

  private async upgrade(deployment: string, stored: string): Promise<Check[]> {
    const { state } = this.options;
    const out = join(this.options.out, deployment);
    mkdirSync(out, { recursive: true });
    const { root, terminal } = this;
    return onCloud({ root, state, out, terminal }, async (settings, clients) => {
      const outside = new Outside(clients, deployment, terminal);
      if (outside.needed) await outside.make();
      const parameters = Object.entries({ ...outside.parameters, ...OTHER_IMAGE[deployment] }).flatMap(
        ([key, value]) => ['--parameters', `${key}=${value}`],
      );
      const deploy = (name: string, what: string[]) =>
        cdk(
          settings,
          name,
          ['deploy', ...what, '--require-approval', 'never', '--progress', 'events', ...parameters],
          { done: 'deployed', doing: 'deploying' },
        );
      await deploy('before', ['--all', '--app', stored]);
      const before = await readEstate(clients, deployment, state);
      const assembly = join(out, 'cdk.out');
      const synth = ['synth', '--quiet', '-c', `deployment=${deployment}`, '--output', assembly];
      await cdk(settings, 'synth', synth);
      // As 'make deploy' does it.
      const images = await bringImages(settings, deployment, clients);
      if (images.length > 0) {
        await cdk(settings, 'synth', [...synth, ...images]);
        await deploy('images', ['--exclusively', `${deployment}-images`, '--app', assembly]);
      }
      const onto = ['--no-rollback', '--app', assembly];
      await deploy('storage', [`${deployment}-storage`, ...onto]);
      const outputs = join(out, 'outputs.json');
      await deploy('all', ['--all', ...onto, '--outputs-file', outputs]);
      const after = await readEstate(clients, deployment, state);
      const mayRestart = announcements().some(({ effect }) => effect === 'restarts');
      return [
        ...verifyUpgrade(before, after, happenedSince(state, before.time), mayRestart),
        servedCheck(await unserved(clients, deployment, outputs)),
      ];
    });
  }

  fail(message: string): void {
    this.error = message;
    this.terminal.line(`${this.terminal.style('The upgrade stopped:', 'red', 'bold')} ${message}`);
  }

  writeReports(): boolean {
    const { results, error, options, terminal } = this;
    const checks = results.flatMap((result) => result.checks);
    const passed = !error && checks.length > 0 && checks.every((check) => check.passed);
    const file = join(options.out, 'upgrade.json');
    writeFileSync(file, `${JSON.stringify({ passed, error, results }, null, 2)}\n`);
    terminal.heading(
      passed ? terminal.style('Passed', 'green', 'bold') : terminal.style('Failed', 'red', 'bold'),
    );
    const took = seconds((Date.now() - this.began) / 1000);
    terminal.line(
      `  ${count(results.length, 'deployment')}, ${count(checks.length, 'check')}, ${took}; report: ${file}`,
    );
    return passed;
  }
}

start({ usage: USAGE, parse, make: (options, root, terminal) => new UpgradeRun(options, root, terminal) });
