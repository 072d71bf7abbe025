import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Files of some folders that git knows or would take, relative to the project: programs, not documents and pictures.
 */
export function sourceFiles(folders: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    cwd: join(__dirname, '../..'),
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && !/\.(md|png|svg|css|html|snap)$/.test(file));
}
