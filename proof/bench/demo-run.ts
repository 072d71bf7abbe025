import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../../cli/terminal';
import type { Report } from '../kit/report';
import type { Measurement } from './measurement';
import { secondsOf } from './timing';

/** Seconds of a whole demo; everything it needs is installed already, so this is the warm time. */
export function measureDemo(root: string, wanted: boolean): Measurement {
  const base = { name: 'Whole demo', unit: 's', goal: 120 } as const;
  if (wanted) {
    return {
      ...base,
      value: secondsOf('make', ['demo'], { cwd: root }),
      note: 'make demo, everything installed',
    };
  }
  const report = lastReport(root);
  // A short run or one that ended early says nothing about a whole one.
  if (!report?.passed || report.failures.length < 3) {
    return { ...base, note: 'no whole run in out/demo/report.json; use --demo' };
  }
  return { ...base, value: report.totalSeconds, note: `${report.deployment}, the last run` };
}

/** What the last demo's report says about each recovery: API calls and seconds. */
export function measureRecoveries(root: string): Measurement[] {
  const report = lastReport(root);
  if (!report) {
    return [
      {
        name: 'API calls per recovery',
        unit: 'calls',
        note: "no out/demo/report.json; run 'make demo' first",
      },
    ];
  }
  return report.failures.flatMap(({ slot, volumes, apiCalls, recoverySeconds }): Measurement[] => {
    const note = `${report.deployment}, ${count(volumes.length, 'volume')}`;
    return [
      { name: `API calls of the recovery of ${slot}`, value: apiCalls.total, unit: 'calls', note },
      { name: `Recovery of ${slot} on the embedded AWS`, value: recoverySeconds, unit: 's', note },
    ];
  });
}

function lastReport(root: string): Report | undefined {
  const file = join(root, 'out', 'demo', 'report.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
}
