import { isTroubled, isUnderWay } from '../deployment';
import { printable } from '../planner/words';
import { count, type Terminal, table } from '../terminal';
import { PROGRAM } from '../usage';
import type { HostReport, SlotReport, StackReport, StatusReport, Verdict } from './report';
import type { Space } from './space';

const WORDS: { readonly [verdict in Verdict]: readonly [string, 'green' | 'yellow' | 'red' | 'cyan'] } = {
  well: ['all is well', 'green'],
  asleep: ['asleep', 'cyan'],
  time: ['something goes on', 'yellow'],
  person: ['a person is needed', 'red'],
  unknown: ['not all is known', 'yellow'],
};

/** What is not known. */
const UNKNOWN = '-';

/** The report on one screen. */
export function printStatus(terminal: Terminal, report: StatusReport): void {
  const line = (text = '') => terminal.line(printable(text));
  const [words, colour] = WORDS[report.verdict];
  const { deployment, region, account, at } = report;
  terminal.line(
    `${terminal.style(deployment, 'bold')} in ${region}, account ${account}, ${clock(at, at)} UTC: ` +
      terminal.style(words, colour, 'bold'),
  );
  terminal.line();
  line(`Stacks     ${stacksText(report.stacks)}`);
  for (const one of report.stacks.flatMap(troubleOfStack)) line(`           ${one}`);
  line(`Alarms     ${alarmsText(report)}`);
  const goesOn = report.underWay.map(
    ({ text, since }) => text + (since ? `, since ${clock(since, at)}` : ''),
  );
  line(`Under way  ${goesOn.join('\n           ') || 'nothing'}`);
  for (const text of sharedText(report)) line(`Shared     ${text}`);
  printTable(line, SLOT_HEADERS, report.slots, (slot) => slotCells(slot, at), reasonOf);
  for (const { tier, server, state, lifecycle } of report.withoutSlot)
    line(`tier ${tier}, without a slot: ${server}, ${state}, ${lifecycle}`);
  printTable(
    line,
    HOST_HEADERS,
    report.hosts,
    (host) => hostCells(host, at),
    ({ reasons }) => reasons.join('; '),
  );
  printNext(line, terminal, report);
}

type Line = (text?: string) => void;

function printTable<T>(
  line: Line,
  headers: string[],
  rows: readonly T[],
  cells: (row: T) => string[],
  below: (row: T) => string,
): void {
  if (rows.length === 0) return;
  line();
  const [head, , ...lines] = table(headers, rows.map(cells));
  line(head);
  lines.forEach((text, index) => {
    line(text);
    const more = below(rows[index]!);
    if (more) line(`    ${more}`);
  });
}

function printNext(
  line: Line,
  terminal: Terminal,
  { troubles, unread, verdict, deployment }: StatusReport,
): void {
  line();
  for (const text of unread) line(`Not known: ${text}`);
  for (const { needs, text, next } of troubles) {
    terminal.line(terminal.style(printable(text), needs === 'person' ? 'red' : 'yellow'));
    line(`  Next: ${next}`);
  }
  if (verdict === 'well') line('Next: nothing is to be done.');
  if (verdict === 'asleep') line(`Next: it is asleep; start: ${PROGRAM} start ${deployment}`);
  if (verdict === 'unknown') line('Next: get the rights that are missing, and look again.');
}

const SHORT = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

function stacksText(stacks: readonly StackReport[]): string {
  const fine = stacks.filter(({ status }) => !isUnderWay(status) && !isTroubled(status));
  if (fine.length === 0) return 'none is complete';
  return `${fine.map(({ name }) => SHORT(name)).join(', ')} ${fine.length > 1 ? 'are' : 'is'} complete`;
}

function troubleOfStack({ name, status, failures, reason }: StackReport): string[] {
  if (!isUnderWay(status) && !isTroubled(status)) return [];
  const why = failures.map(({ logicalId, type, reason }) => `  ${logicalId} (${type}): ${reason}`);
  return [
    `${SHORT(name)} is ${status}${failures.length === 0 && reason ? `: ${reason}` : ''}`,
    ...why.slice(0, 3),
  ];
}

