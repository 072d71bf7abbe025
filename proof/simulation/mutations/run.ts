/** Puts each deliberate bug into the code and looks whether the simulation catches it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseOptions } from '../options';
import { synthesizeDefinition } from '../synthesize';
import { type Catch, catchMutation } from './catch';
import { MUTATIONS, mutationOf } from './mutations';

const USAGE = `Puts deliberate bugs into the code and looks whether the simulation catches them; writes
out/simulation/mutations.json, or chosen-mutations.json beside it when only some are asked for.

Usage: npx tsx proof/simulation/mutations/run.ts [options]

  --runs N         seeds that each bug may take until it is caught (default: 1000)
  --seed S         the first seed (default: 1)
  --workers N      how many run at the same time (default: as many as the machine has cores)
  --mutation NAMES only these, separated by commas
  --help           this text

Exit codes: 0 all were caught, 1 one got through, 2 wrong options, 70 the simulation itself broke.`;

const WIDTH = Math.max(...MUTATIONS.map(({ name }) => name.length));

async function main(args: string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args);
    if (options.help) {
      console.log(USAGE);
      return 0;
    }
    options.mutation?.split(',').map(mutationOf);
  } catch (error) {
    console.error(`${(error as Error).message}\nUse --help to see the options.`);
    return 2;
  }
  const definition = synthesizeDefinition();
  const chosen = options.mutation?.split(',').map(mutationOf) ?? MUTATIONS;
  const caught: Catch[] = [];
  for (const mutation of chosen) {
    const found = await catchMutation(mutation, definition, options);
    caught.push(found);
    const by = found.caughtBy ? `caught by ${found.caughtBy}` : 'NOT CAUGHT';
    console.log(
      `${mutation.name.padEnd(WIDTH)}  ${by} after ${found.runs} runs${found.message ? `: ${found.message}` : ''}`,
    );
  }
  const folder = resolve(__dirname, '..', '..', '..', 'out', 'simulation');
  mkdirSync(folder, { recursive: true });
  const name = options.mutation ? 'chosen-mutations.json' : 'mutations.json';
  writeFileSync(join(folder, name), `${JSON.stringify(caught, null, 2)}\n`);
  return caught.every((each) => each.caughtBy !== undefined) ? 0 : 1;
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
