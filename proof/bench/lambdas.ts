import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Measurement, median } from './measurement';
import { secondsOf } from './timing';

/** The goal of 1 MB, in the units of 10^3 bytes that the table shows. */
const MAX_KB = 1000;

/** Size of each Lambda's bundle, and how long a fresh Node takes to load it beyond starting itself. */
export function measureLambdas(root: string, repetitions: number): Measurement[] {
  const folder = join(root, 'build', 'lambda');
  const names = existsSync(folder)
    ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'index.js')))
    : [];
  if (names.length === 0) throw new Error(`${folder} holds no bundles; run 'npm run bundle' first`);
  const idle = startSeconds(root, '', repetitions);
  return names.flatMap((name): Measurement[] => {
    const file = join(folder, name, 'index.js');
    const load = Math.max(0, startSeconds(root, file, repetitions) - idle);
    return [
      {
        name: `Bundle of ${name}`,
        value: statSync(file).size / 1000,
        unit: 'kB',
        goal: MAX_KB,
        note: 'minified',
      },
      {
        name: `Start of ${name}`,
        value: load * 1000,
        unit: 'ms',
        note: `loading the bundle in a fresh Node, median of ${repetitions}`,
      },
    ];
  });
}

function startSeconds(root: string, file: string, repetitions: number): number {
  // Exits at once: what the bundle left open must not count.
  const script = `${file ? `require(${JSON.stringify(file)});` : ''}process.exit(0)`;
  const env = {
    PATH: process.env.PATH,
    AWS_REGION: 'us-east-1',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const once = () => secondsOf(process.execPath, ['-e', script], { cwd: root, env });
  once(); // fills the disk cache
  return median(Array.from({ length: repetitions }, once));
}
