import type { BenchmarkResult, MeasuredHost, TestResult } from '../../shared/benchmark/result';
import {
  numberText,
  phaseWords,
  plainText,
  statusWords,
  testWords,
  timeText,
  useWords,
} from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { type HostRates, hostsChart, median } from './charts';
import { figureSection } from './figure';
import { chart, counted, facts, list, table } from './parts';
import type { Shown } from './shown';

/** A card for each test: how it was set up, how it went on the hosts, and its figures one by one. */
export function testCards(result: BenchmarkResult, figures: readonly Shown[]): Html[] {
  const known = new Set(result.tests.map(({ id }) => id));
  const stray = figures.filter(({ testId }) => !known.has(testId));
  const cards = result.tests.map((test) =>
    testCard(
      test,
      figures.filter(({ testId }) => testId === test.id),
      result.hosts,
    ),
  );
  if (stray.length === 0) return cards;
  const others = stray.map((figure) => figureSection(figure));
  return [...cards, html`<section class="card"><h2>Other figures</h2>${others}</section>`];
}

function testCard(test: TestResult, figures: readonly Shown[], hosts: readonly MeasuredHost[]): Html {
  const where = test.path === undefined ? '' : ` on ${test.path.directory}`;
  return html`<section class="card"><h2>${testWords(test.test)}${where}</h2>
${facts([
  ...(test.path === undefined ? [] : [['Used as', useOf(test.path)] as const]),
  ['Set-up', setupOf(test)],
  ...(test.startedAt === undefined ? [] : [['Time', timesOf(test)] as const]),
  ['Hosts', endsOf(test)],
])}
${outcomes(test, hosts)}
${figures.length === 0 && html`<p>No throughput was measured.</p>`}
${figureSections(figures)}
${hostsPart(figures, hosts)}
</section>`;
}

function setupOf({ setup }: TestResult): Html | string {
  if (setup.length > 1) return list(setup);
  return setup[0] ?? 'not known: no host said how it was set up';
}

function timesOf({ startedAt, endedAt }: TestResult): string {
  if (endedAt === undefined) return `from ${timeText(startedAt!)}`;
  return `${timeText(startedAt!)} to ${timeText(endedAt)}, by the hosts' clocks`;
}

function useOf({ use, storage }: NonNullable<TestResult['path']>): string {
  if (storage === undefined) return useWords(use);
  const devices = storage.devices.map(({ count, type, sizeGiB }) => {
    const size = sizeGiB === undefined ? '' : ` of ${plainText(sizeGiB)} GiB`;
    return `${count} x ${type}${size}`;
  });
  const of = storage.servers > 0 ? counted(storage.servers, 'server') : 'the hosts themselves';
  const type = storage.serverType === undefined ? '' : ` ${storage.serverType}`;
  const each = devices.length === 0 ? '' : `, ${devices.join(', ')} each`;
  const bought =
    storage.provisionedMBps === undefined ? '' : `, bought with ${numberText(storage.provisionedMBps)} MB/s`;
  return `${useWords(use)}; ${storage.kind} on ${of}${type}${each}${bought}`;
}

function endsOf({ outcomes }: TestResult): string {
  if (outcomes.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const { status } of outcomes) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${statusWords(status as 'done')}`).join(', ');
}

/** Only hosts with something to say: where all is well a number is enough. */
function outcomes({ outcomes }: TestResult, hosts: readonly MeasuredHost[]): Html | false {
  const said = outcomes.filter(({ status, reason }) => status !== 'done' || reason !== undefined);
  if (said.length === 0) return false;
  return table(
    'Hosts on which the test did not end well, or with a remark',
    [{ head: 'Host' }, { head: 'Ended' }, { head: 'Why', wide: true }],
    said.map(({ instanceId, status, reason }) => [
      hostName(instanceId, hosts),
      html`<span class="badge ${status === 'done' ? 'none' : 'failed'}">${statusWords(status)}</span>`,
      reason ?? '',
    ]),
  );
}

function hostName(instanceId: string, hosts: readonly MeasuredHost[]): Html {
  const name = hosts.find((host) => host.instanceId === instanceId)?.name;
  if (name === undefined || name === instanceId) return html`<code>${instanceId}</code>`;
  return html`${name}<br><code class="muted">${instanceId}</code>`;
}

/** Groups of hosts that did the same one after another: the slowest of so many have a section of their own. */
const SHOWN_GROUPS = 4;

function figureSections(figures: readonly Shown[]): Html[] {
  return [...new Set(figures.map(({ phase }) => phase))].flatMap((phase) => {
    const same = figures.filter((figure) => figure.phase === phase);
    const slowestFirst = [...same].sort((a, b) => a.MBpsPerCore - b.MBpsPerCore);
    const chosen = new Set(slowestFirst.slice(0, SHOWN_GROUPS));
    const sections = same.filter((figure) => chosen.has(figure)).map(figureSection);
    const left = same.length - chosen.size;
    if (left > 0)
      sections.push(
        html`<p>${left} more groups of hosts were faster; the table of all figures has them.</p>`,
      );
    return sections;
  });
}

/** The hosts beside each other. */
function hostsPart(figures: readonly Shown[], hosts: readonly MeasuredHost[]): Html | false {
  const phases = hostRates(figures);
  const ids = slowestFirst(phases);
  if (ids.length === 0) return false;
  const several = phases.filter(({ perHost }) => Object.keys(perHost).length > 1);
  return html`<div class="figure"><h3>Host by host</h3>
${
  several.length > 0 &&
  chart(hostsChart(several), 'MB/s of each host, a dot for each; the mark is the host in the middle.')
}
${table(
  'MB/s of each host, the slowest first',
  [{ head: 'Host' }, ...phases.map(({ name }) => ({ head: name, number: true }))],
  ids.map((id) => [
    hostName(id, hosts),
    ...phases.map(({ perHost }) => (perHost[id] === undefined ? '' : numberText(perHost[id]))),
  ]),
)}</div>`;
}

/** By kind of I/O: whether the hosts did it together or one by one. Of a host that did it twice the lower counts. */
function hostRates(figures: readonly Shown[]): HostRates[] {
  const phases = new Map<string, Record<string, number>>();
  for (const { phase, perHost } of figures) {
    const rates = phases.get(phase) ?? {};
    for (const [id, MBps] of Object.entries(perHost)) rates[id] = Math.min(rates[id] ?? MBps, MBps);
    if (Object.keys(rates).length > 0) phases.set(phase, rates);
  }
  return [...phases].map(([phase, perHost]) => ({ name: phaseWords(phase), perHost }));
}

/** By what a host has of what the host in the middle has, in the kind of I/O where it has least. */
function slowestFirst(phases: readonly HostRates[]): string[] {
  const least = new Map<string, number>();
  for (const { perHost } of phases) {
    const middle = median(Object.values(perHost)) || 1;
    for (const [id, MBps] of Object.entries(perHost)) {
      least.set(id, Math.min(least.get(id) ?? Number.POSITIVE_INFINITY, MBps / middle));
    }
  }
  return [...least].sort((a, b) => a[1] - b[1]).map(([id]) => id);
}
