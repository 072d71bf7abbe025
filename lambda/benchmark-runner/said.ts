import { MARK, type Refusal } from '../shared/benchmark/observations';

const MAX_REASON = 300;

/** Why a program refused to begin, in its own words. */
export function refusalOf(said: string): string {
  const refusal = said.split('\n').map(observationOf).find(isRefusal);
  if (refusal) return `${refusal.reason}: ${refusal.text}`.slice(0, MAX_REASON);
  return 'it refused to begin; its output says why';
}

/** Why a program failed: its exit code, and the last that it said. */
export function reasonOf(exitCode: number | undefined, said: string): string {
  const code = exitCode === undefined || exitCode < 0 ? 'it did not run to its end' : `exit code ${exitCode}`;
  const refusal = said.split('\n').map(observationOf).find(isRefusal);
  const last = refusal
    ? `${refusal.reason}: ${refusal.text}`
    : said
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith(MARK) && !/^-+ERROR-+$/.test(line))
        .at(-1);
  return (last ? `${code}: ${last}` : code).slice(0, MAX_REASON);
}

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'refused';

function observationOf(line: string): unknown {
  if (!line.startsWith(`${MARK} `)) return undefined;
  try {
    return JSON.parse(line.slice(MARK.length));
  } catch {
    return undefined;
  }
}
