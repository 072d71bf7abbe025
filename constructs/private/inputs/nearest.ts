/**
 * The candidate that a misspelt word stands for: a third of its letters may be wrong, and whether they are capital does
 * not matter.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const found = distance(plain(word), plain(candidate));
    if (found <= candidate.length / 3 && found < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance: found };
    }
  }
  return best?.candidate;
}

/** How many letters have to be put in, left out or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (const [left, other] of [...to].entries()) {
      next.push(Math.min(row[left + 1]! + 1, next[left]! + 1, row[left]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
