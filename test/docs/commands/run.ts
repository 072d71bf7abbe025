/** Runs the commands of the docs, page by page, against an embedded AWS on which they deploy what they look at. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { count, seconds, type Terminal } from '../../../cli/terminal';
import { type LocalCloud, startLocalCloud, withoutAws } from '../../../proof/kit/localcloud';
import { DemoError, run, stop, tail } from '../../../proof/kit/processes';
import { type ProgramOptions, type Run, reasonOf, start } from '../../../proof/kit/program';
import { type Block, blocksOf } from './blocks';
import { DEPLOYS, LAST, NAMES, pages } from './pages';
import { makeProject } from './project';
import { scenesOf } from './scenes';
import { filledIn } from './values';
import { NAME, World } from './world';

const USAGE = `Runs each block of commands of README.md, docs/ and constructs/*/README.md, page by page, against an
embedded AWS. The commands of README.md deploy what the others look at. A block that cannot run has
'<!-- not run: reason -->' directly above it.

Usage: npx tsx test/docs/commands/run.ts [options] [page ...]

  --list       say which blocks are run and which are not, and run none
  --out DIR    folder for logs and report.json (default: out/docs)
  --help       this text

With pages: those and README.md, without which nothing is deployed. Exit code: 0 when each block ended as its page says,
69 where this machine has no AWS CLI.`;

interface Options extends ProgramOptions {
  readonly only: readonly string[];
  readonly list: boolean;
}

function parse(args: string[]): Options {
  const options = {
    list: { type: 'boolean' },
    out: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const out = values.out ?? 'out/docs';
  const { list = false, help = false } = values;
  return { only: positionals, list, out, state: join(out, 'state'), help };
}

interface Result {
  readonly block: string;
  readonly seconds: number;
  /** What was otherwise than the page says; undefined when nothing was. */
  readonly problem?: string;
}

/** sysexits.h, EX_UNAVAILABLE. */
const UNAVAILABLE = 69;
/** In a make of a make: what this was started with is not for the commands. */
const OF_MAKE = /^(MAKE|MFLAGS)/;

class CommandsRun implements Run {
  private readonly results: Result[] = [];
  private readonly skipped: Block[] = [];
  /** Blocks that changed nothing when they ran again, and with which configuration they ran. */
  private readonly deployed = new Map<string, string>();
  private readonly began = Date.now();
  private named = false;
  private error?: string;
  private cloud!: LocalCloud;
  private world!: World;
  private environment!: NodeJS.ProcessEnv;
  private cloudEndedWith?: number;

  constructor(
    private readonly options: Options,
    private readonly root: string,
    private readonly terminal: Terminal,
  ) {}

  private get project(): string {
    return join(this.options.out, 'project');
  }

  async run(): Promise<void> {
    const { only, list, out, state } = this.options;
    const wanted = pages().filter((page) => only.length === 0 || [...only, DEPLOYS].includes(page));
    // A mark without a reason is told before anything runs.
    const blocks = new Map(wanted.map((page) => [page, blocksOf(page)]));
    if (list) return this.list([...blocks.values()].flat());
    requireAwsCli();
    makeProject(this.root, this.project);
    this.cloud = await startLocalCloud(this.root, '.venv/bin/python', state, out);
    this.environment = this.environmentOf(this.cloud);
    this.world = new World(this.environment);
    const ended = this.cloud.process.ended.then((code) => {
      this.cloudEndedWith = code;
    });
    await Promise.race([this.pages(blocks), ended]);
    if (this.cloudEndedWith !== undefined) throw new DemoError('the commands could not go on');
    await stop(this.cloud.process);
  }

  private environmentOf(cloud: LocalCloud): NodeJS.ProcessEnv {
    const own = Object.entries(withoutAws(process.env)).filter(([name]) => !OF_MAKE.test(name));
    return {
      ...Object.fromEntries(own),
      ...cloud.environment,
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      // There is no terminal, and nobody to ask.
      DEPLOY_OPTIONS: '--require-approval never',
    };
  }

  private list(blocks: Block[]): void {
    for (const { page, line, notRun } of blocks)
      this.terminal.line(`${page}:${line}  ${notRun ? `not run: ${notRun}` : 'run'}`);
  }

  private async pages(blocks: ReadonlyMap<string, readonly Block[]>): Promise<void> {
    for (const [page, ofPage] of blocks) {
      this.terminal.heading(page);
      rmSync(this.file('state-of-page'), { force: true });
      const named = readFileSync(page, 'utf8').includes('operations.md#the-names');
      if (named && ![DEPLOYS, NAMES].includes(page)) await this.names(page);
      for (const block of ofPage) await this.block(block);
      const failed = this.results.some(({ block, problem }) => problem && block.startsWith(DEPLOYS));
      if (failed) throw new DemoError(`without the deployment of ${DEPLOYS} the other pages have nothing`);
      // It was asked once.
      this.environment.PREFLIGHT = 'no';
    }
  }

  private readonly file = (name: string): string => join(this.options.out, name);

  /** The names, with which a page begins. They stay the same until the deployment is deleted. */
  private async names(page: string): Promise<void> {
    const [known, state] = [this.file('state-of-names'), this.file('state-of-page')];
    if (LAST.includes(page) || !this.named) {
      const [block] = blocksOf(NAMES);
      await this.execute({ ...block!, text: await filledIn(block!, this.world) }, 'names');
      copyFileSync(state, known);
      this.named = true;
    } else copyFileSync(known, state);
  }

  private async block(block: Block): Promise<void> {
    const where = `${block.page}:${block.line}`;
    if (block.notRun !== undefined) {
      this.skipped.push(block);
      return this.terminal.line(`  ${where}  not run: ${block.notRun}`);
    }
    const begun = Date.now();
    const stage = { world: this.world, project: this.project };
    let problem: string | undefined;
    try {
      for (const scene of scenesOf(block)) await scene.before?.(stage);
      const text = await filledIn(block, this.world);
      if (this.isRepeated(text)) return this.terminal.line(`  ${where}  as before`);
      problem = await this.execute({ ...block, text }, where.replaceAll('/', '-').replace(':', '-'));
      if (!problem) for (const command of repeatable(text)) this.deployed.set(command, this.configuration);
      for (const scene of scenesOf(block)) await scene.after?.(stage);
    } catch (error) {
      problem ??= (error as Error).message;
    }
    const took = (Date.now() - begun) / 1000;
    this.results.push({ block: where, seconds: took, ...(problem && { problem }) });
    this.terminal.check(!problem, `${where}  ${seconds(took)}${problem ? `  ${problem}` : ''}`);
  }

  private get configuration(): string {
    const file = join(this.project, 'config', `${NAME}.yaml`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Whether the same was deployed or compared before, of the same configuration. */
  private isRepeated(text: string): boolean {
    const [command, ...others] = repeatable(text);
    const alone = command !== undefined && others.length === 0 && !text.trim().includes('\n');
    return alone && this.deployed.get(command) === this.configuration;
  }

  /** What was otherwise than the page says. */
  private async execute({ text, code: expected }: Block, name: string): Promise<string | undefined> {
    const [script, failed, logFile] = ['sh', 'failed', 'log'].map((end) =>
      this.file(`blocks/${name}.${end}`),
    );
    mkdirSync(this.file('blocks'), { recursive: true });
    rmSync(failed!, { force: true });
    writeFileSync(script!, `${text}\n`);
    const code = await run({
      program: 'bash',
      args: [join(__dirname, 'block.sh'), this.file('state-of-page'), script!, failed!],
      env: this.environment,
      cwd: this.project,
      logFile: logFile!,
    });
    const commands = existsSync(failed!) ? readFileSync(failed!, 'utf8').trim().split('\n') : [];
    if (code === expected && (expected !== 0 || commands.length === 0)) return undefined;
    const said = tail(logFile!, 8).map((line) => `      ${line}`);
    return [`exit code ${code}, not ${expected}`, ...commands.map((each) => `    ${each}`), ...said].join(
      '\n',
    );
  }

  fail(message: string): void {
    this.error = reasonOf(message, this.cloudEndedWith, this.options.out);
    this.terminal.line(`${this.terminal.style('The run stopped:', 'red', 'bold')} ${this.error}`);
  }

  writeReports(): boolean {
    const { error, results, skipped, terminal, options } = this;
    if (options.list) return !error;
    const failed = results.filter(({ problem }) => problem);
    const passed = !error && results.length > 0 && failed.length === 0;
    const notRun = skipped.map(({ page, line, notRun: reason }) => ({ block: `${page}:${line}`, reason }));
    const file = this.file('report.json');
    writeFileSync(file, `${JSON.stringify({ passed, error, results, notRun }, null, 2)}\n`);
    const verdict = passed
      ? terminal.style('Passed', 'green', 'bold')
      : terminal.style('Failed', 'red', 'bold');
    terminal.heading(verdict);
    const took = seconds((Date.now() - this.began) / 1000);
    terminal.line(
      `  ${count(results.length, 'block')} run, ${failed.length} failed, ${skipped.length} not run, ${took}; ` +
        `report: ${file}`,
    );
    return passed;
  }
}

/** The commands of a block that change nothing when they run again with the same configuration. */
const repeatable = (text: string): string[] =>
  text
    .replaceAll('$NAME', NAME)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(make deploy|npx cdk diff) /.test(line));

function requireAwsCli(): void {
  try {
    execFileSync('aws', ['--version'], { stdio: 'ignore' });
  } catch {
    throw new DemoError('there is no AWS CLI on the PATH (pip install awscli)', UNAVAILABLE);
  }
}

start({ usage: USAGE, parse, make: (options, root, terminal) => new CommandsRun(options, root, terminal) });
