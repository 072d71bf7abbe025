import { existsSync, readFileSync } from 'node:fs';

/** One transition that the embedded AWS recorded. */
export interface Transition {
  /** Seconds since 1970. */
  readonly time: number;
  /** instance, volume-attachment, interface-attachment, mount, format, violation and others. */
  readonly kind: string;
  readonly id: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly instance?: string;
  /** The name under which an NFS server hands out locks. */
  readonly scope?: string;
  /** Of a lifecycle action: its hook. */
  readonly hook?: string;
}

/** One API call that the embedded AWS answered. */
export interface ApiCall {
  /** Seconds since 1970: when it came, and when it was answered. */
  readonly time: number;
  readonly answered: number;
  readonly service: string;
  readonly action: string;
  readonly parameters: Record<string, unknown>;
  readonly userAgent: string;
  readonly error?: string;
  /** The role of the function, host or runbook that called; of whoever else calls there is none. */
  readonly role?: string;
  /** It was refused, since the policy that allows it did not count yet. */
  readonly early?: boolean;
  /** It was refused, since the stack of the role was on its way out and had taken the policy that allowed it. */
  readonly late?: boolean;
}

/**
 * The lines of a JSON Lines file. A last line without line break is being written and is left out; any other line
 * that is no JSON object is an error, because a check over half a history proves nothing.
 */
export function parseJsonLines(textOfFile: string, name: string): Record<string, unknown>[] {
  const lines = textOfFile.split('\n');
  lines.pop();
  return lines.map((line, index) => {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    } catch {
      // told below, with the place
    }
    throw new Error(`${name} line ${index + 1} is no JSON object: ${line.slice(0, 80)}`);
  });
}

/** Times are written as seconds since 1970 or as ISO 8601. */
function toSeconds(value: unknown): number {
  return typeof value === 'number' ? value : Date.parse(String(value)) / 1000;
}

const textOr = (value: unknown, otherwise = '') => (typeof value === 'string' ? value : otherwise);

export function toTransition(line: Record<string, unknown>): Transition {
  return {
    time: toSeconds(line.time),
    kind: textOr(line.kind),
    id: textOr(line.id),
    from: typeof line.from === 'string' ? line.from : null,
    to: typeof line.to === 'string' ? line.to : null,
    instance: typeof line.instance === 'string' ? line.instance : undefined,
    scope: typeof line.scope === 'string' ? line.scope : undefined,
    hook: typeof line.hook === 'string' ? line.hook : undefined,
  };
}

export function toApiCall(line: Record<string, unknown>): ApiCall {
  const parameters = line.parameters;
  const time = toSeconds(line.time);
  return {
    time,
    answered: time + (typeof line.seconds === 'number' ? line.seconds : 0),
    service: textOr(line.service),
    action: textOr(line.action),
    parameters: typeof parameters === 'object' && parameters ? (parameters as Record<string, unknown>) : {},
    userAgent: textOr(line.userAgent),
    error: textOr(line.error) || undefined,
    role: textOr(line.role) || undefined,
    early: line.early === true ? true : undefined,
    late: line.late === true ? true : undefined,
  };
}

/** The history of a state folder; [] when nothing happened yet. */
export function readHistory(state: string): Transition[] {
  return read(state, 'history.jsonl').map(toTransition);
}

/** The API calls of a state folder. */
export function readApiCalls(state: string): ApiCall[] {
  return read(state, 'api-calls.jsonl').map(toApiCall);
}

function read(state: string, name: string): Record<string, unknown>[] {
  const file = `${state}/${name}`;
  return existsSync(file) ? parseJsonLines(readFileSync(file, 'utf8'), file) : [];
}

/** Calls between two moments that were not made by `ownAgent`, counted as service:Action, most frequent first. */
export function countCalls(
  calls: ApiCall[],
  from: number,
  to: number,
  ownAgent: string,
): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { time, service, action, userAgent } of calls) {
    if (time < from || time > to || userAgent.includes(ownAgent)) continue;
    const name = `${service}:${action}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)));
}
