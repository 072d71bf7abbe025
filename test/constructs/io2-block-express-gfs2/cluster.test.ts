import { Duration, Size } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Gfs2Fencing, HostBundle, HostRole, MountTarget } from '../../../constructs';
import { testStack } from '../../helpers/app';
import { expectKeyForNotifications } from '../../helpers/topic-key';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { io2In, io2Stack, r5b } from './stack';

/** References with commas between them. */
const refs = (ids: string[]) => ids.flatMap((Ref, index) => (index === 0 ? [{ Ref }] : [',', { Ref }]));

/** All but those of the network's own function. */
const policiesOfHosts = (template: Template) =>
  Object.fromEntries(
    Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => !id.startsWith('Network')),
  );

describe('a cluster of three', () => {
  const { stack, fileSystem } = io2Stack({
    nodeCount: 3,
    instanceType: r5b('8xlarge'),
    clusterName: 'sasfs',
  });
  const template = Template.fromStack(stack);
  const texts = userDataTexts(template);
  const [settings] = [settingsOf(texts, HostRole.GFS2_NODE)];
  const volumes = template.findResources('AWS::EC2::Volume');
  const interfaces = template.findResources('AWS::EC2::NetworkInterface');
  const statements = Object.values(policiesOfHosts(template)).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  const statement = (sid: string) => statements.find(({ Sid }) => Sid === sid);
  const tag = {
    'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, Match.stringLikeRegexp('^/sasfs-[0-9a-f]{8}$')]],
  };

  test('shares Multi-Attach io2 volumes that are encrypted and kept', () => {
    expect(Object.values(volumes)).toHaveLength(2);
    for (const volume of Object.values(volumes)) {
      expect(volume).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          VolumeType: 'io2',
          MultiAttachEnabled: true,
          Encrypted: true,
          Size: 5120,
          Iops: 14_306,
        },
      });
    }
    expect(fileSystem.volumes).toEqual({ count: 2, sizeGiB: 5120, iops: 14_306 });
  });

  test('volumes and addresses are kept from going with a node: each minute, and before the nodes are deleted', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          CLUSTER_TAG: tag,
          VOLUMES: { 'Fn::Join': ['', refs(Object.keys(volumes))] },
          INTERFACES: { 'Fn::Join': ['', refs(Object.keys(interfaces))] },
        },
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
    const [before] = Object.values(template.findResources('Custom::SasGridKeptAttachments'));
    const groups = Object.keys(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
    expect(before!.DependsOn).toEqual(expect.arrayContaining(groups));
    // It looks until they have ended.
    const [minutely] = Object.keys(template.findResources('AWS::Events::Rule'));
    for (const { DependsOn } of Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup')))
      expect(DependsOn).toContain(minutely);
    expect(statement('KeepWhatNodesHave')).toMatchObject({
      Action: ['ec2:ModifyInstanceAttribute', 'ec2:ModifyNetworkInterfaceAttribute'],
      Condition: { StringEquals: { 'aws:ResourceTag/cdk-sas-grid:cluster': expect.anything() } },
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'AttachmentsNotKept',
      Dimensions: [{ Name: 'Tier', Value: tag }],
    });
  });

  test('has a group of one for each node, whose instances carry the tag of the cluster', () => {
    template.resourceCountIs('AWS::AutoScaling::AutoScalingGroup', 3);
    template.allResourcesProperties('AWS::AutoScaling::AutoScalingGroup', {
      MinSize: '1',
      MaxSize: '1',
      Tags: Match.arrayWith([
        Match.objectLike({ Key: 'cdk-sas-grid:cluster', PropagateAtLaunch: true, Value: tag }),
      ]),
    });
  });

  test('tells all nodes the same, with addresses that outlive the instances', () => {
    expect(texts).toHaveLength(3);
    const all = texts.map((text) => settingsOf([text], HostRole.GFS2_NODE));
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
    expect(settings).toMatchObject({
      CLUSTER: 'sasfs',
      MOUNT_POINT: '/sasdata',
      MAY_FORMAT: 'yes',
      STRIPE_KIB: '1024',
      SPARE_JOURNALS: '13',
      FENCE: 'ec2',
      REGION: 'us-east-1',
    });
    const addresses = Object.values(interfaces).map(({ Properties }) => Properties.PrivateIpAddress);
    expect(settings!.NODES).toBe(addresses.map((address, index) => `node${index + 1}=${address}`).join(','));
    expect(fileSystem.hosts.map(({ name, address }) => `${name}=${address}`).join(',')).toBe(settings!.NODES);
  });

  test('each node attaches the volumes and its own interface to itself', () => {
    const own = texts.map((text) => settingsOf([text], HostRole.SHARED_VOLUMES));
    const ids = Object.keys(interfaces).map((id) => `\${${JSON.stringify({ Ref: id })}}`);
    expect(own.map(({ INTERFACE }) => INTERFACE)).toEqual(ids);
    for (const each of own) expect(each.VOLUMES).toBe(settings!.VOLUMES);
    expect(settings!.VOLUMES!.match(/Ref/g)).toHaveLength(2);
  });

  test('may stop the instances of this cluster only', () => {
    expect(statement('Fence')).toMatchObject({
      Action: 'ec2:StopInstances',
      Condition: { StringEquals: { 'aws:ResourceTag/cdk-sas-grid:cluster': expect.anything() } },
    });
    const actions = statements.flatMap(({ Action }) => Action);
    for (const never of ['ec2:TerminateInstances', 'ec2:DetachVolume', 'ec2:StartInstances']) {
      expect(actions).not.toContain(never);
    }
  });

  test('may say of its own volumes that they were formatted, and tag nothing else', () => {
    expect(settings).toMatchObject({ MAY_FORMAT: 'yes', FORMATTED_TAG: 'cdk-sas-grid:formatted' });
    const tagging = statements.filter(({ Action }) => [Action].flat().includes('ec2:CreateTags'));
    expect(tagging).toEqual([
      {
        Sid: 'SayFormatted',
        Effect: 'Allow',
        Action: 'ec2:CreateTags',
        Resource: [expect.anything(), expect.anything()],
        Condition: {
          StringEquals: { 'aws:ResourceTag/cdk-sas-grid:cluster': expect.anything() },
          'ForAllValues:StringEquals': { 'aws:TagKeys': ['cdk-sas-grid:formatted'] },
        },
      },
    ]);
    expect(JSON.stringify(tagging[0]!.Resource).match(/:volume\//g)).toHaveLength(2);
  });

  test('may attach its own volumes and interfaces, by their ids, to its own instances', () => {
    const text = JSON.stringify([statement('AttachVolumes'), statement('AttachAddress')]);
    for (const id of [...Object.keys(volumes), ...Object.keys(interfaces)]) expect(text).toContain(`"${id}"`);
    expect(text).not.toMatch(/volume\/\*|network-interface\/\*/);
    for (const sid of ['AttachVolumes', 'AttachAddress']) {
      expect(statement(sid).Condition.StringEquals).toHaveProperty(['aws:ResourceTag/cdk-sas-grid:cluster']);
    }
  });

  test('members speak on corosync and the lock manager, with each other only', () => {
    const [own] = Object.entries(template.findResources('AWS::EC2::SecurityGroup')).filter(
      ([, { Properties }]) => Properties.GroupDescription.startsWith('Hosts of'),
    );
    const rules = Object.values(template.findResources('AWS::EC2::SecurityGroupIngress')).filter(
      ({ Properties }) => Properties.GroupId['Fn::GetAtt'][0] === own![0],
    );
    expect(
      rules.map(({ Properties: { IpProtocol, FromPort, ToPort } }) => [IpProtocol, FromPort, ToPort]),
    ).toEqual([
      ['udp', 5405, 5405],
      ['tcp', 21_064, 21_064],
    ]);
    for (const { Properties } of rules) expect(Properties.SourceSecurityGroupId).toEqual(Properties.GroupId);
    expect(own![1].Properties.SecurityGroupIngress).toBeUndefined();
  });

  test('authenticate with a secret of more than 128 bytes, which no user data holds', () => {
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { PasswordLength: 256 },
      KmsKeyId: Match.anyValue(),
    });
    const [secret] = Object.keys(template.findResources('AWS::SecretsManager::Secret'));
    expect(settings!.AUTHKEY_SECRET).toBe(`\${{"Ref":"${secret}"}}`);
  });

  test('the groups come after everything that their instances need', () => {
    for (const { DependsOn } of Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'))) {
      for (const id of [...Object.keys(volumes), ...Object.keys(interfaces)]) expect(DependsOn).toContain(id);
    }
  });

  test('the deployment waits until every node has told that the file system is mounted', () => {
    const [[id, condition]] = Object.entries(
      template.findResources('AWS::CloudFormation::WaitCondition'),
    ) as [[string, { CreationPolicy: unknown; DependsOn?: string[] }]];
    expect(condition.CreationPolicy).toEqual({ ResourceSignal: { Count: 3, Timeout: 'PT1H' } });
    // A signal that nobody waits for yet is refused, so it waits from the start.
    expect(JSON.stringify(condition.DependsOn ?? [])).not.toContain('Group');
    texts.forEach((text, index) => {
      expect(settingsOf([text], HostRole.SHARED_VOLUMES)).toMatchObject({
        NODE: `node${index + 1}`,
        SIGNAL_RESOURCE: id,
        SIGNAL_STACK: `\${{"Ref":"AWS::StackId"}}`,
      });
    });
    expect(statement('TellMounted')).toMatchObject({
      Action: 'cloudformation:SignalResource',
      Resource: { Ref: 'AWS::StackId' },
    });
  });

  describe('holds what must never change', () => {
    const held = template.findResources('Custom::SasGridFixedValues');
    const [shape] = Object.keys(held).filter((id) => id.includes('Shape'));
    const [identity] = Object.keys(held).filter((id) => id.includes('Identity'));
    const dependentsOf = (id: string) =>
      Object.values(template.toJSON().Resources as Record<string, { Type: string; DependsOn?: string[] }>)
        .filter(({ DependsOn }) => DependsOn?.includes(id))
        .map(({ Type }) => Type);

    test('before a volume or an interface is touched: what they are, and the name that rights rest on', () => {
      expect(held[shape!]!.Properties.Values).toEqual({
        clusterName: 'sasfs',
        stripe: '1024 KiB',
        zone: expect.anything(),
        encryptionKey: expect.anything(),
        volumes: '2 of 5120 GiB, 14306 IOPS',
      });
      expect(dependentsOf(shape!).sort()).toEqual([
        ...Array(3).fill('AWS::EC2::NetworkInterface'),
        ...Array(2).fill('AWS::EC2::Volume'),
      ]);
    });

    test('before an instance could see other volumes or addresses: which they are', () => {
      const { volumeIds, addresses } = held[identity!]!.Properties.Values;
      const [first, second] = Object.keys(volumes);
      expect(volumeIds).toEqual({ 'Fn::Join': ['', [{ Ref: first }, ', ', { Ref: second }]] });
      expect(addresses).toHaveLength(3);
      expect(dependentsOf(identity!)).toEqual(Array(3).fill('AWS::AutoScaling::AutoScalingGroup'));
    });
  });

  test('no deployment terminates nodes', () => {
    for (const group of Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'))) {
      expect(Object.keys(group.UpdatePolicy)).toEqual(['AutoScalingScheduledAction']);
    }
  });
});

