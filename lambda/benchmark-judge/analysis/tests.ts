import type { Setup } from '../../shared/benchmark/observations';
import type { TestResult } from '../../shared/benchmark/result';
import { ofKind } from '../parsers/records';
import type { ObservedTest } from './observed';
import { counted, rounded } from './text';

/** How a test went: its outcomes, its set-up in words and its time by the hosts' clocks. */
export function testResult(test: ObservedTest): TestResult {
  const { plan, hosts } = test;
  const all = [...hosts.values()];
  const phases = all.flatMap(({ records }) => ofKind(records, 'phase'));
  return {
    id: plan.id,
    test: plan.test,
    path: plan.path,
    outcomes: all.map(
      ({ instanceId, outcome }) =>
        outcome ?? { instanceId, status: 'lost', reason: 'there is no word of how it ended' },
    ),
    setup: [...new Set(all.flatMap(({ records }) => ofKind(records, 'setup').map(setupText)))],
    startedAt: instant(Math.min(...phases.map((phase) => phase.startedAt))),
    endedAt: instant(Math.max(...phases.map((phase) => phase.endedAt))),
  };
}

/** Undefined for what no clock can have said. */
function instant(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function setupText({
  processes,
  fileMiB,
  blockKiB,
  data,
  reduced,
  cachesDropped,
  fileSystemType,
}: Setup): string {
  const size = fileMiB >= 1024 ? `${rounded(fileMiB / 1024)} GiB` : `${rounded(fileMiB)} MiB`;
  return [
    `${counted(processes, 'process', 'processes')} of ${size} each, ${rounded(blockKiB)} KiB blocks`,
    `data: ${data}`,
    ...(fileSystemType ? [`file system: ${fileSystemType}`] : []),
    ...(reduced ? ['smaller than memory demands'] : []),
    cachesDropped ? 'caches dropped between phases' : 'caches not dropped',
  ].join('; ');
}
