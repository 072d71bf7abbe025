import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Template } from './differences';

/** The day whose code is taken for deployed: no later code may replace or restart anything of it without consent. */
export const STORED = '2026-11-25';

/** Of a name of a template to what it is. */
export type Templates = Readonly<Record<string, Template>>;

/**
 * Unpacks what the code of `STORED` synthesized: a cloud assembly for each deployment and catalog, with templates,
 * functions and host software. Only what the CDK itself ships is left out.
 *
 * @param folder where to; a folder for each deployment is made in it
 */
export function unpackStored(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const archive = brotliDecompressSync(readFileSync(join(__dirname, `${STORED}.tar.br`)));
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
}

/** The templates of a synthesized app, of the products of a catalog too, by file name. */
export function templatesOf(assembly: string): Templates {
  const files = readdirSync(assembly).filter((file) => file.endsWith('.template.json'));
  return Object.fromEntries(
    files.map((file) => [file, JSON.parse(readFileSync(join(assembly, file), 'utf8')) as Template]),
  );
}
