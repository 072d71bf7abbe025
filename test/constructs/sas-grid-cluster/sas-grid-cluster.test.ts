import { Size, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { InstanceType, MachineImage, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  GridNetwork,
  HostRole,
  SasGridCluster,
  type SasGridClusterProps,
  ScratchFileSystem,
} from '../../../constructs';
import { testApp } from '../../helpers/app';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { gridStack, IMAGE, OtherFileSystem } from './stack';

describe('a grid of a control server and three nodes', () => {
  const { stack, grid } = gridStack({ additionalPorts: [8561] });
  const template = Template.fromStack(stack);
  const servers = Object.values(template.findResources('AWS::EC2::Instance')).filter(({ Properties }) =>
    JSON.stringify(Properties.UserData).includes('grid-node'),
  );
  const hosts = userDataTexts(template).filter((text) => text.includes('grid-node.env'));

  test('has four servers with the image that was named', () => {
    expect(servers).toHaveLength(4);
    expect(new Set(servers.map(({ Properties }) => Properties.ImageId))).toEqual(
      new Set(['ami-0fedcba9876543210']),
    );
    expect(grid.servers.map(({ hostName }) => hostName)).toEqual(['control', 'node1', 'node2', 'node3']);
  });

  test('protects each server against termination, and against ending by its own shutdown', () => {
    for (const { Properties } of servers) {
      expect(Properties).toMatchObject({
        DisableApiTermination: true,
        InstanceInitiatedShutdownBehavior: 'stop',
        MetadataOptions: { HttpTokens: 'required' },
        Monitoring: true,
      });
      expect(Properties.KeyName).toBeUndefined();
      expect(Properties.BlockDeviceMappings[0]).toMatchObject({
        DeviceName: '/dev/sda1',
        Ebs: { Encrypted: true, VolumeType: 'gp3', VolumeSize: 100 },
      });
    }
  });

  test("puts all servers into the network's placement group", () => {
    const [group] = Object.keys(template.findResources('AWS::EC2::PlacementGroup'));
    for (const { Properties } of servers) {
      expect(JSON.stringify(Properties.PlacementGroupName)).toContain(group);
    }
  });

  test('keeps name and address with a network interface, so that they outlive the instance', () => {
    const used = servers.map(({ Properties }) => Properties.NetworkInterfaces);
    for (const interfaces of used) {
      expect(interfaces).toEqual([{ DeviceIndex: '0', NetworkInterfaceId: { Ref: expect.any(String) } }]);
    }
    expect(new Set(used.map(([only]) => only.NetworkInterfaceId.Ref)).size).toBe(4);
  });

  test('never takes an address that a storage server needs', () => {
    const reserved = Object.keys(template.findResources('Custom::SasGridAddressReservation'));
    const interfaces = Object.values(template.findResources('AWS::EC2::NetworkInterface'));
    expect(reserved.length).toBeGreaterThan(0);
    for (const { DependsOn } of interfaces) expect(DependsOn).toEqual(expect.arrayContaining(reserved));
  });

  test('publishes every name in DNS and writes all of them into every hosts file', () => {
    template.hasResourceProperties('AWS::Route53::HostedZone', { Name: 'sas-grid.internal.' });
    const records = Object.values(template.findResources('AWS::Route53::RecordSet'));
    expect(records.map(({ Properties }) => Properties.Name).sort()).toEqual([
      'control.sas-grid.internal.',
      'node1.sas-grid.internal.',
      'node2.sas-grid.internal.',
      'node3.sas-grid.internal.',
    ]);
    expect(hosts).toHaveLength(4);
    const written = hosts.map((host) => settingsOf([host], HostRole.GRID_NODE));
    expect(written.map(({ HOST_NAME }) => HOST_NAME)).toEqual(['control', 'node1', 'node2', 'node3']);
    for (const { HOSTS, DOMAIN } of written) {
      expect([...HOSTS!.matchAll(/(?:^|,)(\w+)=/g)].map(([, name]) => name)).toEqual([
        'control',
        'node1',
        'node2',
        'node3',
      ]);
      expect(DOMAIN).toBe('sas-grid.internal');
    }
  });

  test('has LSF and SAS on the shared file system, and one account everywhere', () => {
    expect(settingsOf(hosts, HostRole.GRID_NODE)).toMatchObject({
      SHARED_MOUNT: '/sasdata',
      LSF_DIR: '/sasdata/lsf',
      SAS_DIR: '/sasdata/sas',
      SAS_UID: '5000',
      SAS_GID: '5000',
    });
  });

  test('mounts a file system that it knows nothing about, on every server', () => {
    for (const host of hosts) expect(settingsOf([host], HostRole.GRID_NODE).OTHER_MOUNT).toBe('/sasdata');
  });

  test('waits for the file system', () => {
    for (const { DependsOn } of servers)
      expect(DependsOn).toContainEqual(expect.stringMatching(/^OtherGroup/));
  });

  test('has scratch on every server', () => {
    for (const host of hosts) expect(settingsOf([host], HostRole.SCRATCH)).toHaveProperty('SASWORK_DISKS');
  });

  test("opens the grid's ports and those that were named, within the group only (paper 001)", () => {
    const rules = Object.values(template.findResources('AWS::EC2::SecurityGroupIngress'))
      .filter(({ Properties }) => Properties.Description === 'SAS grid')
      .map(({ Properties }) => {
        expect(Properties.SourceSecurityGroupId).toEqual(Properties.GroupId);
        expect(Properties.FromPort).toBe(Properties.ToPort);
        return `${Properties.FromPort}/${Properties.IpProtocol}`;
      });
    expect(rules.sort()).toEqual(
      [
        '6878/tcp',
        '6881/tcp',
        '6882/tcp',
        '6884/tcp',
        '7869/tcp',
        '7869/udp',
        '7870/tcp',
        '7871/tcp',
        '7872/tcp',
        '8561/tcp',
        '9090/tcp',
      ].sort(),
    );
  });

  test('starts no server before its agent may do anything', () => {
    for (const { DependsOn } of Object.values(template.findResources('AWS::EC2::Instance')))
      expect(DependsOn).toContainEqual(expect.stringMatching(/^GridRoleDefaultPolicy/));
  });

  test('lets a server do nothing in AWS but be reached by Session Manager', () => {
    const roles = template.findResources('AWS::IAM::Role', {
      Properties: { Description: 'Servers of a SAS grid: the Systems Manager agent only' },
    });
    const [[id, role]] = Object.entries(roles) as [[string, { Properties: Record<string, unknown> }]];
    expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
    expect(role.Properties).not.toHaveProperty('Policies');
    const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter(({ Properties }) =>
      JSON.stringify(Properties.Roles).includes(`"${id}"`),
    );
    const actions: string[] = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }: { Action: string[] }) => Action),
    );
    expect(actions).toContain('ssmmessages:OpenDataChannel');
    const others = actions.filter(
      (action) => !/^(ssm:UpdateInstanceInformation$|ssmmessages:|ec2messages:)/.test(action),
    );
    // To tell the stack that made it that it is up, and no other stack.
    expect(others).toEqual(['cloudformation:SignalResource']);
    const signals = policies.flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.filter(({ Sid }: { Sid?: string }) => Sid === 'TellInstalled'),
    );
    expect(signals.map(({ Resource }: { Resource: unknown }) => Resource)).toEqual([{ Ref: 'AWS::StackId' }]);
  });

  test('fails a deployment whose servers do not come up: each is waited for, and knows what to say to whom', () => {
    const servers = Object.entries(template.findResources('AWS::EC2::Instance'));
    expect(servers.length).toBeGreaterThan(1);
    for (const [id, { CreationPolicy, Properties }] of servers) {
      expect(CreationPolicy).toEqual({ ResourceSignal: { Count: 1, Timeout: 'PT1H' } });
      const text = JSON.stringify(Properties.UserData);
      expect(text).toContain(`SIGNAL_RESOURCE=${id}\\n`);
      expect(text).toContain('SIGNAL_STACK=","Ref":"AWS::StackId"'.replace(',"Ref"', ',{"Ref"'));
    }
  });

  test('raises an alarm for each server, and none for a server that is stopped', () => {
    const alarms = Object.values(
      template.findResources('AWS::CloudWatch::Alarm', { Properties: { MetricName: 'StatusCheckFailed' } }),
    );
    expect(alarms).toHaveLength(4);
    expect(alarms.every(({ Properties }) => Properties.TreatMissingData === 'notBreaching')).toBe(true);
  });

  test('says nothing about the image: it is named by its id', () => {
    Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('movingImage|follows a parameter'));
  });
});

