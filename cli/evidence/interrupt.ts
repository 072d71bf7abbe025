import type { Output } from '../output';

/** 128 and the number of the signal, as shells have it. */
const INTERRUPTED = 130;

/** Says what goes on when somebody stops waiting. @returns what takes that back */
export function onInterrupt({ err }: Output, text: string): () => void {
  const stop = () => {
    err.write(`\n${text}\n`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', stop);
  return () => process.off('SIGINT', stop);
}
