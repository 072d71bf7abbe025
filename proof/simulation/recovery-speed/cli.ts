/** Measures how fast the re-attachment recovers, in simulated time: `make recovery-speed`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Terminal, table } from '../../../cli/terminal';
import { replaceBetweenMarkers } from '../../bench/measurement';
import { definitionFor, useDefinition } from '../definition';
import { synthesizeDefinition } from '../synthesize';
import { measureAll, measureOne, measureSpare } from './measure';
import { parseOptions, type SpeedOptions, USAGE } from './options';
import { isMet, markdown, type SpeedReport, tables } from './report';
import { synthesizeInstanceRule } from './standby';
import { RECOVERY_TIMEOUT_SECONDS } from './tier';

const ROOT = resolve(__dirname, '..', '..', '..');

/** The name of the markers in a document that gets the result. */
const MARKERS = 'recovery-speed';

async function main(args: string[]): Promise<number> {
  let options: SpeedOptions;
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
  useDefinition(synthesizeDefinition());
  const instanceRule = synthesizeInstanceRule(definitionFor(RECOVERY_TIMEOUT_SECONDS));
  const report: SpeedReport = {
    one: await measureOne(options.runs, options.seed),
    spare: await measureSpare(options.runs, options.seed, instanceRule),
    all: await measureAll(options.seed, options.servers),
  };
  const terminal = new Terminal(process.stdout);
  for (const { heading, headers, rows } of tables(report)) {
    terminal.heading(heading);
    for (const line of table(
      [...headers],
      rows.map((row) => [...row]),
    ))
      terminal.line(line);
  }
  const file = resolve(ROOT, options.report);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${JSON.stringify({ measuredAt: new Date().toISOString(), options, ...report }, null, 2)}\n`,
  );
  if (options.write !== undefined) {
    const document = resolve(ROOT, options.write);
    writeFileSync(document, replaceBetweenMarkers(readFileSync(document, 'utf8'), markdown(report), MARKERS));
  }
  return isMet(report) ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(error.stack ?? error.message);
    process.exitCode = 70;
  },
);
