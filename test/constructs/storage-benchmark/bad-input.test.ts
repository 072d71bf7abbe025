import { Duration, Lazy } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import {
  BenchmarkHosts,
  MeasuredPath,
  type MeasuredPathProps,
  StorageBenchmark,
  type StorageBenchmarkProps,
  StorageTest,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

const HOSTS = BenchmarkHosts.tagged('role', 'node');
const path = (directory = '/saswork', props: MeasuredPathProps = {}) =>
  MeasuredPath.temporary(directory, props);

function make(props: Partial<StorageBenchmarkProps>) {
  const stack = testStack();
  new StorageBenchmark(stack, 'Benchmark', { hosts: HOSTS, paths: [path()], ...props });
  return stack;
}

test.each<[Partial<StorageBenchmarkProps>, RegExp]>([
  [{ paths: [] }, /The number of paths is 0; allowed: 1 to 20/],
  [{ paths: [path('saswork')] }, /paths: directory is 'saswork'; allowed: an absolute path/],
  [{ paths: [path('/')] }, /paths: directory is '\/'; allowed: an absolute path/],
  [{ paths: [path('/a/../b')] }, /paths: directory is '\/a\/..\/b'/],
  [{ paths: [path('/a b')] }, /paths: directory is '\/a b'/],
  [{ paths: [path("/a'; rm -rf /")] }, /paths: directory is/],
  [{ paths: [path(), path()] }, /paths: directory is '\/saswork'; allowed: each directory once/],
  [{ paths: [path('/a', { user: 'Sas' })] }, /\/a: user is 'Sas'; allowed: the name of an account/],
  [
    { paths: [path('/a', { keepFreePercent: 0 })] },
    /\/a: keepFreePercent is 0; allowed: a whole number from 1 to 90/,
  ],
  [{ paths: [path('/a', { writeMBpsPerCore: -1 })] }, /\/a: writeMBpsPerCore is -1/],
  [{ paths: [path('/a', { readMBpsPerCore: 0.5 })] }, /\/a: readMBpsPerCore is 0.5/],
  [{ tests: [] }, /The number of tests is 0; allowed: 1 to 20/],
  [
    { tests: [StorageTest.sasIo({ directories: ['/other'] })] },
    /sas-io: directories is '\/other'; allowed: \/saswork/,
  ],
  [{ tests: [StorageTest.sasIo({ directories: [] })] }, /sas-io: directories is \[\]/],
  [{ tests: [StorageTest.sasIo({ fileMiB: 1.5 })] }, /sas-io: FileMiB is 1.5/],
  [
    { tests: [StorageTest.sasIo({ processes: 5000 })] },
    /sas-io: Processes is 5000; allowed: a whole number from 1 to 1024/,
  ],
  [
    { tests: [StorageTest.sasIo({ timeout: Duration.seconds(30) })] },
    /sas-io: timeout is '30 seconds'; allowed: whole minutes/,
  ],
  [
    { tests: [StorageTest.network({ port: 80 })] },
    /network: Port is 80; allowed: a whole number from 1024 to 65535/,
  ],
  [{ tests: [StorageTest.mixedSas({ jobs: 5 })] }, /mixed-sas: Jobs is 5; allowed: a whole number from 19/],
  [{ busyGuard: { throughputMBps: -1 } }, /busyGuard: throughputMBps is -1/],
  [{ busyGuard: { processorPercent: 101 } }, /busyGuard: processorPercent is 101/],
  [{ hostsTimeout: Duration.hours(2) }, /hostsTimeout is '2 hours'; allowed: whole minutes from 1 to 60/],
  [{ keepResults: Duration.hours(5) }, /keepResults is '5 hours'; allowed: whole days/],
  [{ keepResults: Duration.days(Lazy.number({ produce: () => 5 })) }, /keepResults is 'a token'/],
  [{ benchmarkName: 'a name' }, /benchmarkName is 'a name'; allowed: a letter or digit/],
  [{ gateDeployment: true }, /gateDeployment is true; allowed: false without runAfterDeployment/],
])('%j is refused', (props, words) => {
  expect(() => make(props)).toThrow(words);
});

test('a test of Lustre servers needs to know them, and a word that their data may be lost', () => {
  const lustreServer = StorageTest.lustreServer({ acceptRiskForDataOnTargets: true });
  expect(() => make({ tests: [lustreServer] })).toThrow(
    /storageServers is undefined; allowed: the servers that lustre-server measures/,
  );
  expect(() => StorageTest.lustreServer({ acceptRiskForDataOnTargets: false })).toThrow(
    /acceptRiskForDataOnTargets is false; allowed: true/,
  );
});

test('hosts without an instance are no hosts', () => {
  const stack = testStack();
  expect(() => BenchmarkHosts.instances([stack], [])).toThrow(
    /The hosts is 'Test'; allowed: constructs with EC2 instances/,
  );
});

test('a deployment that waits for hosts that nobody knows yet is warned of', () => {
  const stack = make({ runAfterDeployment: true, gateDeployment: true });
  Annotations.fromStack(stack).hasWarning(
    '/Test/Benchmark',
    Match.stringLikeRegexp('hosts of the benchmark are not known'),
  );
});
