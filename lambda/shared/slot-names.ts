/** The names of a tier's slots: oss-00, oss-01 and so on, three digits from the 101st. */
export function slotNames(tier: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${tier}-${String(index).padStart(2, '0')}`);
}
