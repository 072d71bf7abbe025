/** What a configuration is made of. */
export type Plain = string | number | boolean | { readonly [key: string]: Plain | undefined };

const PLAIN_TEXT = /^([A-Za-z/][A-Za-z0-9 ,./()%+-]*|\d+(\.\d+){3}\/\d+)$/;
// YAML 1.1 and 1.2 read these as something else than text.
const READ_OTHERWISE = /^(true|false|yes|no|on|off|null|y|n)$/i;

/**
 * A configuration as YAML: a subset that is enough for it, so that the page need not carry a library of the size of the
 * model.
 */
export function yamlOf(value: { readonly [key: string]: Plain | undefined }, indent = ''): string {
  return Object.entries(value)
    .filter((entry): entry is [string, Plain] => entry[1] !== undefined)
    .map(([key, one]) =>
      typeof one === 'object'
        ? `${indent}${key}:\n${yamlOf(one, `${indent}  `)}`
        : `${indent}${key}: ${scalar(one)}\n`,
    )
    .join('');
}

function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const plain = PLAIN_TEXT.test(value) && !READ_OTHERWISE.test(value) && !value.endsWith(' ');
  // JSON's strings are YAML's.
  return plain ? value : JSON.stringify(value);
}

/** Lines of a comment, none longer than a reader's window; a text from outside cannot end it. */
export function yamlComment(sentences: readonly string[], width = 96): string {
  const words = sentences.join(' ').split(/\s+/u).filter(Boolean);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}
