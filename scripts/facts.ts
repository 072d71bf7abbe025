// Lists what the project takes for true about the outside, and what is to be looked at again.
// npx tsx scripts/facts.ts --help
import { parseArgs } from 'node:util';
import { collectFacts, type ListedFact } from './facts/collect';
import { overdue } from './facts/review';

const USAGE = `Lists the facts about the outside: what each says, its source, when it was read, when to look again.

Usage: npx tsx scripts/facts.ts [--json] [--overdue] [--today DAY]

  --json       print JSON
  --overdue    only those that are overdue
  --today DAY  as if it were that day, yyyy-mm-dd
  --help       this text

Exit codes: 0 nothing is overdue; 3 something is; 64 usage.`;

const OVERDUE = 3;
const WRONG_USAGE = 64;

/** The list as text, one fact after the other, by file. */
export function factsText(facts: readonly ListedFact[], late: readonly ListedFact[]): string {
  const lines: string[] = [];
  let file = '';
  for (const fact of facts) {
    if (fact.file !== file) lines.push('', fact.file);
    file = fact.file;
    const marks = [late.includes(fact) && 'OVERDUE', fact.unverified && 'UNVERIFIED'].filter(Boolean);
    const days = `read ${fact.read}, again ${fact.review ?? 'never'}`;
    lines.push(
      `  ${[fact.name, ...marks].filter(Boolean).join('  ')}: ${fact.value}`,
      `    ${days}`,
      `    ${fact.source}`,
    );
  }
  const unverified = facts.filter((fact) => fact.unverified).length;
  lines.push('', `${facts.length} facts, ${unverified} unverified, ${late.length} overdue`);
  return lines.join('\n').trimStart();
}

function main(): number {
  const options = {
    json: { type: 'boolean', default: false },
    overdue: { type: 'boolean', default: false },
    today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
    help: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.today))
    throw new Error(`--today ${values.today} is no day, yyyy-mm-dd`);
  const all = collectFacts();
  const late = overdue(all, values.today);
  const shown = values.overdue ? late : all;
  if (values.json) {
    const facts = shown.map((fact) => ({ ...fact, overdue: late.includes(fact) }));
    console.log(JSON.stringify({ today: values.today, overdue: late.length, facts }, undefined, 2));
  } else {
    console.log(factsText(shown, late));
  }
  return late.length > 0 ? OVERDUE : 0;
}

if (require.main === module) {
  try {
    process.exitCode = main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = WRONG_USAGE;
  }
}