test('a node that is also a grid node with scratch gets its software from S3', () => {
  const { stack, fileSystem } = io2Stack({ nodeCount: 2 });
  for (const { name, hostBundle } of fileSystem.hosts) {
    hostBundle.addRole(HostRole.GRID_NODE, { HOST_NAME: name });
    hostBundle.addRole(HostRole.SCRATCH, { SASWORK_DISKS: '2' });
  }
  const texts = userDataTexts(Template.fromStack(stack));
  expect(texts.map((text) => settingsOf([text], HostRole.GRID_NODE).HOST_NAME)).toEqual(['node1', 'node2']);
  for (const text of texts) expect(text).toContain("<<'FETCH'");
});

test('a deployment that shall not wait gives no right to tell it', () => {
  const { stack } = io2Stack({ nodeCount: 2, mountTimeout: Duration.seconds(0) });
  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::CloudFormation::WaitCondition', 0);
  expect(JSON.stringify(template.toJSON())).not.toMatch(/SignalResource|SIGNAL_/);
});

test('fencing by NVMe reservations besides is a choice', () => {
  const { fileSystem } = io2Stack({ nodeCount: 2, fencing: Gfs2Fencing.EC2_AND_NVME });
  expect(fileSystem.hosts[1]!.hostBundle.setting(HostRole.GFS2_NODE, 'FENCE')).toBe('ec2+nvme');
});

