import { Match, Template } from 'aws-cdk-lib/assertions';
import { SERVICE_LIMITS } from '../../constructs/sizing';
import type { DeploymentConfig } from '../../lib/config-types';
import { REFERENCES } from '../helpers/reference-deployments';
import { judgedStateMachines } from '../helpers/state-machines';
import { recorded } from '../outline/recorded';
import { reference, synthesize } from '../outline/reference-templates';

type Resource = {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: Record<string, unknown>;
};

/** What the functions that guard volumes are told of them. */
interface Guard {
  readonly Environment?: { readonly Variables?: { readonly [name: string]: unknown } };
}

// Each with what of its file system outlives the stack, how often at least, and what its warnings tell.
const KEPT = ['AWS::EC2::Volume', 'AWS::DynamoDB::Table', 'AWS::KMS::Key'];
const NO_IMAGE = 'storage.image names no image';
const STACKS = ['network', 'storage', 'grid', 'operations', 'benchmark'];
const DEPLOYMENTS: [name: string, kept: string[], atLeast: number, warning: string, stacks?: string[]][] = [
  ['sas-grid-lustre', KEPT, 28, '', ['network', 'images', 'storage', 'grid', 'operations', 'benchmark']],
  ['sas-grid-lustre-2015', KEPT, 28, NO_IMAGE, ['network', 'storage', 'grid', 'operations']],
  ['sas-grid-nfs', KEPT, 4, ''],
  ['sas-grid-fsx', ['AWS::FSx::FileSystem', 'AWS::KMS::Key'], 2, ''],
  ['nfs-storage-server', KEPT, 3, '', ['storage', 'operations']],
  // The hosts that have the volumes are the grid.
  ['sas-server-io2', KEPT, 3, '', ['network', 'storage', 'benchmark', 'operations']],
  [
    'sas-grid-gfs2',
    ['AWS::EC2::Volume', 'AWS::KMS::Key'],
    3,
    'io2.image names no image',
    ['network', 'storage', 'benchmark', 'operations'],
  ],
];

test('these are the reference deployments', () => {
  expect(DEPLOYMENTS.map(([name]) => name).sort()).toEqual([...REFERENCES].sort());
});

describe.each(DEPLOYMENTS)('%s', (name, keptTypes, atLeast, warning, stacks = STACKS) => {
  // Synthesis throws on a cdk-nag finding that nobody acknowledged.
  const { templates, warnings } = reference(name);
  const resources = (stack: string): [string, Resource][] =>
    Object.entries(templates[`${name}-${stack}`]!.Resources) as [string, Resource][];
  const ofType = (stack: string, type: string) =>
    resources(stack).filter(([, resource]) => resource.Type === type);

  test('has its stacks', () => {
    expect(Object.keys(templates)).toEqual(stacks.map((part) => `${name}-${part}`));
  });

  test.each(stacks)('the %s stack is as recorded', (stack) => {
    expect(recorded(name, stack)).toMatchSnapshot();
  });

  test('somebody keeps EC2 from deleting each kept volume with its server (DeleteOnTermination)', () => {
    const guards = stacks.flatMap((stack) =>
      ofType(stack, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties as Guard),
    );
    const guarded = (id: string, tags: readonly { Key: string; Value: unknown }[]): boolean =>
      guards.some(({ Environment }) => {
        const { TIER_TAG, TABLE, VOLUMES } = Environment?.Variables ?? {};
        const ofTier = tags.find(({ Key }) => Key === 'cdk-sas-grid:tier')?.Value;
        // The reconciler of the volume's tier, or the keeper that has its id.
        if (ofTier !== undefined)
          return TABLE !== undefined && JSON.stringify(TIER_TAG) === JSON.stringify(ofTier);
        return JSON.stringify(VOLUMES ?? '').includes(`{"Ref":"${id}"}`);
      });
    const kept = stacks
      .flatMap((stack) => ofType(stack, 'AWS::EC2::Volume'))
      .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
    expect(kept.length > 0).toBe(keptTypes.includes('AWS::EC2::Volume'));
    const open = kept.filter(([id, { Properties }]) => !guarded(id, Properties.Tags as never[]));
    expect(open.map(([id]) => id)).toEqual([]);
  });

  test.each(stacks)('the %s stack stays within the limits of CloudFormation', (stack) => {
    expect(resources(stack).length).toBeLessThanOrEqual(SERVICE_LIMITS.stackResources.value);
    expect(JSON.stringify(templates[`${name}-${stack}`]).length).toBeLessThanOrEqual(1_000_000);
  });

  test('Step Functions takes every state machine', () => {
    const judged = Object.values(templates).map(judgedStateMachines);
    expect(judged.flatMap(({ problems }) => problems)).toEqual([]);
    expect(judged.some(({ count }) => count > 0)).toBe(true);
  });

  test('every volume, table and key of the file system outlives the stack', () => {
    const kept = keptTypes.flatMap((type) => ofType('storage', type));
    expect(kept.length).toBeGreaterThanOrEqual(atLeast);
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of kept) {
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'Retain', 'Retain']);
    }
  });

  test('every volume is encrypted', () => {
    for (const [, volume] of ofType('storage', 'AWS::EC2::Volume'))
      expect(volume.Properties.Encrypted).toBe(true);
  });

  test('nothing is open to the world', () => {
    const open = JSON.stringify(
      stacks.flatMap((stack) => [
        ...ofType(stack, 'AWS::EC2::SecurityGroupIngress'),
        ...ofType(stack, 'AWS::EC2::SecurityGroup').map(([id, { Properties }]) => [
          id,
          Properties.SecurityGroupIngress,
        ]),
      ]),
    );
    expect(open).not.toMatch(/0\.0\.0\.0\/0|::\/0/);
  });

  test('warns of what would not work in an account', () => {
    expect(warnings.join('\n')).toContain(warning);
  });
});

