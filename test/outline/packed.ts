import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

// constructs/host/archive.ts writes these digits of base 91.
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+,-./:;<=>?@[]^_`{|}~';
const BUNDLE = /(<<'BUNDLE'\n)([^\n]*)(\nBUNDLE\n)/g;

/** The first digits of the SHA-256 of a text: enough to see that it changed. */
export const digest = (text: string): string =>
  `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;

// Many hosts have the same.
const texts = new Map<string, string>();

/** A script with its archive of host software unpacked: the packed bytes differ from one Node release to the next. */
export function unpacked(script: string): string {
  return script.replace(BUNDLE, (_, start: string, packed: string, end: string) => {
    const text = texts.get(packed) ?? gunzipSync(bytesOf(packed)).toString('utf8');
    texts.set(packed, text);
    return `${start}${text}${end}`;
  });
}

/** Two digits are 13 bits. */
function bytesOf(packed: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (let at = 0; at + 1 < packed.length; at += 2) {
    value = (value << 13) | (DIGITS.indexOf(packed[at]!) * 91 + DIGITS.indexOf(packed[at + 1]!));
    for (bits += 13; bits >= 8; value &= (1 << bits) - 1) {
      bits -= 8;
      bytes.push(value >> bits);
    }
  }
  return Buffer.from(bytes);
}
