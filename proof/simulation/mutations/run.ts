/** Puts each deliberate bug into the code and looks whether the simulation catches it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  --all-seeds      begin with the first seed, not with the one that caught the bug before (caught-at.json beside this)
  --write-seeds    write into that file which seed catches each, for the next time
  --help           this text

Exit codes: 0 all were caught, 1 one got through, 2 wrong options, 70 the simulation itself broke.`;

const ALL_SEEDS = '--all-seeds';
const WRITE_SEEDS = '--write-seeds';

/** The seed that has caught each bug. One that no longer does costs time, and nothing else. */
const CAUGHT_AT = join(__dirname, 'caught-at.json');

const WIDTH = Math.max(...MUTATIONS.map(({ name }) => name.length));

async function main(args: string[]): Promise<number> {
  let options: ReturnType<typeof parseOptions>;
  try {
    options = parseOptions(args.filter((arg) => arg !== ALL_SEEDS && arg !== WRITE_SEEDS));
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
  const caughtAt: Record<string, number> = JSON.parse(readFileSync(CAUGHT_AT, 'utf8'));
  const caught: Catch[] = [];
  const queue = [...chosen];
  // One worker for each bug, as far as there are as many: it starts once, and runs no seed beyond the one that catches.
  const side = Math.min(options.workers, chosen.length);
  const { runs, seed } = options;
  const catchSome = async (): Promise<void> => {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const likely = args.includes(ALL_SEEDS) ? undefined : caughtAt[mutation.name];
      const workers = Math.max(1, Math.floor(options.workers / side));
      const found = await catchMutation(mutation, definition, { runs, seed, workers, likely });
      caught.push(found);
      const by = found.caughtBy ? `caught by ${found.caughtBy}` : 'NOT CAUGHT';
      console.log(
        `${mutation.name.padEnd(WIDTH)}  ${by} after ${found.runs} runs${found.message ? `: ${found.message}` : ''}`,
      );
      if (found.seed === undefined) continue;
      caughtAt[mutation.name] = found.seed;
      if (args.includes(WRITE_SEEDS)) writeSeeds(caughtAt);
    }
  };
  await Promise.all(Array.from({ length: side }, catchSome));
  const folder = resolve(__dirname, '..', '..', '..', 'out', 'simulation');
  mkdirSync(folder, { recursive: true });
  const name = options.mutation ? 'chosen-mutations.json' : 'mutations.json';
  writeFileSync(join(folder, name), `${JSON.stringify(caught, null, 2)}\n`);
  return caught.every((each) => each.caughtBy !== undefined) ? 0 : 1;
}

/** In the order of the bugs; those that are no more are left out. */
function writeSeeds(seeds: Readonly<Record<string, number>>): void {
  const known = MUTATIONS.flatMap(({ name }) => (seeds[name] === undefined ? [] : [[name, seeds[name]]]));
  writeFileSync(CAUGHT_AT, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`);
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
