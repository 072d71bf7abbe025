import type { Call } from '../aws/call';

/** The API calls of one pass, by operation; those that the SDK repeats count each time. */
export interface PassCalls {
  readonly worker: string;
  readonly calls: { [operation: string]: number };
}

const STATUS = ['GetCommandInvocation', 'ListCommandInvocations'];

const isRead = (operation: string): boolean => /^(Describe|Query|Get|List)/.test(operation);

/** Counts what the reconciler calls, pass by pass. */
export class PassCounter {
  private readonly passes = new Map<string, PassCalls>();
  readonly byOperation: { [operation: string]: number } = {};

  /** For `Observer.onCall`. */
  readonly onCall = ({ worker, operation }: Call): void => {
    if (!worker.startsWith('reconciler/')) return;
    const pass = this.passes.get(worker) ?? { worker, calls: {} };
    this.passes.set(worker, pass);
    pass.calls[operation] = (pass.calls[operation] ?? 0) + 1;
    this.byOperation[operation] = (this.byOperation[operation] ?? 0) + 1;
  };

  /** Forgets what was counted so far. */
  reset(): void {
    this.passes.clear();
    for (const operation of Object.keys(this.byOperation)) delete this.byOperation[operation];
  }

  /** Passes that looked at the tier; the others found another execution at work. */
  looking(): PassCalls[] {
    return [...this.passes.values()].filter(({ calls }) => calls.Query !== undefined);
  }

  /** Passes that found another execution at work. */
  get busy(): number {
    return this.passes.size - this.looking().length;
  }

  /**
   * How the passes looked, each way once: the calls that read, without those for the answers of hosts that were told.
   */
  looks(): string[] {
    const all = this.looking().map(({ calls }) =>
      Object.entries(calls)
        .filter(([operation]) => isRead(operation) && !STATUS.includes(operation))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([operation, count]) => `${operation} ${count}`)
        .join(', '),
    );
    return [...new Set(all)].sort();
  }

  /** The most calls of one pass for the answers of hosts that were told. */
  mostStatusCalls(): number {
    return this.looking().reduce(
      (most, { calls }) =>
        Math.max(
          most,
          STATUS.reduce((sum, name) => sum + (calls[name] ?? 0), 0),
        ),
      0,
    );
  }
}
