/**
 * Deploys each key of the configuration to the embedded AWS: off, on, off, on again and changed, in the order of 'make
 * deploy'.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OptionError } from '../../../cli/arguments';
import { count, seconds, type Terminal } from '../../../cli/terminal';
import { loadConfig } from '../../../lib/config';
import type { DeploymentConfig } from '../../../lib/config-types';
import { Outside } from '../../../proof/demo/outside';
import type { Clients } from '../../../proof/kit/clients';
import { type ProgramOptions, type Run, start } from '../../../proof/kit/program';
import { codeOf, Journal } from '../../../scripts/journal';
import { onCloud } from '../../upgrade/on-cloud';
import { attempts } from '../attempts';
import { configsOf, DEPLOYMENTS } from '../configs';
import { FIXED, FIXED_IN } from '../fixed';
import { Deployer } from './deployer';
import { Foreign } from './foreign';

const USAGE = `Deploys each key of the configuration to the embedded AWS: off, on, off, on again and changed, in the
order of 'make deploy'. Each step has to work, with all data and addresses where they were, or has to be refused at
synthesis. OPTIONS=all tries each key by itself in every deployment; otherwise each key is tried once, those that leave
each other alone together. Interrupted, it goes on at the next call, as long as the code is the same.

Usage: npx tsx test/options/deployed/run.ts [options] [deployment ...]

  --key KEY    only what is tried together with this key; may be given more than once
  --out DIR    folder for logs, results and report.json (default: out/options)
  --anew       try again what was tried with this code
  --help       this text

Without a deployment: all of config/. Exit code: 0 when every step held, 1 when one did not, 2 for a wrong option.`;

/**
 * Keys that cannot be tried here: a benchmark that is judged fails its deployment, for the embedded AWS has no real
 * storage; and what is in an existing network is told by parameters.
 */
const NOT_HERE = /^(benchmark\.gateDeployment|existingNetwork(\..+)?)$/;

/** What is tried together here. */
const tried = (deployment: string): string[][] =>
  attempts(deployment)
    .map((paths) => paths.filter((path) => !NOT_HERE.test(path)))
    .filter((paths) => paths.length > 0);

interface Options extends ProgramOptions {
  readonly deployments: string[];
  readonly keys: string[];
  readonly anew: boolean;
}

/** Keys that were tried together, on and off and changed. */
interface Attempt {
  readonly steps: readonly Step[];
}

/** One change of a deployed configuration. */
interface Step {
  readonly deployment: string;
  readonly keys: readonly string[];
  readonly change: string;
  readonly seconds: number;
  readonly refused?: string;
  readonly asked?: boolean;
  readonly problems: readonly string[];
}

function parse(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true },
      out: { type: 'string' },
      anew: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const deployments = positionals.length > 0 ? positionals : [...DEPLOYMENTS];
  const unknown = deployments.filter((name) => !DEPLOYMENTS.includes(name));
  if (unknown.length > 0)
    throw new OptionError(`there is no deployment '${unknown[0]}'; there are: ${DEPLOYMENTS.join(', ')}`);
  const keys = values.key ?? [];
  const untried = keys.filter((key) => !deployments.some((name) => tried(name).flat().includes(key)));
  if (untried.length > 0)
    throw new OptionError(`the key '${untried[0]}' is not tried with ${deployments.join(', ')}`);
  const out = values.out ?? 'out/options';
  const { anew = false, help = false } = values;
  return { deployments, keys, anew, out, state: join(out, 'state'), help };
}

/**
 * How an attempt leaves its deployment: as the reference is, in another way, or untouched, since it needs a new one.
 */
type Left = 'back' | 'stays' | 'anew';

/** What a step is called, and the configuration that it brings. */
type Change = readonly [string, DeploymentConfig];

class OptionsRun implements Run {
  private readonly journal: Journal<Attempt>;
  private readonly began = Date.now();
  private error?: string;

