import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { InvariantName } from '../kit/invariants/list';
import { DemoError, run } from '../kit/processes';

/**
 * A reconciler with a mistake that somebody could make. Made for a run of this test; the product's code is not touched.
 */
export interface Break {
  readonly name: string;
  readonly what: string;
  /** The source file below lambda/volume-reconciler, and the text that is replaced in it. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The invariants of which one at least has to be violated. */
  readonly caughtBy: readonly InvariantName[];
}

export const BREAKS: readonly Break[] = [
  {
    name: 'release-at-shutting-down',
    what: 'a slot is given away while its owner shuts down and may still write',
    file: 'owned-slot.ts',
    from: "if (state === 'terminated') return true;",
    to: "if (state === 'terminated' || state === 'shutting-down') return true;",
    caughtBy: ['released-after-end'],
  },
  {
    name: 'continue-before-served',
    what: 'a launch is let through as soon as its server runs',
    file: 'domain.ts',
    from: '} else waiting.push(member);',
    to: "} else actions.push(completeLifecycleAction(member, settings.launchHook, 'CONTINUE', 'it runs'));",
    caughtBy: ['continued-after-served'],
  },
  {
    name: 'epoch-stands-still',
    what: 'a new owner gets the epoch of the old one',
    file: 'aws-map.ts',
    from: 'const epoch = claim.epoch + 1;',
    to: 'const epoch = claim.epoch;',
    caughtBy: ['epochs-grow'],
  },
];

const SOURCES = 'lambda/volume-reconciler';

/** The source with the mistake. @throws DemoError when the text to replace is not there exactly once */
export function mutated(source: string, { name, file, from, to }: Break): string {
  const parts = source.split(from);
  if (parts.length !== 2) {
    throw new DemoError(
      `the mistake '${name}' replaces '${from}' in ${SOURCES}/${file}, where it is ${parts.length - 1} times; ` +
        'proof/chaos/broken.ts has to follow the source',
    );
  }
  return parts.join(to);
}

/** The code of a reconciler as Lambda takes it, with the mistake or, without one, as it is. */
export async function packReconciler(
  root: string,
  folder: string,
  python: string,
  mistake?: Break,
): Promise<Buffer> {
  const target = join(folder, mistake?.name ?? 'right');
  mkdirSync(target, { recursive: true });
  let applied = mistake === undefined;
  await build({
    entryPoints: [join(root, SOURCES, 'index.ts')],
    outfile: join(target, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
    plugins: mistake && [
      {
        name: 'mistake',
        setup({ onLoad }) {
          onLoad({ filter: new RegExp(`volume-reconciler/${mistake.file.replace('.', '\\.')}$`) }, (args) => {
            applied = true;
            return { contents: mutated(readFileSync(args.path, 'utf8'), mistake), loader: 'ts' };
          });
        },
      },
    ],
  });
  if (!applied) throw new DemoError(`${SOURCES}/${mistake!.file} is no part of the reconciler any more`);
  const zip = join(target, 'code.zip');
  const code = await run(
    {
      program: python,
      args: ['-m', 'zipfile', '-c', zip, join(target, 'index.js')],
      cwd: target,
      env: process.env,
      logFile: join(target, 'zip.log'),
    },
    60,
  );
  if (code !== 0) throw new DemoError(`the code could not be packed; see ${target}/zip.log`);
  return readFileSync(zip);
}
