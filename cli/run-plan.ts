import { type Design, type Plan, plan } from '../constructs/sizing/plan';
import { complain, type Output } from './output';
import type { PlanOptions } from './planner/options';
import { planCsv, planJson } from './planner/plan-data';
import { printPlan } from './planner/plan-text';
import {
  cheapestToDeploy,
  namedConfiguration,
  requireFree,
  stillToDecide,
  writeConfiguration,
} from './planner/write';
import { Terminal } from './terminal';

/** Nothing is feasible, or nothing that there is a configuration for. */
const NOT_FEASIBLE = 1;

/** Plans, and writes a configuration where one is wanted. @returns the exit code */
export function runPlan({ wish, format, design, write, force }: PlanOptions, output: Output): number {
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
    terminal.line(`The cheapest is ${cheapest}${skippedText(planned, cheapest, file)}`);
  }
  terminal.line('Still to be decided:');
  for (const sentence of stillToDecide(named, file)) terminal.line(`- ${sentence}`);
  return true;
}

function skippedText({ designs, need }: Plan, id: string, file: string): string {
  const why = namedConfiguration(designs.find((one) => one.id === id)!, need!, file);
  return typeof why === 'string' ? `. ${why}` : '.';
}
