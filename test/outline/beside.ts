import { entries, type Section, text } from './section';

/** What differs from the sections of another stack, its model, and the names of what only the model has. */
export function textBeside(sections: readonly Section[], model: readonly Section[], name: string): string {
  const titles = new Set([...sections, ...model].map(({ title }) => title));
  const differing = [...titles].map((title) => {
    const [here, there] = [sections, model].map(
      (all) => all.find((one) => one.title === title)?.entries ?? {},
    );
    const keys = new Set([...Object.keys(here!), ...Object.keys(there!)]);
    return {
      title,
      entries: entries([...keys].map((key) => [key, difference(key, here![key], there![key])])),
    };
  });
  return `as ${name}, but for:\n${text(differing)}`;
}

/** Of lines with parts only the parts that differ, after the first line. */
function difference(key: string, here: Lines, there: Lines, indent = ''): readonly string[] {
  if (!here) return [`${indent}no ${key}`];
  if (!there) return here;
  if (here.join('\n') === there.join('\n')) return [];
  const [parts, others] = [partsOf(here), partsOf(there)];
  if (here[0] !== there[0] || !parts || !others) return here;
  const names = new Set([...parts.keys(), ...others.keys()]);
  const inner = `${indent}  `;
  return [
    here[0]!,
    ...(isOtherList(parts, others) ? [`${inner}in the order ${[...parts.keys()].join(' ')}`] : []),
    ...[...names].flatMap((name) => difference(name, parts.get(name), others.get(name), inner)),
  ];
}

type Lines = readonly string[] | undefined;

/** Whether these are lists, whose order counts, and not of the same items. */
const isOtherList = (parts: Map<string, unknown>, others: Map<string, unknown>): boolean =>
  [...parts.keys()].some((name) => name.startsWith('- ')) &&
  [...parts.keys()].join('\n') !== [...others.keys()].join('\n');

/** The lines of each part by the part's name; undefined where they have none, or not each another one. */
function partsOf([first = '', ...lines]: readonly string[]): Map<string, string[]> | undefined {
  const indent = `${/^ */.exec(first)![0]}  `;
  const parts = new Map<string, string[]>();
  let latest: string[] = [];
  for (const line of lines) {
    if (line.startsWith(`${indent} `)) {
      latest.push(line);
      continue;
    }
    // An item of a list is known by its first line, which mostly has its name; so is a statement.
    const name = /^ *(- .*)$/.exec(line)?.[1] ?? /^ *([^{,]+?):( |$)/.exec(line)?.[1] ?? line.trim();
    if (parts.has(name)) return undefined;
    latest = [line];
    parts.set(name, latest);
  }
  return parts.size > 0 ? parts : undefined;
}
