import {
  type KnownStorage,
  type Limit,
  mixedMBps,
  type Prediction,
  short,
  thousands,
} from '../../constructs/sizing/plan';

/** The limit that decides reads and writes in turns; undefined when nothing is known that limits them. */
export function bindingLimit({ limits }: Prediction, readShare: number): Limit | undefined {
  const least = mixedMBps({ limits }, readShare);
  return limits.find((limit) => mixedMBps({ limits: [limit] }, readShare) === least);
}

/** What to build, in a line. */
export function buildText(storage: KnownStorage, managed?: string): string {
  if (managed !== undefined) return grouped(managed);
  const { servers, serverType, devices } = storage;
  const who = servers ? `${servers} x ${serverType ?? 'server'}` : 'on the nodes';
  const each = servers > 1 ? ' each' : '';
  const what = devices.map(({ count, type, sizeGiB, iops, throughputMiBps }) =>
    type === 'instance-store'
      ? `${count} ${count === 1 ? 'disk' : 'disks'}${each}`
      : [
          `${count} ${type}${each}`,
          ...(sizeGiB === undefined ? [] : [`${thousands(sizeGiB)} GiB`]),
          ...(iops === undefined ? [] : [`${thousands(iops)} IOPS`]),
          ...(throughputMiBps === undefined ? [] : [`${thousands(throughputMiBps)} MiB/s`]),
        ].join(', '),
  );
  return [who, ...what].join('; ');
}

/** MB/s for a core: `9.8`, `75`, `1,500`. */
export const perCoreText = (mbps: number): string => (mbps >= 1000 ? thousands(mbps) : short(mbps));

/** `46567 GiB` as `46,567 GiB`, in texts of the model. */
export function grouped(text: string): string {
  return text.replace(/\b\d{4,}(?= (GiB|TiB|MiB\/s|MB\/s|IOPS|TB|metadata)\b)/g, (number) =>
    thousands(Number(number)),
  );
}

/** `1 node`, `4 nodes`. */
export function counted(number: number, noun: string): string {
  return `${thousands(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `26 %`, with a sign when it is asked for. */
export function percent(part: number): string {
  return `${thousands(100 * part)} %`;
}

/** Text from outside without what a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (one) => (one === '\n' ? one : '?'));
}