  constructor(
    private readonly options: Options,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {
    this.journal = new Journal(join(options.out, 'attempts.jsonl'), codeOf(root), options.anew);
  }

  async run(): Promise<void> {
    const { deployments } = this.options;
    const { begunAnew, results } = this.journal;
    if (begunAnew) this.terminal.line(`begun anew: ${begunAnew}`);
    if (results.length > 0) this.terminal.line(`going on after ${count(results.length, 'attempt')}`);
    for (const deployment of deployments) {
      const made = this.stepsOf(deployment).map((step) => step.keys.join());
      let open = this.wanted(deployment).filter((paths) => !made.includes(paths.join()));
      // What failed, or cannot be left, is nothing to build upon: what is left begins with new stacks.
      while (open.length > 0) open = open.slice(await this.untilOneStays(deployment, open));
    }
  }

  private wanted(deployment: string): string[][] {
    const { keys } = this.options;
    return tried(deployment).filter(
      (paths) => keys.length === 0 || paths.some((path) => keys.includes(path)),
    );
  }

  /** What was tried so far. */
  private stepsOf(deployment: string): Step[] {
    return this.journal.results
      .flatMap(({ steps }) => steps)
      .filter((step) => step.deployment === deployment);
  }

  /**
   * How many attempts were made on one embedded AWS: all of them, or up to the first from which there was no way back.
   */
  private async untilOneStays(deployment: string, open: string[][]): Promise<number> {
    this.terminal.heading(`${deployment}: ${count(open.length, 'attempt')} to go`);
    const out = join(this.options.out, deployment);
    mkdirSync(out, { recursive: true });
    const { root, terminal } = this;
    const { state } = this.options;
    const made = await onCloud({ root, state, out, terminal }, async (settings, clients) => {
      const deployer = new Deployer(settings, clients, deployment, await this.outside(clients, deployment));
      const foreign = await Foreign.make(clients);
      for (const [index, paths] of open.entries()) {
        const { left, steps } = await this.attempt(deployer, foreign, deployment, paths);
        if (steps.length > 0) this.journal.add({ steps });
        if (left !== 'back') return left === 'anew' ? index : index + 1;
      }
      return open.length;
    });
    rmSync(state, { recursive: true, force: true });
    return made;
  }

  private async outside(clients: Clients, deployment: string): Promise<Record<string, string>> {
    const outside = new Outside(clients, deployment, this.terminal);
    if (outside.needed) await outside.make();
    return outside.parameters;
  }

  private async attempt(
    deployer: Deployer,
    foreign: Foreign,
    deployment: string,
    keys: string[],
  ): Promise<{ left: Left; steps: Step[] }> {
    const { off, on, changed } = configsOf(deployment, keys);
    const reference = loadConfig(deployment);
    const around: Change[] = [
      ['on', on],
      ['changed', changed],
      ['as it was', reference],
    ];
    const switched: Change[] = off
      ? [
          ['off', off],
          ['on', on],
          ['off', off],
        ]
      : [];
    const fixed = [...FIXED, ...(FIXED_IN[deployment] ?? [])].includes(keys[0]!);
    const fresh = deployer.fresh;
    this.terminal.line(`  ${keys.join(', ')}`);
    let left: Left = 'stays';
    const steps: Step[] = [];
    for (const [index, [change, config]] of [...switched, ...around].entries()) {
      const begun = Date.now();
      const { refused, asked, problems } = await deployer.bring(foreign.in(config));
      // What stands beside the keys may be another file system: that is deployed anew.
      if (refused && index === 0 && !fresh) return { left: 'anew', steps };
      // Back to the reference is a way out of what stands beside the keys, which may be refused.
      const unasked = refused && !fixed && config !== reference ? [`refused: ${refused}`] : [];
      const step: Step = {
        deployment,
        keys,
        change,
        seconds: (Date.now() - begun) / 1000,
        refused,
        asked,
        problems: [...problems, ...unasked],
      };
      steps.push(step);
      this.tell(step);
      if (problems.length > 0) return { left: 'stays', steps };
      left = config === reference && !refused ? 'back' : 'stays';
    }
    return { left, steps };
  }

  private tell(step: Step): void {
    const said = step.problems.length ? 'FAILED' : step.refused ? 'refused' : step.asked ? 'asked' : 'ok';
    const took = seconds(step.seconds).padStart(8);
    this.terminal.line(`    ${step.change.padEnd(10)} ${said.padEnd(8)} ${took}`);
    for (const problem of step.problems) this.terminal.line(`      ${problem}`);
  }

  fail(message: string): void {
    this.error = message;
    this.terminal.line(`${this.terminal.style('The run stopped:', 'red', 'bold')} ${message}`);
  }

  writeReports(): boolean {
    const { error, options, terminal } = this;
    const steps = options.deployments.flatMap((deployment) => this.stepsOf(deployment));
    const failed = steps.filter(({ problems }) => problems.length > 0);
    const passed = !error && steps.length > 0 && failed.length === 0;
    const file = join(options.out, 'report.json');
    writeFileSync(file, `${JSON.stringify({ passed, error, steps }, null, 2)}\n`);
    terminal.heading(
      passed ? terminal.style('Passed', 'green', 'bold') : terminal.style('Failed', 'red', 'bold'),
    );
    const took = seconds((Date.now() - this.began) / 1000);
    const refused = steps.filter((step) => step.refused).length;
    terminal.line(
      `  ${count(steps.length, 'step')}, ${failed.length} failed, ${refused} refused at synthesis, ${took}; ` +
        `report: ${file}`,
    );
    return passed;
  }
}

start({ usage: USAGE, parse, make: (options, root, terminal) => new OptionsRun(options, root, terminal) });
