import { Duration, Size } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  GridNetwork,
  IntelLustre,
  type IntelLustreProps,
  LustreBackend,
  LustrePreset,
  type LustreServerOptions,
  LustreSoftware,
} from '../../../constructs';
import {
  anyAddress,
  anyCidr,
  anyDuration,
  anyInstanceType,
  anyList,
  anyNumber,
  anySize,
  anyText,
  anyVolume,
  maybe,
  rootDevice,
  volume,
} from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, type Template, tryProperties } from '../../helpers/properties';
import { IMAGE } from './stack';

/** What is asked of a file system, and the repository that its software comes from. */
type Props = Omit<IntelLustreProps, 'network' | 'machineImage' | 'software'> & {
  readonly repository?: { readonly url: string; readonly version: string };
};

const right: fc.Arbitrary<Props> = fc.record({
  repository: maybe(fc.constant({ url: 'https://packages.example.com/lustre', version: '2.15.6' })),
  preset: maybe(fc.constantFrom(LustrePreset.current(), LustrePreset.papers2015())),
  fileSystemName: maybe(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,7}$/)),
  backend: maybe(fc.constantFrom(...Object.values(LustreBackend))),
  mgs: maybe(fc.record({ volume })),
  mds: maybe(fc.record({ volume, addresses: maybe(fc.constant(['172.16.4.200'])) })),
  oss: maybe(
    fc.record({
      serverCount: fc.integer({ min: 1, max: 12 }),
      volumesPerServer: fc.integer({ min: 1, max: 10 }),
      volume,
      instanceType: maybe(
        fc.constantFrom('m6in.8xlarge', 'r7i.8xlarge').map((name) => new InstanceType(name)),
      ),
    }),
  ),
  striping: maybe(
    fc.record({ stripeCount: fc.constantFrom(-1, 1), stripeSize: fc.constant(Size.mebibytes(4)) }),
  ),
  client: maybe(fc.record({ networkChecksums: maybe(fc.boolean()), lockLruSize: maybe(fc.constant(3200)) })),
  monitoring: maybe(
    fc.record({ enabled: maybe(fc.boolean()), allowedRanges: maybe(fc.constant(['10.0.0.0/8'])) }),
  ),
  rootDeviceName: maybe(rootDevice),
  rootVolumeSize: maybe(fc.constant(Size.gibibytes(50))),
  recoveryTimeout: maybe(fc.constant(Duration.minutes(30))),
  schedule: maybe(fc.constant(Duration.minutes(10))),
});

const optional = { requiredKeys: [] };

const anyServers: fc.Arbitrary<LustreServerOptions> = fc.record(
  {
    serverCount: anyNumber,
    volumesPerServer: anyNumber,
    instanceType: anyInstanceType,
    volume: anyVolume,
    existingVolumes: anyList(fc.constantFrom('vol-00000001', 'vol-00000002', 'x')),
    addresses: anyList(fc.oneof(anyAddress, fc.constantFrom('172.16.4.64', '172.16.4.72'))),
  },
  optional,
);

const anyParameters = fc.array(fc.record({ name: anyText, value: anyText }), { maxLength: 3 });

function check({ Resources }: Template): void {
  const addresses = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::EC2::NetworkInterface')
    .map(({ Properties }) => Properties!.PrivateIpAddress)
    .filter((address) => typeof address === 'string');
  expect(new Set(addresses).size).toBe(addresses.length);
}

tryProperties<Props>(
  right,
  {
    repository: fc.record({
      url: fc.oneof(
        anyText,
        anyText.map((text) => `https://${text}`),
      ),
      version: anyText,
    }),
    fileSystemName: anyText,
    mgs: anyServers,
    mds: anyServers,
    oss: anyServers,
    throughputMBps: anyNumber,
    newInstanceTypes: fc.boolean(),
    striping: fc.record({ stripeCount: anyNumber, stripeSize: anySize }, optional),
    serverTuning: anyParameters,
    client: fc.record({ lockLruSize: anyNumber, tuning: anyParameters }, optional),
    monitoring: fc.record({ allowedRanges: anyList(anyCidr), internetFacing: fc.boolean() }, optional),
    rootDeviceName: anyText,
    rootVolumeSize: anySize,
    recoveryTimeout: anyDuration,
    schedule: anyDuration,
  },
  { right: 2, wild: 30 },
  ({ repository, ...props }) =>
    outcome((stack) => {
      const network = new GridNetwork(stack, 'Network');
      const software = repository && LustreSoftware.repository(repository);
      new IntelLustre(stack, 'SasData', { network, machineImage: IMAGE, software, ...props });
    }, check),
);
