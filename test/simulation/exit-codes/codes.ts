import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HOST = join(__dirname, '../../../constructs/host');

const read = (...path: string[]): string => readFileSync(join(HOST, ...path), 'utf8');

/** Codes as their names say them: `readonly EXIT_ERROR=1`, `after_snapshot=5`. */
export function namedCodes(): Map<string, number> {
  const text = read('lib', 'log.sh');
  const line = /^readonly (EXIT_.*)$/m.exec(text)?.[1] ?? '';
  const named = new Map(
    line
      .split(' ')
      .map((each) => each.split('='))
      .map(([name, code]) => [name!, Number(code)]),
  );
  for (const [, name, code] of read('documents', 'serve.sh').matchAll(/^([a-z_]+)=(\d+)$/gm))
    named.set(name!, Number(code));
  return named;
}

/** What the program sources: its parts, and what these source; of a name with a variable all of that form. */
function sourcedFiles(): string[] {
  const parts = /^for part in (.+); do$/m.exec(read('bin', 'sas-grid-serve'))?.[1]?.split(' ') ?? [];
  const waiting = [...parts, 'serve-$kind'];
  const found = new Set<string>();
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const form = new RegExp(`^${part.replace(/\$\w+/g, '[a-z0-9]+')}\\.sh$`);
    for (const file of readdirSync(join(HOST, 'lib')).filter((each) => form.test(each))) {
      if (found.has(file)) continue;
      found.add(file);
      for (const [, other] of read('lib', file).matchAll(/source "\$LIB\/([a-z-]+(?:\$\w+)?)\.sh"/g))
        waiting.push(other!);
    }
  }
  return [...found].map((file) => join('lib', file));
}

/**
 * Every code with which sas-grid-serve, or the document's program around it, says that it ends: by the names in their
 * texts, and by plain numbers. Any other is turned into EXIT_ERROR by the trap of log.sh.
 */
export function codesInText(): Set<number> {
  const named = namedCodes();
  const codes = new Set([0]);
  const files = [join('bin', 'sas-grid-serve'), join('documents', 'serve.sh'), ...sourcedFiles()];
  for (const file of files) {
    if (!existsSync(join(HOST, file))) throw new Error(`there is no ${file}`);
    // What is inside single quotes is a program of awk or sed.
    const text = read(file)
      .replace(/^\s*#.*$/gm, '')
      .replace(/'[^'\n]*'/g, "''");
    for (const [, code] of text.matchAll(/\b(?:exit|die|say) +"?(\d+)\b/g)) codes.add(Number(code));
    for (const [, name] of text.matchAll(/\$\{?(\w+)/g)) {
      const code = named.get(name!);
      if (code !== undefined) codes.add(code);
    }
    for (const [, name] of text.matchAll(/\b(EXIT_[A-Z_]+)\b/g)) codes.add(named.get(name!) ?? Number.NaN);
  }
  return codes;
}

/** The codes that the program's help tells. */
export function codesInHelp(): Set<number> {
  const text = /^# Exit codes: ([\s\S]*?)\nset /m.exec(read('bin', 'sas-grid-serve'))?.[1] ?? '';
  return new Set([...text.matchAll(/(?:^|; |;\n# )(\d+) /g)].map(([, code]) => Number(code)));
}

/** The rows of the table in the README, by code. */
export function codesInReadme(): Map<number, string> {
  const section = /## Serving a slot\n([\s\S]*?)\n## /.exec(read('README.md'))?.[1] ?? '';
  return new Map(
    [...section.matchAll(/^\| (\d+) +\| (.*?) *\|$/gm)].map(([, code, meaning]) => [Number(code), meaning!]),
  );
}
