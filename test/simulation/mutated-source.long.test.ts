import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { BREAKS } from '../../proof/chaos/broken';
import { type Mutation, mutate } from '../../proof/simulation/mutations/mutation';
import { MUTATIONS } from '../../proof/simulation/mutations/mutations';
import { CAUGHT_BY } from './caught-by';

const ROOT = resolve(__dirname, '../..');

/** The bugs of the simulation, and those of chaos. */
const BUGS: readonly Pick<Mutation, 'name' | 'edits'>[] = [
  ...MUTATIONS,
  ...BREAKS.map(({ name, file, from, to }) => ({
    name: `${name}, of chaos`,
    edits: [{ file: `lambda/volume-reconciler/${file}`, find: from, replace: to }],
  })),
];

/** The files that deliberate bugs change; the compiler reads what they import, and no more. */
const CHANGED = [...new Set(BUGS.flatMap(({ edits }) => edits.map(({ file }) => join(ROOT, file))))];

/** The compiler over these sources, in which a file can be given another text for a while. */
function compiler() {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const texts = new Map<string, string>();
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      ...options,
      types: ['node'],
      noEmit: true,
      noUnusedLocals: false,
      noUnusedParameters: false,
    }),
    getScriptFileNames: () => CHANGED,
    getScriptVersion: (name) => (texts.has(name) ? `mutated ${version}` : '1'),
    getScriptSnapshot: (name) => {
      const text = texts.get(name) ?? ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (changed: ReadonlyMap<string, string>): string[] => {
    texts.clear();
    for (const [name, text] of changed) texts.set(name, text);
    version += 1;
    return [...changed.keys()].flatMap((name) =>
      [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)].map(
        ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
      ),
    );
  };
}

// Only bundled, it would do something else than it says: a name that is gone from the source ends a pass, which the
// next one makes up for.
describe('a deliberate bug is one that a developer could have written: the compiler takes it', () => {
  let complaints: ReturnType<typeof compiler>;

  beforeAll(() => {
    complaints = compiler();
  });

  test.each(BUGS.map((bug) => [bug.name, bug] as const))('%s', (_, { edits }) => {
    const texts = new Map<string, string>();
    for (const edit of edits) {
      const path = join(ROOT, edit.file);
      texts.set(path, mutate(texts.get(path) ?? readFileSync(path, 'utf8'), edit));
    }
    expect(complaints(texts)).toEqual([]);
  });
});

test('of each bug it is known what may catch it', () => {
  expect(Object.keys(CAUGHT_BY).sort()).toEqual(MUTATIONS.map(({ name }) => name).sort());
});
