import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What no commit has, and a clone gets by `make setup`. */
const INSTALLED = ['node_modules', '.venv'];

/**
 * Makes a clone of the project as it is, with what is installed there: the commands of the pages write configurations
 * and records into it.
 */
export function makeProject(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const list = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of list.split('\0').filter((each) => each !== '' && !INSTALLED.includes(each))) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { preserveTimestamps: true });
  }
  for (const name of INSTALLED) symlinkSync(join(root, name), join(folder, name));
  // With its times, by which the set-up sees that it is new enough.
  cpSync(join(root, 'build'), join(folder, 'build'), { recursive: true, preserveTimestamps: true });
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  // As its comment says it: a node that comes later touches no other.
  edit(folder, 'sas-grid-nfs', (text) => text.replace('# plannedNodes:', 'plannedNodes:'));
}

/** Changes the configuration of a deployment. An error when nothing has changed. */
export function edit(folder: string, name: string, change: (text: string) => string): void {
  const file = join(folder, 'config', `${name}.yaml`);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} does not have what was to be changed`);
  writeFileSync(file, after);
}
