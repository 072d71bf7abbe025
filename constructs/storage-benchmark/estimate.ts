import type { BenchmarkDefinition, DefinedTest } from '../private/benchmark-definition';
import { type EstimatedTest, estimatedHost, estimateRun, type RunEstimate } from '../sizing';
import type { StorageBenchmarkProps } from './props';
import type { KnownHost } from './types-in-tree';

/** What a run will take by what is known at synthesis; undefined when the hosts are not. */
export function estimateOf(
  { hosts, storageServers }: StorageBenchmarkProps,
  { tests, parallel }: BenchmarkDefinition,
): RunEstimate | undefined {
  const servers = storageServers?._known;
  const needed = tests.map(({ on }) => (on === 'servers' ? servers : hosts._known));
  if (needed.some((known) => known === undefined || known.length === 0)) return undefined;
  return estimateRun(tests.map((test, index) => estimatedTest(test, needed[index]!, parallel)));
}

function estimatedTest(test: DefinedTest, known: readonly KnownHost[], parallel: boolean): EstimatedTest {
  const machines = known.map(({ type, volumes }) => estimatedHost(type, volumes));
  // As many as there are; which ones is found out when a run begins.
  const addresses = machines.map((_, index) => `10.0.0.${index}`).join(',');
  if (test.test === 'network') {
    return { ...test, parameters: { ...test.parameters, Peers: addresses }, waves: [machines] };
  }
  if (test.test === 'iozone' && (test.parameters.RemoteShell ?? 'none') !== 'none') {
    return { ...test, parameters: { ...test.parameters, Clients: addresses }, waves: [[machines[0]!]] };
  }
  return { ...test, waves: parallel ? [machines] : machines.map((one) => [one]) };
}

/** The estimate in words. */
export function summaryOf(estimate: RunEstimate | undefined): string {
  if (!estimate)
    return 'not known at synthesis: the hosts are found when a run begins, which then says what it expects';
  const { seconds, bytesWritten, costUSD } = estimate;
  return (
    `about ${Math.ceil(seconds / 60)} minutes, ${Math.ceil(bytesWritten / 1e9)} GB written, ` +
    `${costUSD.toFixed(2)} USD for the run itself (us-east-1), if the storage gives what is wanted`
  );
}
