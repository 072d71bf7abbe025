import { seconds } from '../../cli/terminal';
import { type Html, html, Html as Raw } from '../../lambda/shared/report/html';
import type { Check } from './model';
import type { Step } from './recovery';
import type { BenchmarkReport, FailureReport, Report } from './report';
import { benchmarkSummary } from './report-benchmark';
import { timeline } from './report-charts';
import { clientsSaw } from './report-clients';
import { describeVolumes, isReplaced } from './report-json';
import { managedArchitecture, managedFailure, managedSentence } from './report-managed';
import { STYLE } from './report-style';

const MACHINES =
  'Hosts were virtual machines, with small disks and an emulated processor where there is no KVM.';

/** The report as one page that needs nothing else: no scripts, no fonts, no network. */
export function reportHtml(report: Report): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${report.deployment}: ${subject(report).toLowerCase()} ${report.passed ? 'passed' : 'failed'}</title>
<style>${new Raw(STYLE)}</style>
</head>
<body><main>
${summary(report)}
${report.servers.length > 0 && architecture(report)}
${report.managedFileSystem !== undefined && managedArchitecture(report)}
${report.benchmark !== undefined && benchmarkCard(report.benchmark)}
${report.failures.map(failureCard)}
${report.deploymentChecks.length > 0 && checksCard('The fresh deployment', report.deploymentChecks)}
${report.teardownChecks.length > 0 && checksCard('After the deployment was deleted', report.teardownChecks)}
${report.phases.length > 0 && phases(report)}
</main></body>
</html>
`;
  return page.text;
}

function badge(ok: boolean, good = 'passed', bad = 'failed'): Html {
  return html`<span class="badge${ok ? '' : ' failed'}">${ok ? good : bad}</span>`;
}

function summary(report: Report): Html {
  const recovered = report.failures.filter(({ verified }) => verified).length;
  const slowest = Math.max(0, ...report.failures.filter(isRecovery).map((one) => one.recoverySeconds));
  const checks = allChecks(report);
  const held = checks.filter((check) => check.passed).length;
  const tile = (value: string | number, label: string) =>
    html`<div class="tile"><b>${value}</b><span>${label}</span></div>`;
  return html`<section class="card verdict${report.passed ? '' : ' failed'}">
