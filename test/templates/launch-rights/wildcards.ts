/**
 * Whether a pattern of IAM, in which `*` stands for anything, covers an action. IAM does not distinguish capitals in
 * actions.
 */
export function matching(pattern: string, action: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(action);
}
