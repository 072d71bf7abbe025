import { Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  invalid,
  isConcrete,
  requireInteger,
  requireKnownInteger,
  requireKnownList,
  requireMinutes,
} from '../private/validation';
import type { StorageDescription } from '../shared-file-system';
import { checkDevices } from './device-checks';
import type { MeasuredPath } from './measured-path';
import type { StorageBenchmarkProps } from './props';
import type { StorageTest } from './storage-test';

/** What the documents take (document-parameters.ts): it goes into a command line between quotation marks. */
const DIRECTORY = /^(\/[A-Za-z0-9_][A-Za-z0-9._-]*)+$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

/** The most paths, and the most tests. */
const MOST = 20;

/**
 * The most tests of a run, where a test of paths counts for each path. Step Functions passes 256 KiB to a function, and
 * a template has 1 MB (SERVICE_LIMITS.workflowStateBytes, .templateBytes): with the longest directories a test takes 1
 * kB of the first and 3.5 kB of the second.
 */
const MOST_IN_A_RUN = 100;

const MOST_MIB = 64 * 1024 * 1024;

/** Rejects what is known at synthesis to be wrong. */
export function checkProps(scope: IConstruct, props: StorageBenchmarkProps, tests: StorageTest[]): void {
  const { benchmarkName, busyGuard, keepResults } = props;
  if (benchmarkName !== undefined && (Token.isUnresolved(benchmarkName) || !NAME.test(benchmarkName))) {
    const allowed =
      "a letter or digit, then at most 99 letters, digits, '.', '_', '-' and '/', known at synthesis";
    throw invalid(scope, 'benchmarkName', benchmarkName, allowed, 'Choose another name, or leave it out.');
  }
  checkPaths(scope, props.paths);
  checkTests(scope, props, tests);
  requireKnownInteger(
    scope,
    'busyGuard: throughputMBps',
    busyGuard?.throughputMBps,
    0,
    100_000,
    'Say from how many MB/s on a host counts as busy; 0 turns the guard off.',
  );
  requireKnownInteger(
    scope,
    'busyGuard: processorPercent',
    busyGuard?.processorPercent,
    1,
    100,
    'Say from how many percent on a host counts as busy.',
  );
  requireMinutes(scope, 'hostsTimeout', props.hostsTimeout, Duration.minutes(1), Duration.hours(1));
  if (keepResults) requireDays(scope, keepResults);
  if (props.gateDeployment && !props.runAfterDeployment) {
    const fix = 'Set runAfterDeployment to true, too: it is the run that the deployment waits for.';
    throw invalid(scope, 'gateDeployment', true, 'false without runAfterDeployment', fix);
  }
}

function checkPaths(scope: IConstruct, paths: MeasuredPath[]): void {
  const fix = 'Name the directories that SAS uses.';
  if (paths.length === 0 || paths.length > MOST) {
    throw invalid(scope, 'The number of paths', paths.length, `1 to ${MOST}`, fix);
  }
  for (const { directory, _props } of paths) {
    const fine = !Token.isUnresolved(directory) && DIRECTORY.test(directory) && directory.length <= 200;
    if (!fine) {
      const allowed =
        "an absolute path of letters, digits, '.', '_' and '-', whose parts begin with none of the last two, " +
        'known at synthesis';
      throw invalid(scope, 'paths: directory', directory, allowed, 'For example /saswork.');
    }
    const { user, keepFreePercent, storage } = _props;
    if (user !== undefined && (Token.isUnresolved(user) || !USER.test(user))) {
      const what = 'Name one that may write there.';
      throw invalid(scope, `${directory}: user`, user, 'the name of an account', what);
    }
    const keep = 'Say how much of the file system has to stay free.';
    requireKnownInteger(scope, `${directory}: keepFreePercent`, keepFreePercent, 1, 90, keep);
    for (const name of ['writeMBpsPerCore', 'readMBpsPerCore'] as const) {
      requireKnownInteger(
        scope,
        `${directory}: ${name}`,
        _props[name],
        1,
        100_000,
        'Say what is wanted, in MB/s.',
      );
    }
    if (storage) checkStorage(scope, directory, storage);
  }
  const twice = paths.find(
    ({ directory }, index) => paths.findIndex((one) => one.directory === directory) !== index,
  );
  if (twice) {
    throw invalid(scope, 'paths: directory', twice.directory, 'each directory once', 'Take one of them out.');
  }
}

function checkStorage(scope: IConstruct, directory: string, storage: StorageDescription): void {
  const where = `${directory}: storage.`;
  requireInteger(scope, `${where}servers`, storage.servers, 0, 1000, 'Count the servers with data.');
  const { provisionedMBps } = storage;
  const fix = 'Leave out what is not known.';
  if (isConcrete(provisionedMBps) && !(provisionedMBps! > 0 && provisionedMBps! <= 1e6)) {
    throw invalid(scope, `${where}provisionedMBps`, provisionedMBps, 'more than 0, at most 1000000', fix);
  }
  checkDevices(scope, `${where}devices: `, storage.devices);
}

function checkTests(scope: IConstruct, props: StorageBenchmarkProps, tests: StorageTest[]): void {
  if (tests.length === 0 || tests.length > MOST) {
    throw invalid(
      scope,
      'The number of tests',
      tests.length,
      `1 to ${MOST}`,
      'StorageTest.sasIo() for example.',
    );
  }
  const known = props.paths.map(({ directory }) => directory);
  let inARun = 0;
  for (const { name, _on, _props, _parameters } of tests) {
    requireKnownList(scope, `${name}: directories`, _props.directories);
    const other = _props.directories?.find((directory) => !known.includes(directory));
    if (other !== undefined || _props.directories?.length === 0) {
      const fix = 'Name directories of paths, or leave directories out.';
      throw invalid(scope, `${name}: directories`, other ?? [], known.join(', '), fix);
    }
    inARun += _on === 'paths' ? known.filter((one) => _props.directories?.includes(one) ?? true).length : 1;
    requireMinutes(scope, `${name}: timeout`, _props.timeout, Duration.minutes(1), Duration.hours(48));
    for (const [parameter, { value, min, max }] of Object.entries(_parameters)) {
      if (typeof value !== 'number') continue;
      requireKnownInteger(
        scope,
        `${name}: ${parameter}`,
        value,
        min ?? 1,
        max ?? MOST_MIB,
        'Choose another size.',
      );
    }
    if (_on === 'servers' && !props.storageServers) {
      const fix = 'For Lustre: storageServers: BenchmarkHosts.tier(lustre.oss).';
      throw invalid(scope, 'storageServers', undefined, `the servers that ${name} measures`, fix);
    }
  }
  if (inARun > MOST_IN_A_RUN) {
    const fix = 'Name the directories of each test, or make a second benchmark.';
    throw invalid(scope, 'The number of tests, each on its paths,', inARun, `1 to ${MOST_IN_A_RUN}`, fix);
  }
}

function requireDays(scope: IConstruct, keep: Duration): void {
  const days = keep.isUnresolved() ? Number.NaN : keep.toDays({ integral: false });
  if (Number.isInteger(days) && days >= 1 && days <= 36_500) return;
  const shown = Number.isNaN(days) ? 'a token' : keep.toHumanString();
  throw invalid(scope, 'keepResults', shown, 'whole days from 1 to 36500', 'Give Duration.days(...).');
}
