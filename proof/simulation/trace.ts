import type { Call } from './aws/call';
import { describeCall, isLook } from './describe-call';
import { describeFault, describeScenario, whatOf } from './faults/describe';
import type { Fault } from './faults/kinds';
import type { Violation } from './invariants/invariant';
import type { RunResult } from './run';

interface Line {
  readonly at: number;
  readonly text: string;
  /** Calls that only look are folded into one line. */
  readonly look?: string;
}

/** What happened in a run: always its hash, and its lines when they are asked for. */
export class Trace {
  calls = 0;
  private hash = 0x811c9dc5;
  private zeroAt = 0;
  private readonly lines: Line[] = [];

  constructor(private readonly withLines: boolean) {}

  begin(start: number): void {
    this.zeroAt = start;
  }

  /** From here on times count: the faults begin. */
  zero(now: number): void {
    this.zeroAt = now;
  }

  call(call: Call, outcome: string): void {
    this.calls += 1;
    this.mix(call.at);
    this.mixText(call.operation);
    this.mixText(outcome);
    if (!this.withLines) return;
    const look = outcome === 'ok' && isLook(call) ? call.worker : undefined;
    const repeat = call.attempt > 1 ? ` (attempt ${call.attempt})` : '';
    const said = outcome === 'ok' ? '' : `: ${outcome}`;
    this.lines.push({ at: call.at, look, text: `${call.worker}  ${describeCall(call)}${repeat}${said}` });
  }

  end(
    struck: readonly { at: number; fault: Fault; whom: string }[],
    acts: readonly { at: number; what: string }[],
    violations: readonly Violation[],
  ): void {
    for (const violation of violations) this.mixText(violation.message);
    if (!this.withLines) return;
    for (const { at, fault, whom } of struck)
      this.lines.push({ at, text: `FAULT  ${whatOf(fault)} (${whom})` });
    for (const { at, what } of acts) this.lines.push({ at, text: `PERSON  ${what}` });
    for (const { at, invariant, message } of violations)
      this.lines.push({ at, text: `VIOLATION  ${invariant}: ${message}` });
    this.lines.sort((a, b) => a.at - b.at);
  }

  /** The same for two runs in which the same calls were made at the same times with the same outcomes. */
  digest(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0');
  }

  /** For people. */
  *text(): Generator<string> {
    let looks = 0;
    for (const [index, line] of this.lines.entries()) {
      const next = this.lines[index + 1];
      if (line.look !== undefined) {
        looks += 1;
        if (next?.look === line.look) continue;
        yield `${this.time(line.at)}  ${line.look}  looks (${looks} calls)`;
        looks = 0;
      } else yield `${this.time(line.at)}  ${line.text}`;
    }
  }

  private time(at: number): string {
    const seconds = (at - this.zeroAt) / 1000;
    return `${seconds < 0 ? '' : '+'}${seconds.toFixed(3)} s`.padStart(13);
  }

  private mixText(text: string): void {
    let { hash } = this;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    this.hash = hash;
  }

  private mix(value: number): void {
    this.hash = Math.imul(this.hash ^ (value | 0), 0x01000193);
  }
}

/** The lines of a run's trace, with what it began with and the faults of its plan. */
export function traceOf(result: RunResult): string[] {
  return [
    describeScenario(result.plan),
    ...result.plan.faults.map((fault) => `  ${describeFault(fault)}`),
    '',
    ...result.trace.text(),
  ];
}
