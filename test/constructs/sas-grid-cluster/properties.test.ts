import { Size } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  GridNetwork,
  SasGridCluster,
  type SasGridClusterProps,
  ScratchFileSystem,
  ThroughputPerCore,
} from '../../../constructs';
import {
  anyAddress,
  anyInstanceType,
  anyList,
  anyNumber,
  anyPath,
  anySize,
  anyText,
  maybe,
  rootDevice,
} from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, type Template, tryProperties } from '../../helpers/properties';
import { IMAGE, OtherFileSystem } from './stack';

type Props = Omit<SasGridClusterProps, 'network' | 'sharedFileSystem' | 'machineImage'>;

const type = (...names: string[]) => fc.constantFrom(...names).map((name) => new InstanceType(name));

const right: fc.Arbitrary<Props> = fc
  .record({ nodeCount: fc.integer({ min: 1, max: 12 }), more: fc.integer({ min: 0, max: 12 }) })
  .chain(({ nodeCount, more }) =>
    fc.record({
      nodeCount: fc.constant(nodeCount),
      plannedNodeCount: more ? fc.constant(nodeCount + more) : fc.constant(undefined),
      nodeInstanceType: maybe(type('i3en.12xlarge', 'i4i.8xlarge', 'i2.8xlarge')),
      controlInstanceType: maybe(type('m6in.4xlarge', 'i4i.8xlarge')),
      ephemeralScratch: maybe(fc.boolean()),
      scratch: maybe(
        fc.record({
          chunk: maybe(fc.constant(Size.kibibytes(512))),
          fileSystem: maybe(fc.constantFrom(...Object.values(ScratchFileSystem))),
        }),
      ),
      mountPoint: maybe(fc.constantFrom('/sasdata', '/mnt/sas-data')),
      controlName: maybe(fc.stringMatching(/^[a-z][a-z0-9]{0,20}-c$/)),
      nodeNamePrefix: maybe(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)),
      domainName: maybe(fc.constantFrom('grid.example.com', 'a.b')),
      addresses: maybe(
        fc.constant(Array.from({ length: nodeCount + more + 1 }, (_, at) => `172.16.4.${at + 200}`)),
      ),
      additionalPorts: maybe(fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { maxLength: 5 })),
      egoDns: maybe(fc.boolean()),
      // What the file system gives is not known, and the slowest node has more: no error, whatever is made of it.
      sharedThroughput: maybe(fc.integer({ min: 1, max: 10_000 }).map(ThroughputPerCore.mbps)),
      temporaryThroughput: maybe(fc.integer({ min: 1, max: 10 }).map(ThroughputPerCore.mbps)),
      failOnShortfall: maybe(fc.boolean()),
      sasUid: maybe(fc.integer({ min: 1000, max: 60_000 })),
      sasGid: maybe(fc.integer({ min: 1000, max: 60_000 })),
      rootDeviceName: maybe(rootDevice),
      rootVolumeSize: maybe(
        fc.integer({ min: 8, max: 16_384 }).map((gibibytes) => Size.gibibytes(gibibytes)),
      ),
    }),
  );

/** A server per node and the control server; each fixed address once. */
function check({ Resources }: Template, { nodeCount }: Props): void {
  const ofType = (wanted: string) => Object.values(Resources).filter(({ Type }) => Type === wanted);
  expect(ofType('AWS::EC2::Instance')).toHaveLength(nodeCount + 1);
  const addresses = ofType('AWS::EC2::NetworkInterface')
    .map(({ Properties }) => Properties!.PrivateIpAddress)
    .filter((address) => typeof address === 'string');
  expect(new Set(addresses).size).toBe(addresses.length);
}

tryProperties<Props>(
  right,
  {
    nodeCount: fc.oneof(anyNumber, fc.constant(100)),
    plannedNodeCount: fc.oneof(anyNumber, fc.constant(100)),
    nodeInstanceType: anyInstanceType,
    controlInstanceType: anyInstanceType,
    newInstanceTypes: fc.boolean(),
    temporaryThroughput: fc.integer({ min: 1, max: 10_000 }).map(ThroughputPerCore.mbps),
    failOnShortfall: fc.boolean(),
    controlEphemeralScratch: fc.boolean(),
    scratch: fc.record(
      {
        chunk: anySize,
        readAhead: anySize,
        split: fc.record({ saswork: anyNumber, utilloc: anyNumber }),
        instanceStore: fc.record({ count: anyNumber, size: anySize }),
      },
      { requiredKeys: [] },
    ),
    mountPoint: anyPath,
    lsfDirectory: anyPath,
    sasDirectory: anyPath,
    controlName: anyText,
    nodeNamePrefix: anyText,
    domainName: fc.oneof(
      anyText,
      fc.constantFrom('-.-', 'a..b', `${'a'.repeat(64)}.b`, `${'a.'.repeat(130)}b`),
    ),
    addresses: anyList(anyAddress),
    additionalPorts: fc.array(anyNumber, { maxLength: 3 }),
    sasUid: anyNumber,
    sasGid: anyNumber,
    rootDeviceName: anyText,
    rootVolumeSize: anySize,
  },
  { right: 4, wild: 40 },
  (props) =>
    outcome(
      (stack) => {
        const network = new GridNetwork(stack, 'Network');
        const sharedFileSystem = new OtherFileSystem(stack, 'Other', network);
        new SasGridCluster(stack, 'Grid', { network, sharedFileSystem, machineImage: IMAGE, ...props });
      },
      (template) => check(template, props),
    ),
);
