import { count } from '../../cli/terminal';
import { FsxLustreTuning } from '../../constructs';
import { instanceTypeFacts } from '../../constructs/sizing';
import type { Transition } from '../kit/history';
import type { Check } from '../kit/model';
import type { MachineReport } from '../kit/report';
import type { FsxFileSystem } from './fsx';
import type { HostFacts } from './hosts';

/** All that the checks of a file system that AWS runs look at. */
export interface ManagedEvidence {
  readonly fileSystem?: FsxFileSystem;
  readonly mountPoint: string;
  /** How many hosts there must be. */
  readonly expectedHosts: number;
  readonly machines: MachineReport[];
  readonly facts: Record<string, HostFacts>;
  /** What the demo wrote on the shared file system last. */
  readonly written: string;
  readonly history: Transition[];
  /** A node that failed and came back. */
  readonly failure?: { readonly before: MachineReport; readonly from: number };
}

const SCRATCH = ['/saswork', '/utilloc'];
// What the host software takes as large; AWS publishes parameters for clients above it.
const LARGE_GIB = 64;

/** The parameters that AWS publishes for a client of this size, by name. */
export function expectedParameters(instanceType: string): Record<string, string> {
  const facts = instanceTypeFacts(instanceType);
  const large =
    facts && facts.memoryGiB > LARGE_GIB
      ? [
          { name: 'ldlm.namespaces.*.lru_max_age', value: '600000' },
          { name: 'ldlm.namespaces.*.lru_size', value: String(100 * facts.vcpus) },
        ]
      : [];
  return Object.fromEntries(
    [...FsxLustreTuning.awsClient(), ...large].map(({ name, value }) => [name, value]),
  );
}

/** Everything that must hold while the file system is mounted, each with a name. Pure: reads only the evidence. */
export function verifyManaged(evidence: ManagedEvidence): Check[] {
  const { fileSystem, machines, mountPoint, written, history } = evidence;
  const hosts = count(machines.length, 'host');
  const mounts = history.filter(({ kind }) => kind === 'managed-mount');
  return [
    check('file-system-available', 'The file system is available', fileSystem?.FileSystemId ?? '', [
      ...(fileSystem?.Lifecycle === 'AVAILABLE' ? [] : [`it is ${fileSystem?.Lifecycle ?? 'gone'}`]),
    ]),
    check(
      'mounted-everywhere',
      `Every host has it on ${mountPoint}, with locks across hosts (flock)`,
      hosts,
      [
        ...(machines.length === evidence.expectedHosts
          ? []
          : [`${machines.length} hosts run instead of ${evidence.expectedHosts}`]),
        ...machines.flatMap((machine) => mountFaults(machine, evidence)),
      ],
    ),
    check(
      'tuned',
      'Every host has the parameters that AWS publishes for its size',
      `${hosts}, read back from Lustre`,
      machines.flatMap((machine) => parameterFaults(machine, evidence.facts[machine.instance])),
    ),
    check('shared', 'What one host writes all others read', `'${written}' on ${hosts}`, [
      ...(written ? [] : ['nothing was written']),
      ...machines
        .filter(({ instance }) => evidence.facts[instance]?.shared !== written)
        .map(({ name, instance }) => `${name} reads '${evidence.facts[instance]?.shared ?? ''}'`),
    ]),
    check(
      'nodes-ready',
      'Every host is a node of the grid, the nodes with scratch of their own',
      hosts,
      machines.flatMap((machine) => nodeFaults(machine, evidence.facts[machine.instance])),
    ),
    check('never-stale', 'No mount ever lost its file system', count(mounts.length, 'transition'), [
      ...(mounts.length === 0 ? ['the history has no mount'] : []),
      ...mounts.filter(({ to }) => to === 'stale').map(({ instance }) => `stale on ${instance}`),
    ]),
    ...(evidence.failure ? failureChecks(evidence, evidence.failure) : []),
  ];
}

/** What a node that failed must be again, and what the others must not have noticed. */
function failureChecks(
  { machines, history }: ManagedEvidence,
  { before, from }: NonNullable<ManagedEvidence['failure']>,
): Check[] {
  const now = machines.find(({ name }) => name === before.name);
  const since = history.filter(({ time }) => time >= from);
  const formats = history.filter(
    ({ kind, instance }) => kind === 'scratch-format' && instance === before.instance,
  );
  const again = formats.filter(({ time }) => time >= from).length;
  const first = formats.length - again;
  const mounts = since.filter(({ kind }) => kind === 'managed-mount');
  const own = mounts.filter(({ instance }) => instance === before.instance).map(({ to }) => to ?? 'gone');
  return [
    check(
      'same-node',
      'The node is the same instance at the same address',
      `${before.instance}, ${before.address}`,
      now?.instance === before.instance && now.address === before.address
        ? []
        : [`${before.name} is ${now ? `${now.instance} at ${now.address}` : 'not running'}`],
    ),
    check(
      'scratch-made-again',
      'Its disks came back empty, and its scratch was made again',
      `${count(again, 'file system')} for ${SCRATCH.join(' and ')}`,
      again > 0 && again === first ? [] : [`${count(again, 'file system')} made again, ${first} at first`],
    ),
    check(
      'mounted-again',
      'It let go of the file system once, and mounted it once',
      own.join(', '),
      own.join() === 'gone,mounted' ? [] : [`its mounts: ${own.join(', ') || 'no change'}`],
    ),
    check(
      'others-undisturbed',
      'No other host lost its mount meanwhile',
      count(machines.length - 1, 'host'),
      mounts
        .filter(({ instance }) => instance !== before.instance)
        .map(({ instance, to }) => `${instance}: ${to ?? 'gone'}`),
    ),
  ];
}

function mountFaults(
  { name, instance }: MachineReport,
  { facts, mountPoint, fileSystem }: ManagedEvidence,
): string[] {
  const mount = facts[instance]?.mounts.find(({ directory }) => directory === mountPoint);
  if (!mount) return [`${name} has nothing on ${mountPoint}`];
  const wanted = `@tcp:/${fileSystem?.LustreConfiguration?.MountName}`;
  return [
    ...(mount.type === 'lustre' && mount.source.endsWith(wanted)
      ? []
      : [`${name} has ${mount.source} (${mount.type})`]),
    ...['rw', 'flock']
      .filter((option) => !mount.options.includes(option))
      .map((option) => `${name} lacks ${option}`),
  ];
}

function parameterFaults({ name, instanceType }: MachineReport, facts?: HostFacts): string[] {
  return Object.entries(expectedParameters(instanceType))
    .filter(([parameter, value]) => facts?.parameters[parameter] !== value)
    .map(
      ([parameter, value]) =>
        `${name}: ${parameter} is '${facts?.parameters[parameter] ?? ''}', not ${value}`,
    );
}

function nodeFaults({ name, instanceType }: MachineReport, facts?: HostFacts): string[] {
  const wanted = instanceTypeFacts(instanceType)?.instanceStore ? SCRATCH : [];
  const missing = wanted.filter((path) => !facts?.mounts.some(({ directory }) => directory === path));
  return [
    ...(facts?.ready ? [] : [`${name} is not set up as a node`]),
    ...missing.map((path) => `${name} lacks ${path}`),
  ];
}

export function check(id: string, title: string, detail: string, faults: string[]): Check {
  const shown =
    faults.length > 5 ? `${faults.slice(0, 5).join('; ')}; and ${faults.length - 5} more` : faults.join('; ');
  return { id, title, passed: faults.length === 0, detail: faults.length ? shown : detail };
}
