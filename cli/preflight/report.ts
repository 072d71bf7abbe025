import type { MonthlyCost } from '../../lib/bill';
import { count, type Terminal } from '../terminal';
import type { Status, Told } from './findings';

/** What a run found. */
export interface Report {
  readonly deployment: string;
  /** Undefined when nobody could be asked. */
  readonly account?: string;
  readonly region?: string;
  readonly findings: readonly Told[];
  readonly price?: MonthlyCost;
}

/** Nothing fails, something fails, or something could not be checked. */
export type Verdict = 'passed' | 'failed' | 'incomplete';

export function verdictOf({ findings }: Report): Verdict {
  if (findings.some(({ status }) => status === 'failed')) return 'failed';
  return findings.some(({ status }) => status === 'unchecked') ? 'incomplete' : 'passed';
}

export const EXIT_CODES: { readonly [verdict in Verdict]: number } = { passed: 0, failed: 1, incomplete: 3 };

/** For programs. */
export function reportJson(report: Report): string {
  const { deployment, account, region, findings, price } = report;
  const monthlyUsd = price && {
    usd: price.cost.usd ?? null,
    knownUsd: price.cost.knownUsd,
    text: price.text,
  };
  const told = { deployment, account, region, verdict: verdictOf(report), findings, monthlyUsd };
  return `${JSON.stringify(told, undefined, 2)}\n`;
}

const WORDS: { readonly [status in Status]: string } = {
  passed: 'ok',
  warning: 'warning',
  unchecked: 'not checked',
  failed: 'FAILS',
};
const COLOURS = { passed: 'green', warning: 'yellow', unchecked: 'yellow', failed: 'red' } as const;
const WORD_WIDTH = 11;
const CHECK_WIDTH = 17;

/** For people: a line for each finding, and below it what mends it. */
export function printReport(terminal: Terminal, report: Report): void {
  const { deployment, account, region, findings, price } = report;
  terminal.line(`Preflight of ${deployment}${account ? ` to account ${account}, ${region}` : ''}`);
  terminal.line();
  for (const { check, status, text, fix, link, action } of findings) {
    const word = terminal.style(WORDS[status].padEnd(WORD_WIDTH), COLOURS[status]);
    terminal.line(`  ${word}  ${check.padEnd(CHECK_WIDTH)}  ${text}`);
    const indent = ' '.repeat(WORD_WIDTH + 4);
    if (fix) terminal.line(`${indent}mend it: ${fix}`);
    if (link) terminal.line(`${indent}or at:   ${link}`);
    if (action) terminal.line(`${indent}allow ${action}`);
  }
  terminal.line();
  if (price) terminal.line(`Price: ${price.text}`);
  terminal.line(summary(report));
}

function summary(report: Report): string {
  const number = (status: Status) => report.findings.filter((one) => one.status === status).length;
  const counted = `${count(number('failed'), 'failure')}, ${number('unchecked')} not checked`;
  const text: { readonly [verdict in Verdict]: string } = {
    passed: `Nothing speaks against deploying ${report.deployment}.`,
    failed: `${report.deployment} cannot be deployed: ${counted}.`,
    incomplete: `Nothing is known to speak against deploying ${report.deployment}, but ${counted}.`,
  };
  return text[verdictOf(report)];
}
