import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../build/lambda');
const names = readdirSync(join(__dirname, '../../lambda')).filter((name) =>
  existsSync(join(__dirname, '../../lambda', name, 'index.ts')),
);

// A function is loaded before its first call: what is in its bundle is waited for. What grew can be found with the
// metafile of esbuild (scripts/bundle-lambdas.mjs).
test.each(names)('the bundle of %s is less than 1,000 kB', (name) => {
  expect(statSync(join(folder, name, 'index.js')).size).toBeLessThan(1_000_000);
});
