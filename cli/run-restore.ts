import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type FoundSet, isUsable, momentOf } from '../lambda/shared/backup-set';
import { OptionError } from './arguments';
import { backupSets } from './backup/aws';
import { layIn } from './backup/lay-in';
import type { RestoreOptions } from './backup/options';
import { whereIs } from './deployment/where';
import type { Output } from './output';
import { partOf, whyNot } from './run-backup';
import { agreed } from './run-operation';
import { count, Terminal } from './terminal';

const REFUSED = 1;
const NOT_WANTED = 3;

/** Writes the configuration of a new deployment that a set is laid into. @returns the exit code */
export async function runRestore(options: RestoreOptions, output: Output): Promise<number> {
  const { deployment, as } = options;
  const from = `config/${deployment}.yaml`;
  if (!existsSync(from)) {
    throw new OptionError(
      `${from} is not there: it says what the volumes are. Run this in the project's folder.`,
    );
  }
  const { region } = await whereIs(options, output.env);
  const sets = await backupSets(deployment, region);
  return restore(options, output, sets, { from, to: `config/${as}.yaml`, region });
}

/** As `runRestore`, once the sets are known. */
export async function restore(
  options: RestoreOptions,
  output: Output,
  sets: readonly FoundSet[],
  { from, to, region }: { readonly from: string; readonly to: string; readonly region: string },
): Promise<number> {
  const { deployment, as, json } = options;
  const terminal = new Terminal(json || options.dryRun ? output.err : output.out, output.env);
  const refuse = (why: string): number => {
    terminal.check(false, why);
    if (json) output.out.write(`${JSON.stringify({ deployment, as, restored: false, message: why })}\n`);
    return REFUSED;
  };
  const chosen = choose(options.set, deployment, region, sets);
  if (typeof chosen === 'string') return refuse(chosen);
  const text = layIn(readFileSync(from, 'utf8'), from, chosen, region);
  if (options.dryRun) {
    output.out.write(text);
    return 0;
  }
  if (existsSync(to) && readFileSync(to, 'utf8') !== text)
    return refuse(`${to} is there already, with something else. Choose another name, or remove it.`);
  const moment = new Date(momentOf(chosen)).toISOString();
  terminal.line(`restore ${deployment} as ${as}:`);
  terminal.line(`  set ${chosen.set} of ${moment}, ${count(chosen.snapshots.length, partOf(chosen))}`);
  terminal.line(`  ${to} is written; nothing in your account changes until you deploy it`);
  if (!options.yes && !(await agreed(`write ${to}?`, output))) {
    terminal.line('Nothing was done.');
    return NOT_WANTED;
  }
  writeFileSync(to, text);
  terminal.check(true, `${to}. Look at it, then: make deploy DEPLOYMENT=${as}`);
  if (json)
    output.out.write(`${JSON.stringify({ deployment, as, restored: true, set: chosen.set, file: to })}\n`);
  return 0;
}

/** @returns why there is none */
function choose(
  name: string,
  deployment: string,
  region: string,
  sets: readonly FoundSet[],
): FoundSet | string {
  const where = `backup of ${deployment} in ${region}`;
  if (sets.length === 0) return `There is no ${where}.`;
  if (name === 'latest') {
    const usable = sets.filter(isUsable);
    const sources = [...new Set(usable.map(({ from }) => from ?? region))];
    if (sources.length > 1) {
      const which = 'backup --list shows which set is of which; name one with --set';
      return `There are backups of ${deployment} from several places, ${sources.join(' and ')}: ${which}`;
    }
    return usable[0] ?? `No ${where} can be restored: ${sets[0]!.set} is ${whyNot(sets[0]!)}`;
  }
  const found = sets.find(({ set }) => set === name);
  if (!found)
    return `There is no ${where} with the name ${name}; there are ${sets.map(({ set }) => set).join(', ')}`;
  return isUsable(found) ? found : `${name} cannot be restored: ${whyNot(found)}`;
}
