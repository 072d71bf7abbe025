/** The bench: measures what the project promises about its own speed and size. A report, not a test. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { table } from '../../cli/terminal';
import { measureDemo, measureRecoveries } from './demo-run';
import { measureLambdas } from './lambdas';
import { measureLoading } from './loading';
import { HEADERS, type Measurement, markdown, replaceBetweenMarkers, toRow } from './measurement';
import { parseOptions, USAGE } from './options';
import { measurePlanner } from './planner';
import { measureScale } from './scale';
import { measureSynthesis } from './synthesis';

const ROOT = resolve(__dirname, '..', '..');

function main(): number {
  const args = process.argv.slice(2);
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\nUse --help to see the options.`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const problems: string[] = [];
  const part = (what: string, measure: () => Measurement[]): Measurement[] => {
    process.stderr.write(`measuring ${what}\n`);
    try {
      return measure();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
      return [];
    }
  };
  const measurements = [
    ...part('synthesis', () => measureSynthesis(ROOT, options.repetitions)),
    ...part('loading', () => measureLoading(ROOT, Math.max(options.repetitions, 20))),
    ...part('the Lambda bundles', () => measureLambdas(ROOT, Math.max(options.repetitions, 5))),
    ...part('the planner', () => measurePlanner(Math.max(options.repetitions, 5))),
    ...part('scale', () => measureScale(ROOT, options.repetitions, options.scale)),
    ...part('the demo', () => [measureDemo(ROOT, options.demo)]),
    ...part('recoveries', () => measureRecoveries(ROOT)),
  ];

  for (const line of table(HEADERS, measurements.map(toRow))) console.log(line);
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Node ${process.version}`;
  console.log(machine);
  const out = join(ROOT, 'out', 'bench');
  mkdirSync(out, { recursive: true });
  const report = { measuredAt: new Date().toISOString(), machine, measurements, problems };
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  if (options.write && problems.length === 0) {
    const command = `make bench BENCH_OPTIONS="${args.join(' ')}"`;
    const document = join(ROOT, 'docs', 'performance.md');
    const content = `${markdown(measurements)}\n\nMade by \`${command}\` on ${machine}.`;
    writeFileSync(document, replaceBetweenMarkers(readFileSync(document, 'utf8'), content));
  }
  for (const problem of problems) console.error(`not measured: ${problem}`);
  return problems.length ? 1 : 0;
}

process.exitCode = main();