test('every key of a configuration reaches the templates', () => {
  const { templates } = synthesize('mine', FULL_CONFIG);
  const storage = Template.fromJSON(templates['mine-storage']!);
  storage.resourceCountIs('AWS::EC2::Volume', 0);
  storage.hasResourceProperties('AWS::DynamoDB::Table', {
    SSESpecification: { KMSMasterKeyId: FULL_CONFIG.storage!.encryptionKeyArn },
  });
  storage.hasResourceProperties('AWS::EC2::NetworkInterface', { PrivateIpAddress: '10.1.4.70' });
  storage.hasResourceProperties('AWS::EC2::LaunchTemplate', {
    LaunchTemplateData: { ImageId: 'ami-0123456789abcdef0', InstanceType: 'm6in.xlarge' },
  });
  storage.hasResourceProperties('AWS::ElasticLoadBalancingV2::Listener', { Port: 443, Protocol: 'TLS' });
  storage.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'grid@example.com' });
  const network = Template.fromJSON(templates['mine-network']!);
  network.hasResourceProperties('AWS::EC2::VPC', { CidrBlock: '10.1.0.0/20' });
  network.resourceCountIs('AWS::EC2::NatGateway', 0);
  network.hasResourceProperties('AWS::EC2::Subnet', { AvailabilityZone: 'eu-west-1b' });
  // One slot, and a server that waits; no other tier has one.
  const spared = { Properties: { MinSize: '1', MaxSize: '2', DesiredCapacity: '2' } };
  expect(Object.keys(storage.findResources('AWS::AutoScaling::AutoScalingGroup', spared))).toHaveLength(1);
  const grid = Template.fromJSON(templates['mine-grid']!);
  // The alarms of all stacks go to one topic, whose policy has to let CloudWatch in: it replaces the one that SNS gives
  // a topic.
  for (const each of [storage, grid]) {
    each.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [Match.anyValue()] });
    expect(JSON.stringify(each.toJSON()).match(/"AWS::SNS::TopicPolicy"/g) ?? []).toHaveLength(
      each === storage ? 1 : 0,
    );
  }
  storage.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([Match.objectLike({ Principal: { Service: 'cloudwatch.amazonaws.com' } })]),
    },
  });
  // Protection is off, so that the grid can be deleted, and cdk-nag agrees.
  grid.resourcePropertiesCountIs('AWS::EC2::Instance', { DisableApiTermination: false }, 3);
});

