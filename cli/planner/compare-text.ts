import { type CostItem, thousands } from '../../constructs/sizing/plan';
import type { Terminal } from '../terminal';
import { type Column, tableLines, wrapped } from './columns';
import type { Assessment } from './compare';
import { limitInShort } from './limit-words';
import { buildText, counted, grouped, perCoreText, percent, printable } from './words';

const PAGE = 120;
const NOT_KNOWN = 'not known';
const NOT_SAID = 'not said';

const LEFT_OUT =
  'List prices, on demand, of servers, volumes, file systems and nodes. Left out: all else, such as root ' +
  'volumes, load balancers, keys, logs, snapshots, traffic, licences and taxes.';

interface Row {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
}

/** Prints two configurations side by side. */
export function printComparison(
  terminal: Terminal,
  [a, b]: readonly [Assessment, Assessment],
  readShare: number,
  columns?: number,
): void {
  const width = columns ?? PAGE;
  const paragraph = (text: string, first = '') => {
    for (const line of wrapped(text, width, first)) terminal.line(line);
  };
  for (const [letter, one] of [['A', a] as const, ['B', b] as const]) {
    paragraph(`${printable(one.file)}, ${one.region}: ${described(one)}`, `${letter}  `);
  }
  terminal.line();
  const lines = tableLines(COLUMNS, rows(a, b, readShare), columns ?? Number.POSITIVE_INFINITY);
  lines.forEach((line, index) => {
    terminal.line(
      index === 0 ? terminal.style(line, 'bold') : index === 1 ? terminal.style(line, 'dim') : line,
    );
  });
  terminal.heading('What binds them');
  for (const [letter, { boundBy }] of [['A', a] as const, ['B', b] as const]) {
    paragraph(boundBy ? grouped(boundBy.text) : NOT_KNOWN, `${letter}  `);
  }
  terminal.heading('To be known');
  for (const note of notes(a, b)) paragraph(note, '- ');
}

const COLUMNS: readonly Column<Row>[] = [
  { title: '', text: ({ what }) => what },
  { title: 'A', right: true, text: ({ a }) => a },
  { title: 'B', right: true, text: ({ b }) => b },
  { title: 'B has', right: true, droppable: 1, text: ({ difference }) => difference },
];

function described({ storage, managed, hosts }: Assessment): string {
  const { nodes, nodeType } = hosts;
  const who = nodes === undefined ? 'no nodes of its own' : `${counted(nodes, 'node')} ${nodeType}`;
  return printable(`${storage.kind}, ${buildText(storage, managed)}; ${who}`);
}

function rows(a: Assessment, b: Assessment, readShare: number): Row[] {
  const figure = (
    what: string,
    of: (one: Assessment) => number | undefined,
    text = thousands,
    none = NOT_KNOWN,
  ): Row => {
    const [one, other] = [of(a), of(b)];
    const shown = (value: number | undefined): string => (value === undefined ? none : text(value));
    return { what, a: shown(one), b: shown(other), difference: difference(one, other, text) };
  };
  const words = (what: string, of: (one: Assessment) => string): Row => {
    return { what, a: of(a), b: of(b), difference: of(a) === of(b) ? 'the same' : '' };
  };
  return [
    figure('read, MB/s', ({ prediction }) => prediction.readMBps),
    figure('written, MB/s', ({ prediction }) => prediction.writeMBps),
    figure(`in turns (${percent(readShare)} read), MB/s`, ({ mixedMBps }) => mixedMBps),
    figure('cores of the nodes', ({ hosts }) => hosts.cores),
    figure('in turns for each core, MB/s', ({ perCoreMBps }) => perCoreMBps, perCoreText),
    figure(
      'wanted for each core, MB/s',
      ({ wantedPerCore }) => wantedPerCore.sharedMBps,
      perCoreText,
      NOT_SAID,
    ),
    words('bound by', ({ boundBy }) => (boundBy ? limitInShort(boundBy) : NOT_KNOWN)),
    figure('capacity, GiB', ({ capacityGiB }) => capacityGiB),
    figure('storage, USD/month', ({ storageCost }) => storageCost.usd),
    figure('nodes, USD/month', ({ nodesCost }) => nodesCost.usd),
    figure('together, USD/month', ({ usd }) => usd),
  ];
}

function difference(a: number | undefined, b: number | undefined, text: (value: number) => string): string {
  if (a === undefined || b === undefined) return '';
  if (text(a) === text(b)) return 'the same';
  const sign = b > a ? '+' : '-';
  const part = a > 0 ? ` (${sign}${percent(Math.abs(b / a - 1))})` : '';
  return `${sign}${text(Math.abs(b - a))}${part}`;
}

function notes(a: Assessment, b: Assessment): string[] {
  const each = ([letter, one]: readonly [string, Assessment]) => [
    ...one.prediction.unknown.map((sentence) => `${letter}: ${sentence}`),
    ...unpriced(letter, [...one.storageCost.items, ...one.nodesCost.items]),
  ];
  return [...each(['A', a]), ...each(['B', b]), LEFT_OUT].map(printable);
}

function unpriced(letter: string, items: readonly CostItem[]): string[] {
  const without = items.filter(({ usd }) => usd === undefined).map(({ what }) => grouped(what));
  return without.length ? [`${letter}: the price is not known of ${without.join('; ')}.`] : [];
}