describe('a grid with its own names, addresses and machines', () => {
  const { stack, grid } = gridStack({
    nodeCount: 2,
    controlName: 'gridctl',
    nodeNamePrefix: 'sasnode',
    domainName: 'sas.example.internal',
    addresses: ['172.16.4.20', '172.16.4.21', '172.16.4.22'],
    controlInstanceType: new InstanceType('m6in.4xlarge'),
    mountPoint: '/data',
    sasUid: 2001,
    sasGid: 2002,
    egoDns: true,
    terminationProtection: false,
    machineImage: MachineImage.latestAmazonLinux2023(),
    rootDeviceName: '/dev/xvda',
  });
  const template = Template.fromStack(stack);
  const hosts = userDataTexts(template).filter((text) => text.includes('grid-node.env'));

  test('knows its hosts at synthesis', () => {
    expect(grid.hosts).toEqual({ gridctl: '172.16.4.20', sasnode1: '172.16.4.21', sasnode2: '172.16.4.22' });
    expect(grid.control.fullName).toBe('gridctl.sas.example.internal');
    expect(settingsOf(hosts, HostRole.GRID_NODE)).toMatchObject({
      HOSTS: 'gridctl=172.16.4.20,sasnode1=172.16.4.21,sasnode2=172.16.4.22',
      LSF_DIR: '/data/lsf',
      SAS_UID: '2001',
      SAS_GID: '2002',
    });
  });

  test('has no scratch where the type has no instance store', () => {
    expect(grid.control.scratch).toBeUndefined();
    expect(grid.nodes.every(({ scratch }) => scratch !== undefined)).toBe(true);
  });

  test('opens the name service of EGO when asked', () => {
    for (const IpProtocol of ['tcp', 'udp']) {
      template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
        FromPort: 53,
        ToPort: 53,
        IpProtocol,
      });
    }
  });

  test('warns of an image that follows a parameter', () => {
    Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('follows a parameter'));
  });
});

