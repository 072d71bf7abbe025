/** A throughput for a sentence: `1,480 MB/s`, `23.1 MB/s`. */
export function mbps(value: number): string {
  return `${rounded(value)} MB/s`;
}

/** A number for a sentence: without a fraction from 100 on. */
export function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** `1 server`, `3 servers`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** `Write (sas-io on /saswork)`. */
export function figureName({
  phase,
  test,
  directory,
}: {
  phase: string;
  test: string;
  directory?: string;
}): string {
  return `${phaseName(phase)} (${test}${directory ? ` on ${directory}` : ''})`;
}

/** A phase as a sentence begins with it: `Write`, `Read of random data`. */
export function phaseName(phase: string): string {
  if (phase === 'tcp') return 'TCP';
  const words = phase
    .replace(/^(.*)-random-data$/, '$1 of random data')
    .replaceAll('-', ' ')
    .replace(/^lnet/, 'LNet');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
