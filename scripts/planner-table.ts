// Writes the table of docs/planner.md that compares the model with the papers.
// npx tsx scripts/planner-table.ts; test/constructs/sizing/plan/papers.test.ts fails when it was forgotten.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, compareWithPapers } from '../constructs/sizing/plan/published';
import { replaceBetweenMarkers } from '../proof/bench/measurement';

export const PLANNER_DOCUMENT = join(__dirname, '../docs/planner.md');

/** The document with the table that the model gives now. */
export function withTable(document: string): string {
  return replaceBetweenMarkers(document, tableText(compareWithPapers()), 'papers');
}

function tableText(comparisons: Comparison[]): string {
  const head = ['Paper', 'Configuration', '', 'Published', 'Predicted', 'Error', 'What limits it'];
  const lines = [head, head.map(() => '---'), ...comparisons.map(rowOf)];
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), '', summary(comparisons)].join('\n');
}

function rowOf(one: Comparison): string[] {
  const { paper, configuration, phase, measuredMBps, predictedMBps, error, limit, calibrates } = one;
  return [
    paper,
    `${configuration}${calibrates ? ' *' : ''}`,
    phase,
    `${Math.round(measuredMBps)} MB/s`,
    `${Math.round(predictedMBps)} MB/s`,
    error === undefined ? 'read from memory' : percent(error),
    limit,
  ];
}

function percent(part: number): string {
  const text = (100 * part).toFixed(1);
  return `${Number(text) > 0 ? '+' : ''}${text === '-0.0' ? '0.0' : text} %`;
}

function summary(comparisons: Comparison[]): string {
  const counted = comparisons.filter(({ error }) => error !== undefined);
  const fresh = counted.filter(({ calibrates }) => !calibrates);
  const largest = Math.max(...counted.map(({ error }) => Math.abs(error!)));
  return [
    `${counted.length} figures: median error ${(100 * medianError(counted)).toFixed(1)} %, largest ` +
      `${(100 * largest).toFixed(1)} %.`,
    `Without those marked \`*\`, from which the model takes a figure: ${fresh.length}, median ` +
      `${(100 * medianError(fresh)).toFixed(1)} %.`,
  ].join('\n');
}

/** The middle of the errors, as a part of what was measured, without their sign. */
export function medianError(comparisons: readonly Pick<Comparison, 'error'>[]): number {
  const sorted = comparisons.map(({ error }) => Math.abs(error ?? 0)).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

if (require.main === module) {
  writeFileSync(PLANNER_DOCUMENT, withTable(readFileSync(PLANNER_DOCUMENT, 'utf8')));
  console.log(`${PLANNER_DOCUMENT} is written`);
}
