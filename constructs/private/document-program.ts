import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostFiles } from './package-root';

/**
 * A program of `constructs/host/documents` as the text of a document: its first line, and the rest without comments,
 * empty lines and indentation, as one text. The template of a big tier has little room, and pays for each line of a
 * list. Comments that begin with a code are data of the program.
 */
export function documentProgram(file: string): { readonly interpreter: string; readonly program: string } {
  const [interpreter, ...lines] = readFileSync(join(hostFiles(), 'documents', file), 'utf8').split('\n');
  const program = lines
    .map((line) => line.trim().replace(/^(#(?: 0x[0-9a-f]+)+) .*/, '$1'))
    .filter((line) => line !== '' && !/^#(?! 0x)/.test(line))
    .join('\n');
  return { interpreter: interpreter!, program };
}
