#!/usr/bin/env node
// The planner in a terminal. Bundled by scripts/bundle-planner.mjs: it is the program of the package.
import { type Design, type Plan, plan } from '../constructs/sizing/plan';
import { Terminal } from '../demo/terminal';
import { version } from '../package.json';
import { isOptionError } from './arguments';
import { type Command, type PlanOptions, parseCommand } from './options';
import type { Output } from './output';
import { planCsv, planJson } from './plan-data';
import { printPlan } from './plan-text';
import { PROGRAM } from './usage';
import { printable } from './words';
import {
  cheapestToDeploy,
  namedConfiguration,
  requireFree,
  stillToDecide,
  writeConfiguration,
} from './write';

/** Nothing is feasible, or nothing that there is a configuration for. */
const NOT_FEASIBLE = 1;
const WRONG_OPTION = 2;

/** Runs a command line. @returns the exit code */
export function main(args: readonly string[], output: Output): number {
  try {
    return run(parseCommand(args), output);
  } catch (error) {
    if (!isOptionError(error)) throw error;
    const command = args[0] === 'plan' || args[0] === 'compare' ? ` ${args[0]}` : '';
    complain(output, `${error.message}\nAll options: ${PROGRAM}${command} --help`);
    return WRONG_OPTION;
  }
}

function run(command: Command, output: Output): number {
  if (command.name === 'plan') return runPlan(command, output);
  if (command.name === 'compare') return comparing().runCompare(command, output);
  output.out.write(`${command.name === 'version' ? version : command.text}\n`);
  return 0;
}

// A file of its own in the bundle (scripts/bundle-planner.mjs).
const comparing = () => require('./run-compare') as typeof import('./run-compare');

function runPlan({ wish, format, design, write, force }: PlanOptions, output: Output): number {
  if (write !== undefined) requireFree(write, force);
  const planned = plan(wish);
  const wanted = chosenDesign(planned, design, write !== undefined);
  const chosen = wanted?.feasible ? wanted : undefined;
  const { out, env } = output;
  if (format === 'json') out.write(planJson(wish, planned, chosen));
  else if (format === 'csv') out.write(planCsv(planned));
  else printPlan(new Terminal(out, env), planned, chosen, out.columns);
  if (wanted && !chosen) {
    complain(output, `${wanted.id} cannot be: ${wanted.reason}`);
    return NOT_FEASIBLE;
  }
  const met = planned.designs.some(({ feasible }) => feasible) && planned.grid?.temporary?.feasible !== false;
  const written = write === undefined || writeDesign(planned, chosen, { file: write, force, format }, output);
  return met && written ? 0 : NOT_FEASIBLE;
}

function chosenDesign(planned: Plan, id: string | undefined, toWrite: boolean): Design | undefined {
  const { designs, cheapest } = planned;
  if (id === undefined && toWrite) return cheapestToDeploy(planned);
  return designs.find((one) => one.id === (id ?? cheapest));
}

function writeDesign(
  planned: Plan,
  chosen: Design | undefined,
  { file, force, format }: { file: string; force: boolean; format: PlanOptions['format'] },
  output: Output,
): boolean {
  const named = chosen && namedConfiguration(chosen, planned.need!, file);
  if (!chosen || named === undefined || typeof named === 'string') {
    const why =
      named ?? 'No design that gives what is wanted, and whose price is known, has a reference deployment.';
    complain(output, `${file} was not written. ${why} Type --design with another one.`);
    return false;
  }
  writeConfiguration(file, named.yaml, force);
  // What a program reads has nothing else in it.
  const terminal = new Terminal(format === 'text' ? output.out : output.err, output.env);
  terminal.heading(`${file} is written: ${chosen.id}`);
  const { cheapest } = planned;
  if (cheapest !== undefined && cheapest !== chosen.id) {
    terminal.line(`The cheapest is ${cheapest}${skipped(planned, cheapest, file)}`);
  }
  terminal.line('Still to be decided:');
  for (const sentence of stillToDecide(named, file)) terminal.line(`- ${sentence}`);
  return true;
}

function skipped({ designs, need }: Plan, id: string, file: string): string {
  const why = namedConfiguration(designs.find((one) => one.id === id)!, need!, file);
  return typeof why === 'string' ? `. ${why}` : '.';
}

function complain({ err }: Output, text: string): void {
  err.write(`${printable(text)}\n`);
}

if (require.main === module) {
  // A reader such as 'head' has enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const { stdout: out, stderr: err, env } = process;
  process.exitCode = main(process.argv.slice(2), { out, err, env });
}