function alarmsText({ alarms }: StatusReport): string {
  if (alarms === null) return 'not known';
  const all = alarms.ringing.length + alarms.ok + alarms.withoutData;
  if (all === 0) return 'there is none yet';
  const without = alarms.withoutData > 0 ? `, ${alarms.withoutData} have no data yet` : '';
  return alarms.ringing.length === 0
    ? `none of ${all} rings${without}`
    : `${alarms.ringing.length} of ${all} ring${alarms.ringing.length === 1 ? 's' : ''}${without}`;
}

function sharedText({ shared }: StatusReport): string[] {
  if (shared === null) return [];
  const { what, freeBytes, readMBps, writeMBps } = shared;
  const free = freeBytes === null ? '' : `, ${bytes(freeBytes)} free`;
  return [`${what}${free}, read ${rate(readMBps)} MB/s, write ${rate(writeMBps)} MB/s`];
}

const SLOT_HEADERS = [
  'SLOT',
  'SERVER',
  'PHASE',
  'EPOCH',
  'SINCE',
  'HEALTH',
  'SPACE',
  'INODES',
  'READ MB/s',
  'WRITE MB/s',
];

function slotCells(slot: SlotReport, now: string): string[] {
  const { epoch, servedEpoch, space, health } = slot;
  return [
    slot.slot,
    serverText(slot),
    slot.served || slot.phase !== 'served' ? slot.phase : 'not served',
    epoch === servedEpoch ? String(epoch) : `${epoch} (served ${servedEpoch})`,
    slot.since ? clock(slot.since, now) : UNKNOWN,
    // What a server said is a line of its own.
    health === null ? UNKNOWN : health.replace(/:.*/s, ''),
    ...spaceCells(space),
    rate(slot.readMBps),
    rate(slot.writeMBps),
  ];
}

function reasonOf({ reason, health }: SlotReport): string {
  const said = /: (.*)$/s.exec(health ?? '')?.[1];
  return [reason, said].filter(Boolean).join('; ');
}

const HOST_HEADERS = ['HOST', 'SERVER', 'ADDRESS', 'HEALTH', 'MOUNTS', 'SCRATCH', 'SPACE', 'INODES', 'ASKED'];

function hostCells(host: HostReport, now: string): string[] {
  return [
    host.name,
    serverText(host),
    host.address ?? UNKNOWN,
    host.health ?? UNKNOWN,
    host.mounts ?? UNKNOWN,
    percent(host.scratchUsedPercent),
    ...spaceCells(host.space),
    host.askedAt ? clock(host.askedAt, now) : UNKNOWN,
  ];
}

/** That one runs needs no word. */
function serverText({
  server,
  state,
}: {
  readonly server: string | null;
  readonly state: string | null;
}): string {
  if (server === null) return UNKNOWN;
  return state === 'running' ? server : `${server} ${state}`;
}

function spaceCells(space: Space | null): string[] {
  if (space === null) return [UNKNOWN, UNKNOWN];
  return [`${space.usedPercent} % of ${bytes(space.totalBytes)}`, percent(space.inodesUsedPercent)];
}

const percent = (value: number | null): string => (value === null ? UNKNOWN : `${value} %`);

const rate = (value: number | null): string =>
  value === null ? UNKNOWN : value < 10 ? value.toFixed(1) : String(Math.round(value));

function bytes(value: number): string {
  const units = ['GiB', 'TiB', 'PiB'];
  let size = value / 2 ** 30;
  while (size >= 1024 && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[0]}`;
}

/** A time of today without its day. */
function clock(time: string, now: string): string {
  const [day = '', rest = ''] = new Date(time).toISOString().split('T');
  return now.startsWith(day) && time !== now ? rest.slice(0, 5) : `${day} ${rest.slice(0, 5)}`;
}

/** What a screen that is looked at again may say in other words, without that anything has changed. */
export function withoutFigures(report: StatusReport): string {
  const { slots, hosts, shared: _shared, at: _at, ...rest } = report;
  return JSON.stringify({
    ...rest,
    underWay: rest.underWay.map(({ text }) => text),
    unread: rest.unread,
    count: count(slots.length, 'slot'),
    slots: slots.map(
      ({ readMBps: _read, writeMBps: _write, probedAt: _probed, space: _space, ...slot }) => slot,
    ),
    hosts: hosts.map(({ askedAt: _asked, scratchUsedPercent: _used, space: _space, ...host }) => host),
  });
}
