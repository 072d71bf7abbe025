import { readFileSync } from 'node:fs';

/** One block of commands of a page. */
export interface Block {
  readonly page: string;
  /** Where its first command is. */
  readonly line: number;
  readonly text: string;
  /** Why it cannot be run, as the page says it. */
  readonly notRun?: string;
  /** The exit code that the page says; 0 where it says none. */
  readonly code: number;
}

const MARK = /^\s*<!-- (?:not run|exits with (\d+)):(.*)-->\s*$/;

/**
 * The blocks of a page in their order. What stands directly above a block says how it is run:
 * `<!-- not run: reason -->` or `<!-- exits with 1: reason -->`.
 *
 * @throws Error for a mark without a reason, or without a block below it
 */
export function blocksIn(page: string, markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let inside = false;
  for (const [index, line] of lines.entries()) {
    const mark = MARK.exec(line);
    if (mark && !inside) requireSense(page, index, mark[2]!, lines[index + 1]);
    const fence = /^( *)```(\w*)/.exec(line);
    if (!fence) continue;
    inside = !inside;
    if (!inside || fence[2] !== 'sh') continue;
    const above = MARK.exec(lines[index - 1] ?? '');
    const end = lines.findIndex((each, at) => at > index && each.trim() === '```');
    const indent = fence[1]!.length;
    blocks.push({
      page,
      line: index + 2,
      text: lines
        .slice(index + 1, end)
        .map((each) => each.slice(Math.min(indent, each.length - each.trimStart().length)))
        .join('\n'),
      ...(above && !above[1] && { notRun: above[2]!.trim() }),
      code: Number(above?.[1] ?? 0),
    });
  }
  return blocks;
}

function requireSense(page: string, index: number, reason: string, next = ''): void {
  const where = `${page}:${index + 1}`;
  if (!reason.trim()) throw new Error(`${where}: the mark has no reason; write <!-- not run: reason -->`);
  if (!/^ *```sh/.test(next))
    throw new Error(`${where}: the mark has no block of commands directly below it`);
}

export const blocksOf = (page: string): Block[] => blocksIn(page, readFileSync(page, 'utf8'));