test("the papers' machines get their disks mapped at launch, without which they would have none", () => {
  const { stack } = gridStack({ nodeInstanceType: new InstanceType('i2.8xlarge'), nodeCount: 1 });
  const template = Template.fromStack(stack);
  const [server] = Object.values(template.findResources('AWS::EC2::Instance'));
  expect(server!.Properties.BlockDeviceMappings.slice(1)).toEqual(
    Array.from({ length: 8 }, (_, index) => ({
      DeviceName: `/dev/sd${'bcdefghi'[index]}`,
      VirtualName: `ephemeral${index}`,
    })),
  );
  expect(settingsOf(userDataTexts(template), HostRole.SCRATCH)).toMatchObject({
    SASWORK_DISKS: '5',
    UTILLOC_DISKS: '3',
    CHUNK_KIB: '256',
    READ_AHEAD_KIB: '8192',
  });
});

test('scratch is used as asked', () => {
  const { stack } = gridStack({
    scratch: { fileSystem: ScratchFileSystem.EXT4, chunk: Size.kibibytes(512), readAhead: Size.mebibytes(4) },
    nodeCount: 1,
  });
  expect(settingsOf(userDataTexts(Template.fromStack(stack)), HostRole.SCRATCH)).toMatchObject({
    FILE_SYSTEM: 'ext4',
    CHUNK_KIB: '512',
    READ_AHEAD_KIB: '4096',
  });
});