const FULL_CONFIG: DeploymentConfig = {
  description: 'every key at once',
  region: 'eu-west-1',
  account: '111122223333',
  alarmEmail: 'grid@example.com',
  tags: { owner: 'analytics' },
  network: {
    vpcCidr: '10.1.0.0/20',
    publicSubnetCidr: '10.1.0.0/24',
    privateSubnetCidr: '10.1.4.0/24',
    availabilityZone: 'eu-west-1b',
    nat: 'none',
    interfaceEndpoints: true,
    webAccessFrom: ['10.0.0.0/8'],
  },
  storage: {
    preset: 'current',
    fileSystemName: 'mine',
    encryptionKeyArn: 'arn:aws:kms:eu-west-1:111122223333:key/0a1b2c3d',
    image: { amiId: 'ami-0123456789abcdef0' },
    software: { kind: 'repository', url: 'https://packages.example.com/lustre', version: '2.16.1' },
    mgs: { existingVolumes: ['vol-00000001'], addresses: ['10.1.4.70'] },
    mds: { existingVolumes: ['vol-00000002'], addresses: ['10.1.4.71'] },
    oss: {
      count: 1,
      instanceType: 'm6in.xlarge',
      volumesPerServer: 2,
      volume: { type: 'io2', sizeGiB: 500, iops: 4000 },
      hotSpares: 1,
      existingVolumes: ['vol-00000003', 'vol-00000004'],
      addresses: ['10.1.4.72'],
    },
    monitoring: { certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/1' },
    recoveryTimeoutMinutes: 30,
  },
  grid: {
    nodes: 2,
    plannedNodes: 4,
    instanceType: 'i4i.8xlarge',
    image: { ssmParameter: '/mine/sas-image' },
    terminationProtection: false,
    scratch: { saswork: 1, utilloc: 1, fileSystem: 'ext4', chunkKiB: 512, readAheadKiB: 4096 },
  },
};

test('says that the papers’ servers cannot identify their volumes, and that current ones can', () => {
  const about = (name: string) =>
    reference(name).warnings.filter((warning) => warning.includes('before Nitro'));
  expect(about('sas-grid-lustre-2015').join()).toContain('c3.8xlarge is a type before Nitro');
  expect(about('sas-grid-lustre')).toEqual([]);
});

test('the papers are met to the number', () => {
  const { templates } = reference('sas-grid-lustre-2015');
  const storage = Template.fromJSON(templates['sas-grid-lustre-2015-storage']!);
  const volumes = Object.values(storage.findResources('AWS::EC2::Volume'));
  const objectStorage = volumes.filter(
    ({ Properties }) => Properties.Size === 750 && Properties.VolumeType === 'gp2',
  );
  expect(objectStorage).toHaveLength(3 * 8);
  // Volumes and clients share the one interface of this type: "does not apply to c3.8xlarge" (paper 001).
  storage.hasResourceProperties('AWS::EC2::LaunchTemplate', {
    LaunchTemplateData: { InstanceType: 'c3.8xlarge', EbsOptimized: false },
  });
  const network = Template.fromJSON(templates['sas-grid-lustre-2015-network']!);
  network.hasResourceProperties('AWS::EC2::VPC', { CidrBlock: '172.16.0.0/20' });
  for (const CidrBlock of ['172.16.0.0/22', '172.16.4.0/24']) {
    network.hasResourceProperties('AWS::EC2::Subnet', { CidrBlock });
  }
  network.hasResourceProperties('AWS::EC2::PlacementGroup', { Strategy: 'cluster' });
  const grid = Template.fromJSON(templates['sas-grid-lustre-2015-grid']!);
  grid.resourcePropertiesCountIs(
    'AWS::EC2::Instance',
    { InstanceType: 'i2.8xlarge', DisableApiTermination: true },
    4,
  );
});
