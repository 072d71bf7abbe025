import type { Size } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  invalid,
  isConcrete,
  knownBytes,
  requireInstanceType,
  requireKnownInteger,
} from '../private/validation';
import { type InstanceStore, instanceTypeFacts, typesWithInstanceStore } from '../sizing';
import type { EphemeralScratchProps, InstanceStoreDisks, ScratchSplit } from './props';

// Kernel md: a chunk of at least one page. Above 64 MiB no request would ever reach a second disk.
const CHUNK_KIB = { min: 4, max: 64 * 1024 };
// 1 GiB: beyond, a single reader fills the page cache of a small host.
const READ_AHEAD_KIB = { min: 0, max: 1024 * 1024 };
// d2.8xlarge has 24, the most of any type.
const MOST_DISKS = 24;
// 100 TB: more than ten times the largest of today.
const MOST_BYTES = 1e14;

/** The disks that scratch is made of. */
export function requireInstanceStore(scope: IConstruct, props: EphemeralScratchProps): InstanceStore {
  requireInstanceType(scope, 'instanceType', props.instanceType);
  if (props.instanceStore) return declaredDisks(scope, props.instanceStore);
  const name = props.instanceType.toString();
  const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
  if (facts?.instanceStore) return facts.instanceStore;
  const some = typesWithInstanceStore(isConcrete(name) ? name : undefined).join(', ');
  throw invalid(
    scope,
    'Instance type of hosts with scratch disks',
    name,
    `a type with instance store, such as ${some}`,
    facts
      ? 'This type has none: choose one of these, or do without scratch disks.'
      : 'This type is not in the table of this library: when it has instance store, name its disks with instanceStore.',
  );
}

function declaredDisks(scope: IConstruct, { count, size, nvme }: InstanceStoreDisks): InstanceStore {
  requireKnownInteger(
    scope,
    'instanceStore.count',
    count,
    1,
    MOST_DISKS,
    'Name the number of disks of one host.',
  );
  // Marketing sizes are in 10^9 bytes, and Size counts in 2^30.
  const bytes = knownBytes(scope, 'instanceStore.size', size);
  if (!(bytes >= 1e9 && bytes <= MOST_BYTES)) {
    const allowed = `from 1 to ${MOST_BYTES / 1e9} GB`;
    throw invalid(scope, 'instanceStore.size', `${bytes / 1e9} GB`, allowed, 'Name the size of one disk.');
  }
  return { disks: count, diskSizeGB: Math.round(bytes / 1e9), kind: (nvme ?? true) ? 'nvme-ssd' : 'ssd' };
}

/** Checks the parts that the disks are divided in. */
export function checkSplit(scope: IConstruct, split: ScratchSplit): ScratchSplit {
  const fix = 'For example { saswork: 5, utilloc: 3 }; the parts are a ratio, not a number of disks.';
  requireKnownInteger(scope, 'split.saswork', split.saswork, 1, 100, fix);
  requireKnownInteger(scope, 'split.utilloc', split.utilloc, 0, 100, fix);
  return split;
}

function kibibytes(scope: IConstruct, what: string, size: Size, fix: string): number {
  const kib = knownBytes(scope, what, size) / 1024;
  if (!Number.isInteger(kib)) throw invalid(scope, what, `${kib} KiB`, 'a whole number of KiB', fix);
  return kib;
}

/** The chunk in KiB. */
export function chunkKiB(scope: IConstruct, chunk: Size): number {
  const fix = 'The papers use 256 KiB.';
  const kib = kibibytes(scope, 'chunk', chunk, fix);
  if (kib < CHUNK_KIB.min || kib > CHUNK_KIB.max || !Number.isInteger(Math.log2(kib))) {
    const allowed = `a power of two from ${CHUNK_KIB.min} to ${CHUNK_KIB.max} KiB`;
    throw invalid(scope, 'chunk', `${kib} KiB`, allowed, fix);
  }
  return kib;
}

/** The read-ahead in KiB. */
export function readAheadKiB(scope: IConstruct, readAhead: Size): number {
  const fix = 'The papers use 8 MiB.';
  const kib = kibibytes(scope, 'readAhead', readAhead, fix);
  if (kib < READ_AHEAD_KIB.min || kib > READ_AHEAD_KIB.max) {
    throw invalid(
      scope,
      'readAhead',
      `${kib} KiB`,
      `from ${READ_AHEAD_KIB.min} to ${READ_AHEAD_KIB.max} KiB`,
      fix,
    );
  }
  return kib;
}

/** Checks the two mount points. */
export function checkPaths(scope: IConstruct, saswork: string, utilloc: string): void {
  for (const [what, path] of [
    ['sasworkPath', saswork],
    ['utillocPath', utilloc],
  ] as const) {
    if (!isConcrete(path) || /^(\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/.test(path)) continue;
    const allowed = 'an absolute path of letters, digits, dots, dashes and underscores';
    throw invalid(scope, what, path, allowed, 'For example /saswork.');
  }
  if (`${utilloc}/`.startsWith(`${saswork}/`) || `${saswork}/`.startsWith(`${utilloc}/`)) {
    throw invalid(
      scope,
      'utillocPath',
      utilloc,
      `a path outside sasworkPath ${saswork}, and not one that it is inside of`,
      'For example /saswork and /utilloc.',
    );
  }
}
