import { gzipSync } from 'node:zlib';

/** A file in an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

const BLOCK = 512;
const PATH_LENGTH = 100;
// 2020-01-01: any fixed time keeps the bytes the same; tar warns of 1970.
const MODIFIED = 1577836800;

/**
 * A compressed tar archive (POSIX ustar, gzip). The same entries give the same bytes with the same Node release: no
 * clock, no owner and no operating system gets in.
 */
export function archive(entries: ArchiveEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => [header(entry), padded(entry.content)]);
  const compressed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9, memLevel: 9 });
  compressed[9] = 255; // gzip notes the operating system it ran on here; 255 is 'unknown'
  return compressed;
}

function header(entry: ArchiveEntry): Buffer {
  if (Buffer.byteLength(entry.path) > PATH_LENGTH) {
    throw new Error(
      `The path ${entry.path} is longer than the ${PATH_LENGTH} bytes that ustar has for a name.`,
    );
  }
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(entry.path, 0);
  block.write(octal(entry.executable ? 0o755 : 0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(entry.content.length, 11), 124);
  block.write(octal(MODIFIED, 11), 136);
  block.write(' '.repeat(8), 148); // the sum counts itself as spaces
  block.write('0', 156);
  block.write('ustar\0' + '00', 257);
  block.write('root', 265);
  block.write('root', 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
