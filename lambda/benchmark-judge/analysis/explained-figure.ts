import type { Bounds } from './limits';
import type { Measurement } from './measurement';

/** What there is to say of a figure that is to be explained. */
export interface ExplainedFigure {
  readonly figure: Measurement;
  readonly bounds: Bounds;
  /** MB/s per core that had to be reached. */
  readonly wanted?: number;
  readonly hostTypes: readonly string[];
  readonly hostName: (instanceId: string) => string;
  /** Tests that the run had: those that it had not are proposed. */
  readonly tests: readonly string[];
}
