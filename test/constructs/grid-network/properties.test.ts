import { aws_ec2 as ec2, aws_logs as logs } from 'aws-cdk-lib';
import { GridNetwork, type GridNetworkProps, NatKind } from '../../../constructs/grid-network';
import { anyCidr, anyInstanceType, anyList, anyNumber, anyText, maybe } from '../../helpers/arbitraries';
import fc from '../../helpers/fast-check';
import { outcome, tryProperties } from '../../helpers/properties';

type Props = GridNetworkProps & {
  /** Ranges of an existing subnet for storage, instead of a new network. */
  readonly storageAddressRanges?: string[];
  /** Whether that network has a security group for all hosts, which may be changed or not. */
  readonly oneGroup?: 'mutable' | 'immutable';
  /** For how many servers addresses are reserved. */
  readonly servers?: number;
};

const AWS = ec2.InterfaceVpcEndpointAwsService;

const right: fc.Arbitrary<Props> = fc
  .record({ second: fc.integer({ min: 0, max: 255 }), prefix: fc.integer({ min: 18, max: 26 }) })
  .chain(({ second, prefix }) =>
    fc.record({
      vpcCidr: fc.constant(`10.${second}.0.0/${prefix - 2}`),
      publicSubnetCidr: fc.constant(`10.${second}.0.0/${prefix}`),
      privateSubnetCidr: fc.constant(
        `10.${second}.${prefix <= 24 ? 2 ** (24 - prefix) : 0}.${prefix > 24 ? 2 ** (32 - prefix) : 0}/${prefix}`,
      ),
      availabilityZone: maybe(fc.constantFrom('us-east-1a', 'us-east-1-bos-1a')),
      nat: maybe(fc.constantFrom(...Object.values(NatKind))),
      natInstanceType: maybe(
        fc.constantFrom('t4g.small', 'm3.medium').map((name) => new ec2.InstanceType(name)),
      ),
      interfaceEndpoints: maybe(fc.boolean()),
      additionalInterfaceEndpoints: maybe(fc.subarray([AWS.SSM, AWS.CLOUDWATCH_LOGS, AWS.ECR])),
      flowLogs: maybe(fc.boolean()),
      flowLogRetention: maybe(fc.constantFrom(logs.RetentionDays.ONE_DAY, logs.RetentionDays.INFINITE)),
      webAccessFrom: maybe(fc.subarray(['10.0.0.0/8', '203.0.113.0/24', '203.0.113.7/32'])),
      sshAccessFrom: maybe(fc.subarray(['10.0.0.0/8', '203.0.113.0/24'])),
      oneGroup: maybe(fc.constantFrom('mutable', 'immutable')),
      servers: maybe(fc.integer({ min: 1, max: 32 })),
    }),
  );

function make(
  stack: import('aws-cdk-lib').Stack,
  { storageAddressRanges, oneGroup, servers, ...props }: Props,
): void {
  const vpc = ec2.Vpc.fromVpcAttributes(stack, 'Existing', {
    vpcId: 'vpc-1',
    availabilityZones: ['us-east-1a'],
    privateSubnetIds: ['subnet-1'],
  });
  const { webAccessFrom, sshAccessFrom, interfaceEndpoints } = props;
  const mutable = oneGroup === 'mutable';
  const securityGroup =
    oneGroup && ec2.SecurityGroup.fromSecurityGroupId(stack, 'Group', 'sg-1', { mutable });
  const network = new GridNetwork(
    stack,
    'Network',
    storageAddressRanges
      ? {
          existing: { vpc, privateSubnets: vpc.privateSubnets, storageAddressRanges, securityGroup },
          interfaceEndpoints,
          webAccessFrom,
          sshAccessFrom,
        }
      : props,
  );
  if (servers === undefined) return;
  const addresses = network.reserveAddresses('servers', servers);
  if (addresses && addresses.length !== servers)
    throw new Error(`${addresses.length} addresses for ${servers} servers`);
}

tryProperties<Props>(
  right,
  {
    vpcCidr: anyCidr,
    publicSubnetCidr: anyCidr,
    privateSubnetCidr: anyCidr,
    availabilityZone: anyText,
    natInstanceType: anyInstanceType,
    webAccessFrom: anyList(anyCidr),
    sshAccessFrom: anyList(anyCidr),
    storageAddressRanges: anyList(anyCidr),
    servers: anyNumber,
  },
  { right: 10, wild: 100 },
  (props) => outcome((stack) => make(stack, props)),
);
