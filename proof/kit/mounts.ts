import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a host has mounted somewhere. */
export interface HostMount {
  readonly source: string;
  readonly directory: string;
  readonly type: string;
}

/** What the running hosts in a state folder of the embedded AWS have mounted, by instance id. */
export function readMounts(state: string): Record<string, HostMount[]> {
  const folder = join(state, 'hosts');
  const found: Record<string, HostMount[]> = {};
  for (const host of existsSync(folder) ? readdirSync(folder) : []) {
    const mounts = join(folder, host, 'proc', 'mounts');
    if (!existsSync(join(folder, host, 'alive')) || !existsSync(mounts)) continue;
    found[host] = readFileSync(mounts, 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, directory]) => directory)
      .map(([source = '', directory = '', type = '']) => ({ source, directory, type }));
  }
  return found;
}

/** Where running hosts have a file system mounted that they share, by instance id; a server's own targets are none. */
export function sharedDirectories(state: string): Record<string, string> {
  const shared = ({ source, type }: HostMount) =>
    type === 'gfs2' || (['nfs4', 'lustre'].includes(type) && source.includes(':/'));
  return Object.fromEntries(
    Object.entries(readMounts(state)).flatMap(([host, mounts]) => {
      const found = mounts.find(shared);
      return found ? [[host, found.directory]] : [];
    }),
  );
}

/** Where a server has its slot's own file system mounted; undefined where it has none. */
export function servedDirectory(state: string, instance: string): string | undefined {
  const own = readMounts(state)[instance] ?? [];
  return own.find(({ source, directory }) => source.startsWith('/dev/mapper/') && directory !== '/')
    ?.directory;
}
