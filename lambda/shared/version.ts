/** Whether a version of numbers and dots comes before another one. One with anything else is never older. */
export function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((each) => each.split('.').map(Number));
  for (const [place, number] of other!.entries()) {
    const difference = (mine![place] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