test('volumes that exist are used and never formatted', () => {
  const existingVolumes = ['vol-0123456789abcdef0', 'vol-0123456789abcdef1'];
  const { stack, fileSystem } = io2Stack({ nodeCount: 2, existingVolumes });
  const settings = settingsOf(userDataTexts(Template.fromStack(stack)), HostRole.GFS2_NODE);
  expect(settings).toMatchObject({ VOLUMES: existingVolumes.join(','), MAY_FORMAT: 'no' });
  expect(settings).not.toHaveProperty('FORMATTED_TAG');
  expect(JSON.stringify(policiesOfHosts(Template.fromStack(stack)))).not.toContain('CreateTags');
  expect(fileSystem.volumeIds).toEqual(existingVolumes);
  Template.fromStack(stack).resourceCountIs('AWS::EC2::Volume', 0);
});

describe('volumes that are made of a set of snapshots', () => {
  const snapshots = ['snap-0123456789abcdef0', 'snap-0123456789abcdef1'];
  const restoreFrom = { set: '20261128T010203Z', snapshots };
  const { stack } = io2Stack({ nodeCount: 2, restoreFrom });
  const template = Template.fromStack(stack);

  test('are shared ones, in their order, and stay', () => {
    const volumes = Object.values(template.findResources('AWS::EC2::Volume'));
    expect(volumes.map(({ Properties }) => [Properties.SnapshotId, Properties.MultiAttachEnabled])).toEqual(
      snapshots.map((id) => [id, true]),
    );
    for (const { DeletionPolicy } of volumes) expect(DeletionPolicy).toBe('Retain');
  });

  test('are never formatted', () => {
    const settings = settingsOf(userDataTexts(template), HostRole.GFS2_NODE);
    expect(settings).toMatchObject({ CLUSTER: 'sasgfs2', MAY_FORMAT: 'no' });
    expect(settings).not.toHaveProperty('FORMATTED_TAG');
    expect(JSON.stringify(policiesOfHosts(template))).not.toContain('CreateTags');
  });

  test('are held against their set before there is a node, and the set never changes', () => {
    const [[check, { Properties }]] = Object.entries(template.findResources('Custom::SasGridWholeSet')) as [
      [string, { Properties: object }],
    ];
    expect(Properties).toMatchObject({ BackupSet: restoreFrom.set, Tier: 'gfs2', Slot: 'gfs2-00' });
    const groups = Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
    expect(groups).toHaveLength(2);
    for (const { DependsOn } of groups) expect(DependsOn).toContain(check);
    template.hasResourceProperties('Custom::SasGridFixedValues', {
      Values: Match.objectLike({ restoredFrom: restoreFrom.set }),
    });
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).toContain('ec2:DescribeSnapshots');
  });
});

