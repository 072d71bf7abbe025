import { execFileSync } from 'node:child_process';
import { basename, resolve } from 'node:path';

/** The names of the configurations that git has of these; a user's own file beside them is the user's. */
export const namesInGit = (pathspec: string): string[] =>
  execFileSync('git', ['ls-files', pathspec], { cwd: resolve(__dirname, '../..'), encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map((file) => basename(file, '.yaml'));

/** The reference deployments. */
export const REFERENCES: readonly string[] = namesInGit(':(glob)config/*.yaml');
