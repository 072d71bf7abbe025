import { aws_ec2 as ec2, Size, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  CapacityPlatform,
  CapacityReservation,
  DataLossOnFailure,
  GridNetwork,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorage,
  NfsStorageServer,
  SasGridCluster,
  StandbyServers,
} from '../../../constructs';
import { testStack } from '../../helpers/app';
import { IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';

type Made = (stack: Stack, network: GridNetwork, capacityReservation: CapacityReservation) => void;
const machineImage = IMAGE;
const control = new ec2.InstanceType('i4i.2xlarge');
const dataLossOnFailure = DataLossOnFailure.acceptable('all of it can be computed again');

const grid =
  (more: object = {}): Made =>
  (stack, network, capacityReservation) => {
    const sharedFileSystem = new OtherFileSystem(stack, 'F', network);
    const own = { network, sharedFileSystem, machineImage, nodeCount: 3 };
    new SasGridCluster(stack, 'G', { ...own, capacityReservation, ...more });
  };

/** What takes a reservation, and what a new one then is of. */
const TAKERS: [string, { [type: string]: number }, Made][] = [
  ['a grid', { 'i3en.12xlarge': 4 }, grid()],
  [
    'a grid with another control server',
    { 'i3en.12xlarge': 3, 'i4i.2xlarge': 1 },
    grid({ controlInstanceType: control }),
  ],
  [
    'NFS on volumes, with a spare',
    { 'm6in.xlarge': 2 },
    (stack, network, capacityReservation) => {
      const storage = NfsStorage.ebs({ standby: StandbyServers.hotSpare() });
      new NfsStorageServer(stack, 'S', { network, machineImage, storage, capacityReservation });
    },
  ],
  [
    'NFS on instance store',
    { 'i3en.2xlarge': 1 },
    (stack, network, capacityReservation) => {
      const storage = NfsStorage.instanceStore({ dataLossOnFailure });
      new NfsStorageServer(stack, 'S', { network, machineImage, storage, capacityReservation });
    },
  ],
  [
    'Lustre',
    { 'm6in.8xlarge': 3 },
    (stack, network, capacityReservation) =>
      new IntelLustre(stack, 'L', {
        network,
        machineImage,
        oss: { capacityReservation, serverCount: 3, instanceType: new ec2.InstanceType('m6in.8xlarge') },
      }),
  ],
  [
    'GFS2',
    { 'r5b.12xlarge': 2 },
    (stack, network, capacityReservation) =>
      new Io2BlockExpressGfs2(stack, 'C', {
        network,
        machineImage,
        nodeCount: 2,
        size: Size.tebibytes(1),
        capacityReservation,
      }),
  ],
  [
    'one host on io2',
    { 'r5b.12xlarge': 1 },
    (stack, network, capacityReservation) =>
      new Io2BlockExpressGfs2(stack, 'C', {
        network,
        machineImage,
        size: Size.tebibytes(1),
        capacityReservation,
      }),
  ],
];

function templateOf(made: Made, reservation: CapacityReservation): Template {
  const stack = testStack();
  made(stack, new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' }), reservation);
  return Template.fromStack(stack);
}

/** What launches are told of a reservation, for each launch template of servers. */
const told = (template: Template): object[] =>
  Object.values(template.findResources('AWS::EC2::LaunchTemplate')).flatMap(
    ({ Properties }) => Properties.LaunchTemplateData.CapacityReservationSpecification ?? [],
  );

describe.each(TAKERS)('capacity for %s', (_, types, made) => {
  test('that is new is for all servers, in their zone and placement group, and open', () => {
    const template = templateOf(made, CapacityReservation.create({ platform: CapacityPlatform.RED_HAT }));
    const reservations = Object.entries(template.findResources('AWS::EC2::CapacityReservation'));
    const counted = reservations.map(([, { Properties }]) => [
      Properties.InstanceType,
      Properties.InstanceCount,
    ]);
    expect(Object.fromEntries(counted)).toEqual(types);
    for (const [id, { Properties }] of reservations) {
      expect(Properties).toMatchObject({
        InstancePlatform: 'Red Hat Enterprise Linux',
        AvailabilityZone: 'us-east-1a',
        InstanceMatchCriteria: 'open',
      });
      expect(JSON.stringify(Properties.PlacementGroupArn)).toMatch(
        /:placement-group\/.*NetworkPlacementGroup/,
      );
      // It is there before the first server.
      expect(JSON.stringify(template.toJSON().Resources)).toMatch(
        new RegExp(`"DependsOn":\\[[^\\]]*"${id}"`),
      );
    }
    // EC2 lets them start there by itself: no launch template of a deployed tier changes, and no node is replaced.
    expect(told(template)).toEqual([]);
  });

  test('that exists is named at launch, and nothing is made', () => {
    const id = 'cr-0123456789abcdef0';
    const template = templateOf(made, CapacityReservation.existing(id));
    template.resourceCountIs('AWS::EC2::CapacityReservation', 0);
    const expected = { CapacityReservationTarget: { CapacityReservationId: id } };
    expect(told(template).length).toBeGreaterThan(0);
    for (const each of told(template)) expect(each).toEqual(expected);
  });
});

describe('a grid in a reservation that exists', () => {
  const instances = (reservation: CapacityReservation) =>
    Object.entries(
      templateOf(grid({ controlInstanceType: control }), reservation).findResources('AWS::EC2::Instance', {
        Properties: { NetworkInterfaces: [{ DeviceIndex: '0' }] },
      }),
    ).map(([id, { Properties }]) => [
      id.startsWith('GControl') ? 'control' : 'node',
      'LaunchTemplate' in Properties,
    ]);

  test('of one type starts its nodes there', () => {
    const found = instances(CapacityReservation.existing('cr-0123456789abcdef0'));
    expect(found).toContainEqual(['node', true]);
    expect(found).toContainEqual(['control', false]);
  });

  test('of a resource group starts all servers there', () => {
    const found = instances(CapacityReservation.resourceGroup(group('us-east-1')));
    expect(found).toContainEqual(['node', true]);
    expect(found).toContainEqual(['control', true]);
  });
});

const group = (region: string) => `arn:aws:resource-groups:${region}:111122223333:group/sas`;

describe('bad input', () => {
  test.each<[string, () => void, RegExp]>([
    ['an id', () => CapacityReservation.existing('cr-1'), /reservationId is 'cr-1'; allowed: 'cr-'/],
    ['an ARN', () => CapacityReservation.resourceGroup('sas'), /groupArn is 'sas'; allowed: the ARN/],
    [
      'a resource group of another region',
      () => templateOf(grid(), CapacityReservation.resourceGroup(group('eu-west-1'))),
      /capacityReservation is 'of eu-west-1'; allowed: one of the region of the stack/,
    ],
    [
      'a Spot server',
      () =>
        templateOf((stack, network, capacityReservation) => {
          const storage = NfsStorage.instanceStore({ dataLossOnFailure, spot: {} });
          new NfsStorageServer(stack, 'S', { network, machineImage, storage, capacityReservation });
        }, CapacityReservation.create()),
      /capacityReservation is 'given together with spot'/,
    ],
  ])('%s is refused', (_, make, message) => expect(make).toThrow(message));
});

describe('placement groups', () => {
  const stack = (separatePlacementGroups?: boolean) => {
    const own = testStack();
    const network = new GridNetwork(own, 'Network', { separatePlacementGroups });
    const sharedFileSystem = new NfsStorageServer(own, 'S', { network, machineImage });
    new SasGridCluster(own, 'G', { network, sharedFileSystem, machineImage, nodeCount: 1 });
    return Template.fromStack(own);
  };
  const groupOfStorage = (template: Template) =>
    Object.values(template.findResources('AWS::EC2::LaunchTemplate')).flatMap(
      ({ Properties }) => Properties.LaunchTemplateData.Placement?.GroupName['Fn::GetAtt'][0] ?? [],
    );

  test('are one for storage and grid, as it is deployed', () => {
    const template = stack();
    template.resourceCountIs('AWS::EC2::PlacementGroup', 1);
    expect(groupOfStorage(template)).toEqual(['NetworkPlacementGroupFFCBDDA4']);
  });

  test('can be two, of which the grid keeps the one that is deployed', () => {
    const template = stack(true);
    template.resourceCountIs('AWS::EC2::PlacementGroup', 2);
    expect(groupOfStorage(template)).toEqual([expect.stringMatching(/^NetworkStoragePlacementGroup/)]);
    for (const { Properties } of Object.values(template.findResources('AWS::EC2::Instance'))) {
      if (!Properties.PlacementGroupName) continue;
      expect(JSON.stringify(Properties.PlacementGroupName)).toContain('NetworkPlacementGroupFFCBDDA4');
    }
  });
});
