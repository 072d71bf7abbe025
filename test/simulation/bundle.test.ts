import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorker } from '../../proof/simulation/bundle';

const DAY_S = 24 * 3600;

test('bundles of former states of the code do not fill the disk, and those that may still be read stay', async () => {
  const folder = dirname(await bundleWorker());
  const beside = (name: string, ageDays: number): string => {
    const file = join(folder, name);
    writeFileSync(file, '');
    const then = Date.now() / 1000 - ageDays * DAY_S;
    utimesSync(file, then, then);
    return file;
  };
  const old = beside(`old-${process.pid}.js`, 8);
  const recent = beside(`recent-${process.pid}.js`, 6.9);
  const bundle = await bundleWorker();
  expect([bundle, old, recent].map((file) => existsSync(file))).toEqual([true, false, true]);
  utimesSync(recent, 0, 0);
  await bundleWorker();
  expect(existsSync(recent)).toBe(false);
});
