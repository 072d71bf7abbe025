/** The function's own message in the cause that Step Functions has caught. */
export function messageOfCause(cause: unknown): string {
  const text = String(cause ?? '');
  try {
    return String((JSON.parse(text) as { errorMessage?: unknown }).errorMessage ?? text);
  } catch {
    return text;
  }
}
