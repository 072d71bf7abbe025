import type { Setup } from '../../shared/benchmark/observations';
import type { PlannedTest } from '../../shared/benchmark/plan';
import { ofKind } from '../parsers/records';
import type { HostOutput, ObservedRun } from './observed';

/**
 * How hosts set a test up.
 *
 * @param phase only what goes for this one: with both kinds of data there is a set-up for each, and a note where caches
 * could not be dropped
 */
export function setupsOf(hosts: readonly HostOutput[], phase?: string): Setup[] {
  return hosts.flatMap(({ records }) => {
    const all = ofKind(records, 'setup');
    const data = phase?.endsWith('-random-data') ? 'random' : 'zero';
    const several = phase !== undefined && new Set(all.map((one) => one.data)).size > 1;
    const kept = ofKind(records, 'note').some(
      ({ text }) => text === `caches were not dropped before the phase ${phase}`,
    );
    return all
      .filter((one) => !several || one.data === data)
      .map((one) => (kept ? { ...one, cachesDropped: false } : one));
  });
}

/** How a test was set up on all of its hosts. */
export function setupsIn({ tests }: ObservedRun, testId: string): Setup[] {
  return tests.filter(({ plan }) => plan.id === testId).flatMap(({ hosts }) => setupsOf([...hosts.values()]));
}

// Storage that may compress what it is given: zeros cost it nothing.
const COMPRESSING_STORAGE = ['fsx-lustre', 'fsx-openzfs', 'fsx-ontap'];
const COMPRESSING_TYPES = ['zfs', 'btrfs'];

/** Why a figure with such a set-up cannot simply pass for the storage's. */
export function setupCaveats(phase: string, setups: readonly Setup[], { path }: PlannedTest): string[] {
  const caveats: string[] = [];
  const someSetup = (which: (setup: Setup) => boolean) => setups.some(which);
  if (someSetup(({ reduced }) => reduced)) {
    caveats.push(
      'The files were smaller than memory demands: caches of hosts and servers may have answered for the disks.',
    );
  }
  if (phase.includes('read') && someSetup(({ cachesDropped }) => !cachesDropped)) {
    caveats.push('Caches could not be dropped before reading.');
  }
  const compresses =
    COMPRESSING_STORAGE.includes(path?.storage?.kind ?? '') ||
    someSetup(({ fileSystemType }) => COMPRESSING_TYPES.includes(fileSystemType ?? ''));
  if (compresses && someSetup(({ data }) => data === 'zero')) {
    caveats.push(
      'The data were zeros, which cost storage with compression nothing: random data show what it does.',
    );
  }
  return caveats;
}