<div class="title"><h1>${subject(report)} of ${report.deployment}</h1>${badge(report.passed)}</div>
<p>${report.managedFileSystem ? managedSentence(report) : sentence(report)}</p>
${report.error !== undefined && html`<h3>Why it ended early</h3><pre>${report.error}</pre>`}
<div class="tiles">
${
  report.managedFileSystem
    ? tile(report.machines.length, 'hosts')
    : [
        tile(report.servers.length, report.sharedVolumes ? 'cluster nodes' : 'storage servers'),
        tile(volumeCount(report), 'volumes'),
      ]
}
${tile(`${recovered} of ${report.failures.length}`, replacedWhat(report))}
${tile(seconds(slowest), 'slowest recovery')}
${tile(`${held} of ${checks.length}`, 'checks held')}
${tile(seconds(report.totalSeconds), 'whole run')}
</div>
<p class="muted">Measured against the embedded AWS on one machine,
${report.finishedAt.replace('T', ' ').slice(0, 16)} UTC. It emulates the order and the errors of EC2, not
its speed: on AWS a server takes minutes to start. ${report.failures.some(({ clients }) => clients) && MACHINES}</p>
</section>`;
}

const subject = (report: Report) => (report.managedFileSystem ? 'Node recovery' : 'Storage fail-over');

function allChecks(report: Report): Check[] {
  return [
    ...report.deploymentChecks,
    ...(report.benchmark?.checks ?? []),
    ...report.failures.flatMap(({ checks }) => checks),
    ...report.teardownChecks,
  ];
}

/** Volumes that servers share are counted once. */
const volumeCount = (report: Report) =>
  new Set(report.servers.flatMap(({ volumes }) => volumes.map(({ id }) => id))).size;

/** The result in words for who reads only one sentence. */
function sentence(report: Report): string {
  const count = report.failures.length;
  if (count === 0)
    return 'The run ended before a server could be terminated; nothing was shown about recovery.';
  const words = ['No', 'One', 'Two', 'Three'];
  const kind = report.sharedVolumes ? 'cluster node' : 'storage server';
  const terminated = `${words[count] ?? count} ${kind}${count === 1 ? ' was' : 's were'}`;
  const each = count === 1 ? 'It' : 'Each';
  const failed = report.passed ? '' : ' Something else did not hold, as shown below.';
  if (!report.failures.every(isRecovery)) return harmsSentence(report.failures) + failed;
  if (report.sharedVolumes && report.failures.every(({ verified }) => verified)) {
    return (
      `${terminated} terminated without warning. A survivor fenced it before anybody got another lock, and the ` +
      'others went on. Without anybody stepping in, a new instance attached the shared volumes to itself, took ' +
      `the address, and joined; the data is the same, and nobody formatted it again.${failed}`
    );
  }
  if (report.failures.every(({ verified }) => verified)) {
    return (
      `${terminated} terminated without warning${count === 1 ? '' : ', one after another'}. ${each} was replaced ` +
      'without anybody stepping in: a new server took over its volumes and its network address, and the data on ' +
      'them is the same. At no time did two servers hold the same volume.' +
      failed
    );
  }
  return (
    `${terminated} terminated without warning. Not every recovery held what it must; the ` +
    'checks below say what did not.'
  );
}

function harmsSentence(failures: readonly FailureReport[]): string {
  const replacedCount = failures.filter(isReplaced).length;
  const right = failures.filter(({ verified }) => verified).length;
  return (
    `Servers were harmed in ${failures.length} ways while clients wrote; after ${right} of them all held. ` +
    `In ${replacedCount} another server took over, in the others the same one had to go on.`
  );
}

function architecture(report: Report): Html {
  const names: Record<string, string> = {
    mgs: 'Management (MGS)',
    mds: 'Metadata (MDS)',
    oss: 'Object storage (OSS)',
    nfs: 'NFS server',
    io2: 'Server with io2 volumes',
  };
  const what = (tier: string) => (report.sharedVolumes ? 'Cluster node' : (names[tier] ?? tier));
  const servers = report.servers.map(
    (server) => html`<tr>
<td><b>${server.slot}</b><br><span class="muted">${what(server.tier)}</span></td>
<td><code>${server.instance}</code><br><span class="muted">${server.instanceType}</span></td>
<td class="address"><code>${server.address}</code></td>
<td>${describeVolumes(server.volumes)}
<details><summary>ids</summary><code>${server.volumes.map(({ id }) => id).join(' ')}</code></details></td></tr>`,
  );
  const machines = report.machines.map(
    (machine) => html`<tr><td><b>${machine.name}</b></td>
<td><code>${machine.instance}</code><br><span class="muted">${machine.instanceType}</span></td>
<td class="address"><code>${machine.address}</code></td><td class="muted">none of its own</td></tr>`,
  );
  return html`<section class="card"><h2>What was deployed</h2>
<p class="muted">${reachedAt(report)}
${
  report.sharedVolumes
    ? 'A node keeps its name and its address when its instance is replaced; all nodes share the same volumes.'
    : 'A slot is what stays when a server is replaced: a name, an address and volumes.'
}</p>
<div class="scroll"><table><thead><tr><th>Slot or machine</th><th>Server before the failures</th><th>Address</th>
<th>Volumes</th></tr></thead><tbody>${servers}${machines}</tbody></table></div></section>`;
}

function failureCard(failure: FailureReport): Html {
  const managed = failure.volumes.length === 0;
  return html`<section class="card">
<div class="title"><h2>${happened(failure)}</h2>${badge(failure.verified, 'recovered', 'not verified')}
<span class="muted">${seconds(failure.recoverySeconds)} ${until(failure)}</span></div>
${managed ? managedFailure(failure) : replaced(failure)}
${failure.steps.length > 0 && timeline(failure.steps, failure.recoverySeconds)}
<details><summary>Steps as a table</summary><div class="scroll"><table>
<thead><tr><th>Step</th><th class="number">from</th><th class="number">to</th><th class="number">took</th></tr></thead>
<tbody>${failure.steps.map(
    (step) => html`<tr><td>${step.name}</td><td class="number">${step.start.toFixed(2)} s</td>
<td class="number">${step.end.toFixed(2)} s</td><td class="number">${step.seconds.toFixed(2)} s</td></tr>`,
  )}</tbody></table></div></details>