test('a node that was planned for is added without touching the servers that run', () => {
  const serversOf = (nodeCount: number) =>
    gridTemplate({ nodeCount, plannedNodeCount: 5 }).findResources('AWS::EC2::Instance');
  const [before, after] = [serversOf(2), serversOf(3)];
  expect(Object.keys(after)).toHaveLength(4);
  expect(after).toMatchObject(before);
});

test('planned nodes have names and addresses, and no server', () => {
  const { stack, grid } = gridStack({ nodeCount: 1, plannedNodeCount: 3 });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::EC2::NetworkInterface', 4);
  template.resourceCountIs('AWS::Route53::RecordSet', 4);
  template.resourceCountIs('AWS::EC2::Instance', 2);
  expect(Object.keys(grid.hosts)).toEqual(['control', 'node1', 'node2', 'node3']);
  expect(grid.nodes.map(({ hostName }) => hostName)).toEqual(['node1']);
});

test('in a group of your own only the named ports are open between the servers', () => {
  const { stack, grid } = gridStack((scope, network) => ({
    securityGroup: new SecurityGroup(scope, 'Strict', { vpc: network.vpc, allowAllOutbound: false }),
  }));
  const template = Template.fromStack(stack);
  const [strict] = Object.keys(template.findResources('AWS::EC2::SecurityGroup')).filter((id) =>
    id.startsWith('Strict'),
  );
  const into = Object.values(template.findResources('AWS::EC2::SecurityGroupIngress')).filter(
    ({ Properties }) =>
      JSON.stringify(Properties.GroupId) === JSON.stringify({ 'Fn::GetAtt': [strict, 'GroupId'] }),
  );
  expect(into).toHaveLength(10);
  expect(into.every(({ Properties }) => Properties.Description === 'SAS grid')).toBe(true);
  for (const { Properties } of Object.values(template.findResources('AWS::EC2::NetworkInterface'))) {
    expect(Properties.GroupSet).toEqual([{ 'Fn::GetAtt': [strict, 'GroupId'] }]);
  }
  expect(grid.connections.securityGroups).toHaveLength(1);
});

test('an image per region is no moving image, in whichever region it is deployed', () => {
  const stack = new Stack(testApp(), 'AnyRegion');
  const network = new GridNetwork(stack, 'Network');
  const sharedFileSystem = new OtherFileSystem(stack, 'Other', network);
  new SasGridCluster(stack, 'Grid', { network, sharedFileSystem, machineImage: IMAGE, nodeCount: 1 });
  Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('follows a parameter'));
});

function gridTemplate(props: Partial<SasGridClusterProps>): Template {
  return Template.fromStack(gridStack(props).stack);
}

test('software that does not fit into user data comes from S3, to the servers that need it', () => {
  const { stack, grid } = gridStack({ nodeInstanceType: new InstanceType('i3en.12xlarge') });
  for (const role of [HostRole.GFS2_NODE, HostRole.LUSTRE_CLIENT, HostRole.NFS_CLIENT]) {
    grid.nodes[0]!.hostBundle.addRole(role, {});
  }
  const template = Template.fromStack(stack);
  const fetching = userDataTexts(template).filter((text) => text.includes('https://s3.'));
  expect(fetching).toHaveLength(1);
  expect(fetching[0]).toContain('HOST_NAME=node1');
  template.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: Match.arrayWith([Match.objectLike({ Sid: 'HostSoftware', Action: 's3:GetObject' })]),
    },
  });
});
