import { renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, type Pack, pack } from 'tar-stream';

/** A file that is to be in an archive. */
export interface Member {
  readonly path: string;
  readonly bytes: number;
  readonly open: () => Promise<Readable>;
}

const HOST_PART = /\.tar\.gz$/;

/**
 * Packs files into one archive that only its owner reads. What hosts have sent is unpacked into a folder of its own;
 * whatever a host calls its files, none of them leads out of it.
 *
 * @returns how many files are in it
 */
export async function writeArchive(
  file: string,
  folder: string,
  members: readonly Member[],
): Promise<number> {
  const part = `${file}.part`;
  // Before anything else, so that it is known whether it is there.
  const target = await open(part, 'w', 0o600);
  const archive = pack();
  const written = pipeline(archive, createGzip(), target.createWriteStream());
  try {
    const filled = fill(archive, folder, members);
    const [count] = await Promise.all([filled, written]);
    renameSync(part, file);
    return count;
  } catch (error) {
    archive.destroy();
    await written.catch(() => undefined);
    rmSync(part, { force: true });
    throw error;
  }
}

async function fill(archive: Pack, folder: string, members: readonly Member[]): Promise<number> {
  let count = 0;
  for (const { path, bytes, open } of members) {
    const body = await open();
    if (HOST_PART.test(path))
      count += await unpack(archive, `${folder}/${path.replace(HOST_PART, '')}`, body);
    else {
      const entry = archive.entry({ name: `${folder}/${path}`, size: bytes, mode: 0o600 });
      await pipeline(body, entry);
      count += 1;
    }
  }
  archive.finalize();
  return count;
}

/** The files of an archive, one by one. */
async function unpack(archive: Pack, folder: string, body: Readable): Promise<number> {
  const opened = extract();
  let count = 0;
  const read = pipeline(body, createGunzip(), opened);
  read.catch(() => undefined);
  for await (const entry of opened) {
    const { name, size, type, mtime } = entry.header;
    const path = name
      .split('/')
      .filter((word) => !['', '.', '..'].includes(word))
      .join('/');
    if (type !== 'file' || path === '') {
      entry.resume();
      continue;
    }
    await pipeline(entry, archive.entry({ name: `${folder}/${path}`, size, mtime, mode: 0o600 }));
    count += 1;
  }
  await read;
  return count;
}
