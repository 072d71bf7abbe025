import { existsSync, readFileSync } from 'node:fs';
import { type ApiCall, parseJsonLines, type Transition, toApiCall, toTransition } from '../kit/history';
import { type MapWrite, mapWrites } from './map-log';

/** A transition with what this test reads of it besides. */
export interface Line extends Transition {
  /** Of a lifecycle action: its hook. */
  readonly hook?: string;
  /** Of a lifecycle action: CONTINUE or ABANDON. */
  readonly result?: string;
}

/** An API call with the moment of its answer. */
export interface Call extends ApiCall {
  /** Seconds since 1970, when the answer was given; `time` is when the call came. */
  readonly answered: number;
}

/** What belongs to the slots: only that is watched, not the disks of the grid's nodes. */
export interface Watched {
  /** The slot of each volume. */
  readonly slotOfVolume: Readonly<Record<string, string>>;
  /** The slot of each network interface. */
  readonly slotOfInterface: Readonly<Record<string, string>>;
}

/** All that the invariants look at. */
export interface Evidence {
  readonly history: readonly Line[];
  readonly calls: readonly Call[];
  /** The writes of the map, out of the calls, in the order of their answers. */
  readonly writes: readonly MapWrite[];
  readonly watched: Watched;
}

/** Puts the evidence in order: lines of several writers may have crossed in the files. */
export function evidenceOf(history: readonly Line[], calls: readonly Call[], watched: Watched): Evidence {
  const ordered = [...calls].sort((a, b) => a.answered - b.answered);
  return {
    history: [...history].sort((a, b) => a.time - b.time),
    calls: ordered,
    writes: mapWrites(ordered),
    watched,
  };
}

/** The evidence that a state folder of the embedded AWS holds. */
export function readEvidence(state: string, watched: Watched): Evidence {
  const history = read(state, 'history.jsonl').map(
    (line): Line => ({ ...toTransition(line), hook: text(line.hook), result: text(line.result) }),
  );
  const calls = read(state, 'api-calls.jsonl').map((line): Call => {
    const call = toApiCall(line);
    return { ...call, answered: call.time + (typeof line.seconds === 'number' ? line.seconds : 0) };
  });
  return evidenceOf(history, calls, watched);
}

function read(state: string, name: string): Record<string, unknown>[] {
  const file = `${state}/${name}`;
  return existsSync(file) ? parseJsonLines(readFileSync(file, 'utf8'), file) : [];
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
