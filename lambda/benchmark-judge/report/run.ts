import type { BenchmarkResult } from '../../shared/benchmark/result';
import { bytesText, dollarText, durationText, plainText, statusWords } from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { counted, table } from './parts';
import { secondsOf } from './summary';

/** The machines that measured, as they said themselves. */
export function hostsCard({ hosts }: BenchmarkResult): Html {
  const text = (value: string | number | undefined) => (value === undefined ? 'not said' : String(value));
  return html`<section class="card"><h2>Hosts</h2>
${table(
  `${counted(hosts.length, 'host')} that measured`,
  [
    { head: 'Host' },
    { head: 'Type' },
    { head: 'Address' },
    { head: 'Physical cores', number: true },
    { head: 'Logical', number: true },
    { head: 'Memory', number: true },
    { head: 'Architecture' },
    { head: 'System' },
    { head: 'Kernel' },
  ],
  hosts.map((host) => [
    host.name === host.instanceId
      ? html`<code>${host.instanceId}</code>`
      : html`${host.name}<br><code class="muted">${host.instanceId}</code>`,
    host.instanceType,
    html`<code>${host.privateIp}</code>`,
    text(host.physicalCores),
    text(host.logicalCpus),
    host.memoryMiB === undefined ? 'not said' : `${plainText(Math.round(host.memoryMiB / 1024))} GiB`,
    text(host.architecture),
    text(host.system),
    text(host.kernel),
  ]),
)}
</section>`;
}

/** What was expected of the run beside what it took, and what it left behind. */
export function runCard(result: BenchmarkResult): Html {
  const { estimate, cleanUp = [] } = result;
  const left = cleanUp.filter(({ status }) => status !== 'done');
  const name = (id: string) => result.hosts.find(({ instanceId }) => instanceId === id)?.name ?? id;
  return html`<section class="card"><h2>Estimate and actual run</h2>
${table(
  'What was told before the run, and what became of it',
  [{ head: '' }, { head: 'Estimate', number: true }, { head: 'Actual', number: true }],
  [
    ['Duration', durationText(estimate.seconds), durationText(secondsOf(result))],
    ['Written to the storage', bytesText(estimate.bytesWritten), 'not counted'],
    ['Cost of the run itself', dollarText(estimate.costUSD), 'on the bill only'],
  ],
)}
<p class="muted">The hosts and the storage run anyway, and are no part of the cost. Costs in USD, without free
tiers.</p>
${
  estimate.items.length > 0 &&
  table(
    'The estimated cost',
    [
      { head: 'What', wide: true },
      { head: 'USD', number: true },
    ],
    estimate.items.map(({ what, costUSD }) => [what, dollarText(costUSD)]),
  )
}
${
  left.length > 0 &&
  table(
    'Hosts on which test files were left',
    [{ head: 'Host' }, { head: 'Clean-up' }, { head: 'Why', wide: true }],
    left.map(({ instanceId, status, reason }) => [name(instanceId), statusWords(status), reason ?? '']),
  )
}
</section>`;
}
