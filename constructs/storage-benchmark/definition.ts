import type {
  BenchmarkDefinition,
  DefinedDocument,
  DefinedTest,
  TagSelector,
} from '../private/benchmark-definition';
import type { MeasuredPath } from './measured-path';
import type { StorageBenchmarkProps } from './props';
import type { StorageTest } from './storage-test';

/** What comes from the construct, besides its properties. */
export interface DefinitionParts {
  readonly benchmark: string;
  readonly packageVersion: string;
  readonly documents: { readonly [logicalName: string]: DefinedDocument };
  readonly hosts: TagSelector[];
  readonly servers: TagSelector[];
  readonly tests: StorageTest[];
  readonly hostsTimeoutSeconds: number;
}

/** What a test needs on the hosts. */
const TOOLS: { readonly [test: string]: string } = {
  fio: 'fio',
  iozone: 'iozone',
  network: 'iperf3',
  'mixed-sas': 'python3',
};

/** LNet measures with Lustre's own modules. */
const toolOf = ({ name, _parameters }: StorageTest): string | undefined =>
  _parameters.Mode?.value === 'lnet' ? undefined : TOOLS[name];

/** The benchmark as the runner takes it. */
export function definitionOf(props: StorageBenchmarkProps, parts: DefinitionParts): BenchmarkDefinition {
  const { tests, ...rest } = parts;
  const planned = tests.flatMap((test) => placesOf(test, props).map(({ path, on }) => ({ test, path, on })));
  return {
    format: 1,
    ...rest,
    tests: planned.map(({ test, path, on }, index) => definedTest(test, path, on, index, props, parts)),
    tools: parts.documents.install
      ? [...new Set(tests.map(toolOf).filter((tool) => tool !== undefined))]
      : [],
    parallel: props.parallel ?? true,
  };
}

function placesOf(
  { _on, _props }: StorageTest,
  { paths, storageServers }: StorageBenchmarkProps,
): { path?: MeasuredPath; on: DefinedTest['on'] }[] {
  if (_on === 'paths') {
    return paths
      .filter(({ directory }) => _props.directories?.includes(directory) ?? true)
      .map((path) => ({ path, on: 'hosts' }));
  }
  const servers = _on === 'servers' || (_on === 'servers-or-hosts' && storageServers !== undefined);
  return [{ on: servers ? 'servers' : 'hosts' }];
}

function definedTest(
  test: StorageTest,
  path: MeasuredPath | undefined,
  on: DefinedTest['on'],
  index: number,
  props: StorageBenchmarkProps,
  { documents }: DefinitionParts,
): DefinedTest {
  const document = documents[test.name];
  if (!document) throw new Error(`there is no document for the test ${test.name}`);
  const values: { [name: string]: string } = {
    ...Object.fromEntries(Object.entries(test._parameters).map(([name, { value }]) => [name, String(value)])),
    KeepFreePercent: '10',
    BusyMBps: String(props.busyGuard?.throughputMBps ?? 10),
    BusyCpuPercent: String(props.busyGuard?.processorPercent ?? 50),
    ...(path && {
      Directory: path.directory,
      RequireMount: path._props.mounted === false ? 'no' : 'yes',
      KeepFreePercent: String(path._props.keepFreePercent ?? 10),
      User: path._props.user ?? 'root',
    }),
  };
  return {
    id: [index + 1, test.name, ...(path ? [slug(path.directory)] : [])].join('-'),
    test: test.name,
    on,
    ...(path && { path: path._definition(props.hosts._wanted) }),
    parameters: Object.fromEntries(
      Object.entries(values).filter(([name]) => document.parameters.includes(name)),
    ),
    ...(test._props.timeout && { timeoutSeconds: test._props.timeout.toSeconds() }),
  };
}

/** A part of file names, of keys and of comments, which have room for so much. */
const slug = (directory: string): string =>
  directory
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
    .slice(0, 24);
