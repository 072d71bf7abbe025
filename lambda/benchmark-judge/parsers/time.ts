import { amount, isFields, json, lines, type Parsed } from './parsed';

/** One step of a job of the mixed workload. */
export interface StepTime {
  readonly step: string;
  readonly kind: 'compute' | 'memory' | 'io';
  readonly job: string;
  readonly realSeconds: number;
  readonly userSeconds: number;
  readonly systemSeconds: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

const KINDS = ['compute', 'memory', 'io'];

/** Reads the steps of the mixed workload: JSON, a line each. Lines that are none or cut off count as `unreadable`. */
export function parseSteps(text: string): Parsed<{ steps: StepTime[]; unreadable: number }> {
  const steps: StepTime[] = [];
  let unreadable = 0;
  for (const line of lines(text)) {
    if (!line.trimStart().startsWith('{')) continue;
    const value = json(line);
    const step = isFields(value) ? stepOf(value) : undefined;
    if (step) steps.push(step);
    else unreadable++;
  }
  return steps.length > 0
    ? { value: { steps, unreadable } }
    : { problem: 'The mixed workload printed no step' };
}

function stepOf(value: { readonly [name: string]: unknown }): StepTime | undefined {
  const [real, user, system] = [
    amount(value.realSeconds),
    amount(value.userSeconds),
    amount(value.systemSeconds),
  ];
  if (typeof value.step !== 'string' || !KINDS.includes(value.kind as string)) return undefined;
  if (real === undefined || user === undefined || system === undefined) return undefined;
  return {
    step: value.step,
    kind: value.kind as StepTime['kind'],
    job: String(value.job ?? ''),
    realSeconds: real,
    userSeconds: user,
    systemSeconds: system,
    bytesRead: amount(value.bytesRead) ?? 0,
    bytesWritten: amount(value.bytesWritten) ?? 0,
  };
}
