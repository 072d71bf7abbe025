import type { ExplainedFigure } from './explained-figure';
import { whatWouldHelp } from './help';
import { listed, mbps, percent, rounded } from './text';

const PARTS: { readonly [test: string]: string } = {
  network: 'What hosts can send each other bounds what they can get from servers.',
  'raw-device': 'What the disks give without a file system bounds what a file system on them can give.',
  'lustre-server': 'What the servers do by themselves, without the network and the hosts.',
};

/** A few sentences for an administrator: what held the figure down, and what would help. */
export function explainFigure(about: ExplainedFigure): string {
  const part = PARTS[about.figure.plan.test];
  if (part) return part;
  return [whatHeldItDown(about), slowHosts(about)].filter((sentence) => sentence !== '').join(' ');
}

function whatHeldItDown(about: ExplainedFigure): string {
  const { figure, bounds, wanted } = about;
  const { bound } = bounds;
  if (!bound) return nothingKnown(about);
  if (bound.kind === 'cache') {
    return (
      `It came from ${bound.what}. Test with files of at least twice the memory, and with caches dropped between ` +
      'writing and reading.'
    );
  }
  if (bound.kind === 'unknown') return slowerThanAll(about);
  const needed = (wanted ?? 0) * figure.physicalCores;
  const share = figure.MBps / bound.MBps;
  const used = `${bound.what}: ${rounded(figure.MBps)} of ${mbps(bound.MBps)} (${percent(share)})`;
  if (figure.MBps < needed) return `Held down by ${used}. ${whatWouldHelp(about, bound, needed)}`.trim();
  const enough = wanted === undefined ? '' : `; enough for the wanted ${mbps(wanted)} per core`;
  return `Its first limit is ${used}${enough}.`;
}

function nothingKnown({ figure, tests }: ExplainedFigure): string {
  const devices = figure.plan.path?.storage?.devices ?? [];
  if (devices.length > 0 && devices.every(({ type }) => type === 'instance-store')) {
    const hint = tests.includes('raw-device') ? '' : ' The test raw-device measures it.';
    return `Nobody publishes what the disks of instance store do, so that there is no limit to compare it with.${hint}`;
  }
  return 'Nothing is known of what is behind this path, so that no limit can be named.';
}

function slowerThanAll({ figure, bounds, tests }: ExplainedFigure): string {
  const tightest = bounds.limits.find(({ MBps }) => MBps >= figure.MBps)!;
  const storage = figure.plan.path?.storage;
  const remote = storage !== undefined && storage.servers > 0;
  const useful = remote
    ? ['network', 'raw-device', ...(storage.kind === 'lustre' ? ['lustre-server'] : [])]
    : ['raw-device'];
  const untried = useful.filter((test) => !tests.includes(test));
  const next =
    untried.length > 0
      ? `The ${untried.length === 1 ? 'test' : 'tests'} ${listed(untried)} would tell which part is slow.`
      : 'Each part that was tested on its own did more: look for one slow server, disk or host, and at the ' +
        'mount options.';
  return (
    `It is slower than every limit that is known; the tightest is ${tightest.what}, of which it used ` +
    `${percent(figure.MBps / tightest.MBps)}. ${next}`
  );
}

/** So far below the middle of the others, a host has a trouble of its own. */
const SLOW = 0.7;

function slowHosts({ figure, hostName }: ExplainedFigure): string {
  const rates = Object.values(figure.perHost).sort((a, b) => a - b);
  if (rates.length < 3) return '';
  const middle = rates[Math.floor(rates.length / 2)]!;
  const slow = Object.entries(figure.perHost).filter(([, rate]) => rate < SLOW * middle);
  if (slow.length === 0) return '';
  const named = slow.map(([host, rate]) => `${hostName(host)} (${mbps(rate)})`);
  return `Slower than the others, which did ${mbps(middle)}: ${listed(named)}.`;
}
