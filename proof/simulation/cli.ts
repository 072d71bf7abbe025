/** Runs the simulation: `make simulate RUNS=n SEED=s`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Terminal } from '../../cli/terminal';
import { replaceBetweenMarkers } from '../bench/measurement';
import { bundleWorker } from './bundle';
import { mutationOf } from './mutations/mutations';
import { parseOptions, type SimulationOptions, USAGE } from './options';
import { Pool } from './pool';
import { machine, markdown, type Report, text } from './report';
import { codeOf, Soak } from './soak';
import type { SummaryData } from './summary';
import { synthesizeDefinition } from './synthesize';

const ROOT = resolve(__dirname, '..', '..');

/** Failing seeds that are shrunk and shown. */
const SHOWN = 1;

/** A progress line this often where output is not a terminal, milliseconds. */
const LINE_EVERY_MS = 30_000;

async function main(args: string[]): Promise<number> {
  let options: SimulationOptions;
  try {
    options = parseOptions(args);
    if (options.help) {
      console.log(USAGE);
      return 0;
    }
    if (options.mutation) mutationOf(options.mutation);
  } catch (error) {
    console.error(`${(error as Error).message}\nUse --help to see the options.`);
    return 2;
  }
  const terminal = new Terminal(process.stdout);
  const started = Date.now();
  const bundle = await bundleWorker(options.mutation ? mutationOf(options.mutation) : undefined);
  const definition = synthesizeDefinition();
  const code = codeOf(bundle, definition);
  const soak = options.resume === undefined ? undefined : Soak.open(options.resume, code, options.seed);
  const left = Math.max(0, options.runs - (soak?.runs ?? 0));
  if (soak !== undefined) terminal.line(`${soak.runs} of ${options.runs} runs were done before`);
  const workers = Math.min(options.workers, options.runs);
  const pool = new Pool({
    bundle,
    definition,
    workers,
    having: options.having,
    stopAtFailure: options.stop,
    until: options.minutes === undefined ? undefined : started + options.minutes * 60_000,
    progress: progress(terminal, left),
    ran: (first, count, found) => soak?.note(first, count, found),
  });
  try {
    const begun = Date.now();
    const done = await pool.run(options.seed + options.runs - left, left);
    soak?.write();
    const summary = soak?.data.summary ?? done;
    const report: Report = {
      finishedAt: new Date().toISOString(),
      firstSeed: options.seed,
      having: options.having,
      askedRuns: options.runs,
      seconds: soak?.data.seconds ?? (Date.now() - begun) / 1000,
      sessions: soak?.data.sessions ?? 1,
      code,
      workers,
      machine: machine(),
      mutation: options.mutation,
      summary,
    };
    write(report, options, args);
    if (summary.runs === 0 && options.having.length > 0)
      terminal.line(`None of these seeds has faults of all of: ${options.having.join(', ')}`);
    for (const line of text(report)) terminal.line(line);
    await show(summary, pool, options, terminal);
    return summary.failed > 0 ? 1 : 0;
  } finally {
    await pool.close();
  }
}

function write(report: Report, options: SimulationOptions, args: string[]): void {
  const file = resolve(ROOT, options.report);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  if (options.writeSoak === undefined || options.mutation) return;
  const document = resolve(ROOT, options.writeSoak);
  const command = `npx tsx proof/simulation/cli.ts ${args.join(' ')}`;
  writeFileSync(document, replaceBetweenMarkers(readFileSync(document, 'utf8'), markdown(report, command)));
}

/** The failing seeds with the command that shows them again, and the shortest trace of the first ones. */
async function show(
  summary: SummaryData,
  pool: Pool,
  options: SimulationOptions,
  terminal: Terminal,
): Promise<void> {
  const mutation = options.mutation ? ` --mutation ${options.mutation}` : '';
  for (const { seed, invariant, message } of summary.failures) {
    terminal.line(`${invariant}: ${message}`);
    terminal.line(`  again: npx tsx proof/simulation/cli.ts --runs 1 --seed ${seed} --trace${mutation}`);
  }
  const seeds =
    options.trace && summary.failed === 0 ? [options.seed] : summary.failures.map(({ seed }) => seed);
  for (const seed of seeds.slice(0, SHOWN)) {
    const { runs, trace } = await pool.shrink(seed);
    terminal.heading(summary.failed > 0 ? `Shortest trace, found in ${runs} runs` : 'Trace');
    for (const line of trace) terminal.line(line);
  }
}

function progress(terminal: Terminal, runs: number): (summary: SummaryData) => void {
  const begun = Date.now();
  let last = begun;
  return (summary) => {
    const rate = (1000 * summary.runs) / Math.max(1, Date.now() - begun);
    const line = `${summary.runs} of ${runs} runs, ${rate.toFixed(0)} a second, ${summary.failed} violations`;
    terminal.status(line);
    if (process.stdout.isTTY || Date.now() - last < LINE_EVERY_MS) return;
    last = Date.now();
    terminal.line(line);
  };
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 70;
  },
);