test('volumes that exist are looked at before there is a node', () => {
  const { stack } = io2Stack({
    nodeCount: 2,
    existingVolumes: ['vol-0123456789abcdef0', 'vol-0123456789abcdef1'],
  });
  const template = Template.fromStack(stack);
  const [check] = Object.keys(template.findResources('Custom::SasGridOneMoment'));
  const groups = Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
  expect(groups).toHaveLength(2);
  for (const { DependsOn } of groups) expect(DependsOn).toContain(check);
  const rights = JSON.stringify(template.findResources('AWS::IAM::Policy'));
  expect(rights).toContain('ec2:DescribeSnapshots');
});

test('volumes that exist are held by their ids, not by what they are', () => {
  const existingVolumes = ['vol-0123456789abcdef0', 'vol-0123456789abcdef1'];
  const { stack } = io2Stack({
    nodeCount: 2,
    existingVolumes,
    instanceType: r5b('8xlarge'),
    throughputMBps: 2500,
  });
  const held = Template.fromStack(stack).findResources('Custom::SasGridFixedValues');
  const values = Object.values(held).map(({ Properties }) => Properties.Values);
  expect(values).toContainEqual({ clusterName: 'sasgfs2', stripe: '1024 KiB' });
  expect(values).toContainEqual({
    volumeIds: 'vol-0123456789abcdef0, vol-0123456789abcdef1',
    addresses: expect.anything(),
  });
});

