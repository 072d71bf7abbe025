import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { sourceFiles } from '../facts/source-files';

const ROOT = join(__dirname, '../..');
const STATEMENT = /(?:^|\n)(?:import|export)(?! type)(?:[^'"`;]*?from)?\s*'(\.{1,2}\/[^']+)'/g;
const ANY_STATEMENT = /(?:from|import|require)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** What a file imports: paths of files relative to the project. */
export interface Imports {
  readonly file: string;
  readonly imported: readonly string[];
}

/** The imports of TypeScript files in some folders: all of them, or only those that are there when the program runs. */
export function importsOf(folders: readonly string[], which: 'all' | 'at run time'): Imports[] {
  const files = sourceFiles(folders).filter((file) => file.endsWith('.ts'));
  const known = new Set(files);
  const pattern = which === 'all' ? ANY_STATEMENT : STATEMENT;
  return files.map((file) => {
    const found = [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)];
    const paths = found.map(([, path]) => normalize(join(dirname(file), path!)));
    const imported = paths.map(
      (path) => [`${path}.ts`, `${path}/index.ts`].find((one) => known.has(one)) ?? path,
    );
    return { file, imported };
  });
}

/** One circle of files that import each other, or nothing. */
export function circleIn(imports: readonly Imports[]): string[] | undefined {
  const next = new Map(imports.map(({ file, imported }) => [file, imported]));
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const one of next.get(file) ?? []) {
      const circle = visit(one, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const { file } of imports) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}
