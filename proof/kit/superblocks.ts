import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What identifies the data on a volume. */
export interface Superblock {
  readonly uuid: string;
  /** How often the volume was formatted since it was created. */
  readonly formatCount: number;
}

/** The superblocks that lie on the embedded AWS's volumes, by volume id; a blank volume has none. */
export function readSuperblocks(state: string): Record<string, Superblock> {
  const folder = join(state, 'volumes');
  if (!existsSync(folder)) return {};
  const found: Record<string, Superblock> = {};
  for (const volume of readdirSync(folder)) {
    const superblock = readSuperblock(join(folder, volume));
    if (superblock) found[volume] = superblock;
  }
  return found;
}

function readSuperblock(folder: string): Superblock | undefined {
  const file = join(folder, 'superblock.json');
  if (!existsSync(file)) return undefined;
  const content = JSON.parse(readFileSync(file, 'utf8') || '{}') as Record<string, unknown>;
  if (!content.uuid) return undefined;
  return { uuid: String(content.uuid), formatCount: Number(content.formatCount ?? 0) };
}