describe('what CloudFormation cannot change on shared volumes', () => {
  const deployedVolumes = io2Stack({ nodeCount: 2, size: Size.tebibytes(20) }).fileSystem.volumes;
  const change = (props: object) => () =>
    io2Stack({ nodeCount: 2, size: Size.tebibytes(20), deployedVolumes, ...props });

  test('passes when nothing of it changes', () => {
    expect(change({})).not.toThrow();
    expect(change({ nodeCount: 3, throughputMBps: 7500 })).not.toThrow();
    expect(change({ instanceType: r5b('24xlarge'), throughputMBps: 7500 })).not.toThrow();
  });

  test.each([
    ['size', { size: Size.tebibytes(30) }],
    ['IOPS', { iopsAdjustment: 5 }],
    ['the type', { instanceType: r5b('4xlarge') }],
    ['the number of hosts', { nodeCount: 3 }],
  ])('fails at synthesis when %s would change it, with the way around', (_, props) => {
    expect(change(props)).toThrow(
      /volumes is '\d x .*'; allowed: .* deployed, 2 x 10240 GiB with 14306 IOPS: .*existingVolumes.*modify-volume/,
    );
  });

  test('passes for volumes that are no longer part of the stack', () => {
    expect(
      change({ size: Size.tebibytes(30), existingVolumes: ['vol-01234567', 'vol-01234568'] }),
    ).not.toThrow();
  });
});

test('a member is accepted by mountOn, any other host is refused with what to do', () => {
  const { network, fileSystem } = io2Stack({ nodeCount: 2 });
  for (const host of fileSystem.hosts) fileSystem.mountOn(host, { mountPoint: '/sasdata' });
  const other = new MountTarget({ host: network.gridSecurityGroup, hostBundle: new HostBundle() });
  expect(() => fileSystem.mountOn(other, { mountPoint: '/sasdata' })).toThrow(
    /allowed: one of hosts: node1, node2\. Add .*nodeCount, up to 16/,
  );
});

test('the key of an encrypted alarm topic lets the groups of the nodes tell', () => {
  const stack = testStack();
  const masterKey = new Key(stack, 'TopicKey');
  const alarmTopic = new Topic(stack, 'Alarms', { masterKey });
  io2In(stack, { nodeCount: 2, alarmTopic });
  const template = Template.fromStack(stack);
  template.allResourcesProperties('AWS::AutoScaling::AutoScalingGroup', {
    NotificationConfigurations: [Match.objectLike({ TopicARN: stack.resolve(alarmTopic.topicArn) })],
  });
  expectKeyForNotifications(template);
});
