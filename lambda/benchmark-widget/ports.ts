import type { HistoryEntry } from '../shared/benchmark/result';
import type { Log } from '../shared/log';

/** All that the widget reaches: the table of the runs, to read. */
export interface Ports {
  readonly log: Log;
  readonly history: {
    /** The newest runs, the oldest of them first. */
    newest(limit: number): Promise<HistoryEntry[]>;
  };
}
