import type { BenchmarkResult, Figure } from '../../shared/benchmark/result';
import { phaseWords, testWords } from '../../shared/benchmark/words';
import { counted } from './parts';

/** A figure with what it is called among the others. */
export interface Shown extends Figure {
  /** The kind of I/O in words; with the hosts where several groups of them did it one after another. */
  readonly label: string;
}

export function shownFigures({ figures, hosts }: BenchmarkResult): Shown[] {
  const kind = ({ testId, phase }: Figure) => `${testId} ${phase}`;
  const counts = new Map<string, number>();
  for (const figure of figures) counts.set(kind(figure), (counts.get(kind(figure)) ?? 0) + 1);
  const name = (id: string) => hosts.find(({ instanceId }) => instanceId === id)?.name ?? id;
  return figures.map((figure) => {
    const words = phaseWords(figure.phase);
    const [first, ...others] = figure.hosts;
    if (counts.get(kind(figure)) === 1 || first === undefined) return { ...figure, label: words };
    const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more', 'more')}`;
    return { ...figure, label: `${words}, ${name(first)}${more}` };
  });
}

/** `/saswork, write (SAS-style I/O)`. */
export function nameOf({ directory, label, test }: Shown): string {
  return directory === undefined
    ? `${testWords(test)}, ${label}`
    : `${directory}, ${label} (${testWords(test)})`;
}

/** Whether its MB/s per core mean something: those between hosts do not. */
export const isPerCore = ({ directory }: Figure): boolean => directory !== undefined;