${failure.recorded !== undefined && recorded(failure.recorded)}
${failure.clients !== undefined && clientsSaw(failure.clients)}
${failure.apiCalls.total > 0 && apiCalls(failure)}
<h3>Checks</h3>${checkList(failure.checks)}
</section>`;
}

function happened({ slot, volumes, harm }: FailureReport): string {
  if (volumes.length === 0) return `${slot} lost its hardware`;
  return harm === undefined ? `${slot} terminated` : `${slot}: its server ${harm}`;
}

function until(failure: FailureReport): string {
  if (failure.volumes.length === 0) return 'until it was a node again';
  return isReplaced(failure) ? 'until the replacement was in service' : 'it lasted';
}

/** What `make recovery-time` shows of a real deployment. */
function recorded(phases: Step[]): Html {
  return html`<h3>As the volume map recorded it</h3>
<p class="muted">From the failure as EC2 tells it, to the second. Launch and detach run beside the other phases.</p>
${timeline(phases, Math.max(...phases.map(({ end }) => end)))}`;
}

function apiCalls(failure: FailureReport): Html {
  const calls = Object.entries(failure.apiCalls.byAction);
  return html`<details><summary>${failure.apiCalls.total} API calls of the recovery</summary><div class="scroll"><table>
<thead><tr><th>Action</th><th class="number">calls</th></tr></thead>
<tbody>${calls.map(
    ([action, count]) => html`<tr><td><code>${action}</code></td><td class="number">${count}</td></tr>`,
  )}</tbody>
</table></div></details>`;
}

/** Whether there is a time that it took to recover: of what a server endured there is none. */
const isRecovery = (failure: FailureReport) => failure.harm === undefined || isReplaced(failure);

function replacedWhat({ managedFileSystem, sharedVolumes, failures }: Report): string {
  if (managedFileSystem) return 'nodes came back';
  if (!failures.every(isRecovery)) return 'harms withstood';
  return sharedVolumes ? 'nodes replaced' : 'servers replaced';
}

function replaced(failure: FailureReport): Html {
  const { oldInstance, harm = 'was terminated', address } = failure;
  if (!isReplaced(failure))
    return html`<p><code>${oldInstance}</code> ${harm}. It goes on serving at <code>${address}</code>;
nobody took over.</p>`;
  return html`<p><code>${oldInstance}</code> ${harm}; ${taken(failure)} at <code>${address}</code>.</p>`;
}

function taken({ fencedBy, newInstance, volumes }: FailureReport): Html {
  const which = volumes.length === 1 ? 'volume' : `${volumes.length} volumes`;
  if (fencedBy === undefined) return html`<code>${newInstance}</code> now serves its ${which}`;
  return html`<code>${fencedBy}</code> fenced it, and <code>${newInstance}</code> now is the node, with
the ${which} that all share,`;
}

function benchmarkCard(report: BenchmarkReport): Html {
  const ok = report.checks.every((check) => check.passed);
  return html`<section class="card"><div class="title"><h2>Benchmark</h2>${badge(ok)}</div>
${benchmarkSummary(report)}${checkList(report.checks)}</section>`;
}

function checksCard(title: string, checks: Check[]): Html {
  const ok = checks.every((check) => check.passed);
  return html`<section class="card"><div class="title"><h2>${title}</h2>${badge(ok)}</div>
${checkList(checks)}</section>`;
}

function checkList(checks: Check[]): Html {
  return html`<ul class="checks">${checks.map(
    (check) => html`<li>${badge(check.passed)}<div>${check.title}<small>${check.detail}</small></div></li>`,
  )}</ul>`;
}

function phases(report: Report): Html {
  return html`<section class="card"><h2>Where the time went</h2><div class="scroll"><table>
<thead><tr><th>Phase</th><th class="number">took</th></tr></thead><tbody>${report.phases.map(
    (phase) => html`<tr><td>${phase.name}</td><td class="number">${seconds(phase.seconds)}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function reachedAt({ fileSystem, mgsNid }: Report) {
  if (!mgsNid) return html`Hosts mount <code>${fileSystem}</code>.`;
  return html`File system <code>${fileSystem}</code>, reached at <code>${mgsNid}:/${fileSystem}</code>.`;
}
