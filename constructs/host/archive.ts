import { gzipSync } from 'node:zlib';

/** A text file in an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content: string;
}

// Starts the line that names the next file. It is no part of any text.
const MARK = '\u0001';

// No quote and no backslash is among them, so that they can stand in a template and in a script as they are.
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+,-./:;<=>?@[]^_`{|}~';

// Pairs of digits of base 91, which are 13 bits each, to the octal escapes that bash's printf knows. It can write every
// byte; no awk can for certain. There are never more than 20 bits in v.
const DECODE =
  `BEGIN{d="${DIGITS}"}{for(i=1;i<length($0);i+=2){` +
  'v=v*8192+index(d,substr($0,i,1))*91+index(d,substr($0,i+1,1))-92;' +
  'for(n+=13;n>=8;v%=w){n-=8;w=2^n;printf"\\\\0%o",int(v/w)}}}';

const SPLIT = '/^\\001/{close(f);f=base substr($0,2);next}{print>f}';

/** Shell command that unpacks a compressed archive from its standard input, into the existing folders of `$base`. */
export const UNPACK_COMPRESSED = `gzip -dc | awk -v base="$base/" '${SPLIT}'`;

/** Shell command that unpacks an archive, as text from its standard input, into the existing folders of `$base`. */
export const UNPACK = `printf %b "$(awk '${DECODE}')" | ${UNPACK_COMPRESSED}`;

/**
 * Text files one after the other, each after a line with its path, compressed with gzip, in base 91. Against tar and
 * base64 this saves a seventh of the room that user data has (docs/adr/0012). The same entries give the same text with
 * the same Node release.
 *
 * @throws when a file does not end with a line break or contains the mark
 */
export function archive(entries: ArchiveEntry[]): string {
  const bytes = compressed(entries);
  let text = texts.get(bytes);
  if (text === undefined) {
    text = base91(bytes);
    texts.set(bytes, text);
  }
  return text;
}

/**
 * The same archive as bytes.
 *
 * @throws when a file does not end with a line break or contains the mark
 */
export function compressed(entries: ArchiveEntry[]): Buffer {
  for (const { path, content } of entries) {
    if (!content.endsWith('\n') || content.includes(MARK)) {
      throw new Error(`${path} cannot be packed: it has to be text, and to end with a line break.`);
    }
  }
  const text = entries.map(({ path, content }) => `${MARK}${path}\n${content}`).join('');
  let bytes = archives.get(text);
  if (bytes === undefined) {
    bytes = gzipSync(text, { level: 9, memLevel: 9 });
    bytes[9] = 255; // gzip notes the operating system it ran on here; 255 is 'unknown'
    archives.set(text, bytes);
  }
  return bytes;
}

// User data is put together many times in a synthesis, of a few different sets of files. Nobody writes into a Buffer
// that is kept here.
const archives = new Map<string, Buffer>();
const texts = new WeakMap<Buffer, string>();

// 13 bits are two digits, the highest first. Zeros at the end of a gzip file count as padding.
function base91(bytes: Buffer): string {
  const digits: string[] = [];
  let value = 0;
  let bits = 0;
  for (const byte of [...bytes, 0, 0]) {
    value = (value << 8) | byte;
    bits += 8;
    if (bits < 13) continue;
    bits -= 13;
    const pair = value >> bits;
    digits.push(DIGITS.charAt(Math.floor(pair / 91)), DIGITS.charAt(pair % 91));
    value &= (1 << bits) - 1;
  }
  return digits.join('');
}
