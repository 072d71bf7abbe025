import { Duration, Size, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import {
  Gfs2OperatingSystem,
  GridNetwork,
  HostRole,
  Io2BlockExpressGfs2,
  type Io2BlockExpressGfs2Props,
  type Io2GridOptions,
  SasGridCluster,
} from '../../../constructs';
import { testStack } from '../../helpers/app';

const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

function made(props: Partial<Io2BlockExpressGfs2Props> = {}) {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
  const fileSystem = new Io2BlockExpressGfs2(stack, 'Io2', {
    network,
    machineImage,
    operatingSystem: Gfs2OperatingSystem.RHEL_9,
    size: Size.tebibytes(10),
    nodeCount: 2,
    ...props,
  });
  return { stack, network, fileSystem };
}

const setting = ({ hosts }: Io2BlockExpressGfs2, key: string, role = HostRole.GRID_NODE) =>
  hosts.map(({ hostBundle }) => hostBundle.setting(role, key));

test('the hosts of a cluster become the nodes of a grid', () => {
  const { stack, fileSystem } = made();
  fileSystem.addGrid({ sasUid: 6000, additionalPorts: [8561] });
  expect(setting(fileSystem, 'HOST_NAME')).toEqual(['node1', 'node2']);
  expect(setting(fileSystem, 'HOSTS')[0]).toMatch(/^node1=172\.16\.4\.\d+,node2=172\.16\.4\.\d+$/);
  expect(setting(fileSystem, 'SAS_UID')).toEqual(['6000', '6000']);
  expect(setting(fileSystem, 'SAS_GID')).toEqual(['5000', '5000']);
  expect(setting(fileSystem, 'LSF_DIR')).toEqual(['/sasdata/lsf', '/sasdata/lsf']);
  expect(setting(fileSystem, 'SHARED_MOUNT')).toEqual(['/sasdata', '/sasdata']);
  const rules = Object.values(Template.fromStack(stack).findResources('AWS::EC2::SecurityGroupIngress'));
  expect(rules.map(({ Properties }) => Properties.FromPort)).toEqual(expect.arrayContaining([7869, 8561]));
});

test('one host is a server without LSF, with scratch where its type has disks', () => {
  const { fileSystem } = made({ nodeCount: 1, instanceType: new InstanceType('i4i.8xlarge') });
  fileSystem.addGrid();
  expect(setting(fileSystem, 'LSF_DIR')).toEqual([undefined]);
  expect(fileSystem.hosts[0]!.hostBundle.hasRole(HostRole.SCRATCH)).toBe(true);
});

describe('the health of the hosts', () => {
  const all = (stack: Stack, type: string) =>
    Object.values(Template.fromStack(stack).findResources(type)).map(({ Properties }) => Properties);

  test.each([
    ['a cluster', 2, 'cdk-sas-grid:cluster'],
    ['one host', 1, 'cdk-sas-grid:tier'],
  ])('of %s is asked by the tag that its instances have', (_name, nodeCount, key) => {
    const { stack, fileSystem } = made({ nodeCount });
    fileSystem.addGrid();
    const value = stack.resolve(fileSystem.clusterTag ?? fileSystem.tier!.tierTag);
    const asking = all(stack, 'AWS::Lambda::Function').filter(
      ({ Environment }) => Environment?.Variables.SERVER_FILTER !== undefined,
    );
    expect(
      asking.map(({ Environment: { Variables } }) => [Variables.SERVER_FILTER, Variables.SERVERS]),
    ).toEqual([[`tag:${key}`, value]]);
    const statements = all(stack, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    const whom = statements.filter(({ Sid }) => Sid === 'AskWhom');
    // The health probe of the one host's slot asks by the same tag.
    expect(whom).toHaveLength(nodeCount === 1 ? 2 : 1);
    for (const { Condition } of whom)
      expect(Condition).toEqual({ StringEquals: { [`ssm:resourceTag/${key}`]: value } });
  });

  test('has alarms, but for file servers that it does not have', () => {
    const { stack, fileSystem } = made();
    fileSystem.addGrid();
    const metrics = all(stack, 'AWS::CloudWatch::Alarm').map(({ MetricName }) => MetricName);
    expect(metrics).toEqual(expect.arrayContaining(['UnhealthyNodes', 'SilentNodes', 'ScratchUsedPercent']));
    expect(metrics).not.toContain('NodesCutOff');
  });

  test.each<[string, Io2GridOptions, string[]]>([
    ['is', {}, ['72']],
    ['is after a day', { cleanUpScratchAfter: Duration.days(1) }, ['24']],
    ['is not', { cleanUpScratchAfter: Duration.hours(0) }, []],
    ['has nothing that', { ephemeralScratch: false }, []],
  ])('%s cleaned up with %j', (_name, options, hours) => {
    const { stack, fileSystem } = made({ instanceType: new InstanceType('i4i.8xlarge') });
    fileSystem.addGrid(options);
    const found = all(stack, 'AWS::SSM::Document').map(({ Content }) =>
      /export HOURS=(\d+)/.exec(JSON.stringify(Content)),
    );
    expect(found.flatMap((each) => each?.[1] ?? [])).toEqual(hours);
  });
});

test.each<[Io2GridOptions, RegExp]>([
  [
    { cleanUpScratchAfter: Duration.minutes(90) },
    /cleanUpScratchAfter in hours is 1\.5; allowed: a whole number from 0 to 8760/,
  ],
  [{ sasUid: 7 }, /sasUid is 7; allowed: a whole number from 1000 to 60000\. .+/],
  [{ additionalPorts: [70_000] }, /additionalPorts is 70000; allowed: a whole number from 1 to 65535\. .+/],
  [
    { sasUID: 7 } as Io2GridOptions,
    /sasUID is 7; allowed: the properties of Io2GridOptions: .*Did you mean sasUid\?/,
  ],
])('%j is refused', (options, message) => {
  expect(() => made().fileSystem.addGrid(options)).toThrow(message);
});

test('a grid of other hosts on it is refused at once, with the way to do it', () => {
  const { stack, network, fileSystem: sharedFileSystem } = made();
  const props = { network, machineImage, sharedFileSystem, nodeCount: 2 };
  expect(() => new SasGridCluster(stack, 'Grid', props)).toThrow(
    /sharedFileSystem is the Io2BlockExpressGfs2 'Test\/Io2'; allowed: .*over the network\. .*call addGrid\(\)/,
  );
});
