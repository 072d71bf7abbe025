import { isUnchecked } from '../aws/ask';
import type { Finding } from '../findings';

/** Findings of the parts of a check, side by side: one that cannot be found out keeps no other back. */
export async function eachPart<T>(
  parts: readonly T[],
  look: (part: T) => Promise<Finding[]>,
): Promise<Finding[]> {
  const found = await Promise.all(
    parts.map((part) => look(part).catch((error: unknown) => [notFoundOut(error)])),
  );
  return found.flat();
}

/** What became of a check that threw: never that it passed. */
export function notFoundOut(error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  const action = isUnchecked(error) ? error.action : undefined;
  return { status: 'unchecked', text: `could not be checked: ${text}`, action };
}
