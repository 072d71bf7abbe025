import { Duration, Fn } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as sns from 'aws-cdk-lib/aws-sns';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

const stack = testStack();
const topic = new sns.Topic(stack, 'Alarms');
tierIn(stack, { alarmTopic: topic, recoveryTimeout: Duration.hours(2) });
const template = Template.fromStack(stack);

const TIER_TAG = { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, '/Oss']] };
const GROUP_NAME = {
  'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, Match.stringLikeRegexp('^-oss-[0-9a-f]{8}$')]],
};

/** Logical ids of what a resource waits for, directly or not. */
function awaited(id: string): Set<string> {
  const resources = template.toJSON().Resources as Record<string, object>;
  const found = new Set<string>();
  const visit = (next: string): void => {
    const text = JSON.stringify(resources[next]);
    const depends = (resources[next] as { DependsOn?: string[] }).DependsOn ?? [];
    const named = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map((match) => match[1]!);
    for (const other of [...depends, ...named]) {
      if (!resources[other] || found.has(other)) continue;
      found.add(other);
      visit(other);
    }
  };
  visit(id);
  return found;
}

const idsOf = (type: string): string[] => Object.keys(template.findResources(type));

describe('volumes and interfaces', () => {
  test('outlive the stack, encrypted, and carry the tag that permissions rest on', () => {
    template.resourceCountIs('AWS::EC2::Volume', 4);
    template.allResources('AWS::EC2::Volume', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        Encrypted: true,
        KmsKeyId: Match.anyValue(),
        AvailabilityZone: 'us-east-1a',
        Tags: Match.arrayWith([{ Key: 'cdk-sas-grid:tier', Value: TIER_TAG }]),
      },
    });
    template.hasResourceProperties('AWS::EC2::Volume', { VolumeType: 'io2', Size: 100, Iops: 80000 });
  });

  test('say which slot they belong to and where in it, so that kept ones can be found in serving order', () => {
    const volumes = Object.entries(template.findResources('AWS::EC2::Volume')).map(([id, { Properties }]) => {
      const tagOf = (key: string) =>
        Properties.Tags.find((tag: { Key: string }) => tag.Key === `cdk-sas-grid:${key}`)?.Value;
      return [/oss\d\dVolume\d/.exec(id)?.[0], tagOf('slot'), tagOf('position')];
    });
    expect(volumes).toEqual([
      ['oss00Volume0', 'oss-00', '0'],
      ['oss00Volume1', 'oss-00', '1'],
      ['oss01Volume0', 'oss-01', '0'],
      ['oss01Volume1', 'oss-01', '1'],
    ]);
  });

  test('have a fixed address per slot', () => {
    for (const [slot, address] of [
      ['oss-00', '172.16.4.20'],
      ['oss-01', '172.16.4.21'],
    ]) {
      template.hasResourceProperties('AWS::EC2::NetworkInterface', {
        PrivateIpAddress: address,
        Tags: Match.arrayWith([{ Key: 'cdk-sas-grid:slot', Value: slot }]),
      });
    }
  });
});

describe('the servers', () => {
  test('are as many as slots, and their hooks are part of the group', () => {
    template.hasResourceProperties('AWS::AutoScaling::AutoScalingGroup', {
      AutoScalingGroupName: GROUP_NAME,
      MinSize: '2',
      MaxSize: '2',
      VPCZoneIdentifier: ['subnet-0123456789abcdef0'],
      LifecycleHookSpecificationList: [
        {
          LifecycleHookName: 'serve-slot',
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
          DefaultResult: 'ABANDON',
          HeartbeatTimeout: 900,
        },
        {
          LifecycleHookName: 'let-go',
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
          DefaultResult: 'CONTINUE',
          HeartbeatTimeout: 900,
        },
      ],
      Tags: Match.arrayWith([{ Key: 'cdk-sas-grid:tier', PropagateAtLaunch: true, Value: TIER_TAG }]),
    });
    template.resourceCountIs('AWS::AutoScaling::LifecycleHook', 0);
  });

  test('are never terminated by a deployment', () => {
    const [group] = Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
    expect(Object.keys(group!.UpdatePolicy ?? {})).toEqual(['AutoScalingScheduledAction']);
  });

  test('have IMDSv2 only, an encrypted root disk and no public address', () => {
    template.hasResourceProperties('AWS::EC2::LaunchTemplate', {
      LaunchTemplateData: {
        MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
        Monitoring: { Enabled: true },
        NetworkInterfaces: [Match.objectLike({ AssociatePublicIpAddress: false })],
        BlockDeviceMappings: [
          {
            DeviceName: '/dev/xvda',
            Ebs: Match.objectLike({ Encrypted: true, VolumeSize: 30, KmsKeyId: Match.anyValue() }),
          },
        ],
      },
    });
  });

  test('leave the tag of the tier off their root disks, which the reconciler may not touch', () => {
    const [launchTemplate] = Object.values(template.findResources('AWS::EC2::LaunchTemplate'));
    expect(JSON.stringify(launchTemplate)).not.toContain('cdk-sas-grid:tier');
  });
});

describe('permissions of the reconciler', () => {
  const [policy] = Object.values(
    template.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Sid: 'Attach' })]) },
      },
    }),
  );
  const statements = policy!.Properties.PolicyDocument.Statement as Record<string, unknown>[];
  const statement = (sid: string) => statements.find((each) => each.Sid === sid)!;
  const arn = (rest: string) => ({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, rest]] });
  const [document] = idsOf('AWS::SSM::Document');
  const arnOfDocument = {
    'Fn::Join': [
      '',
      ['arn:', { Ref: 'AWS::Partition' }, ':ssm:us-east-1:111122223333:document/', { Ref: document }],
    ],
  };

  test('to change EC2 are limited to the tier by tag', () => {
    const ofTier = { StringEquals: { 'aws:ResourceTag/cdk-sas-grid:tier': TIER_TAG } };
    const [volume, networkInterface, instance] = ['volume', 'network-interface', 'instance'].map((kind) =>
      arn(`:ec2:us-east-1:111122223333:${kind}/*`),
    );
    expect(statement('Attach')).toMatchObject({
      Action: ['ec2:AttachVolume', 'ec2:AttachNetworkInterface'],
      Resource: [volume, networkInterface, instance],
      Condition: ofTier,
    });
    expect(statement('Detach')).toMatchObject({
      Action: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      Resource: [volume, networkInterface],
      Condition: ofTier,
    });
    // Both halves of a change: the instance, and the volume or interface that is to outlive it. No security group is
    // among them.
    expect(statement('KeepWhatServersHave')).toMatchObject({
      Action: ['ec2:CreateSnapshot', 'ec2:ModifyInstanceAttribute', 'ec2:ModifyNetworkInterfaceAttribute'],
      Resource: [volume, networkInterface, instance],
      Condition: ofTier,
    });
    expect(statement('MarkFormatted')).toMatchObject({
      Action: 'ec2:CreateTags',
      Condition: { ...ofTier, 'ForAllValues:StringEquals': { 'aws:TagKeys': ['cdk-sas-grid:formatted'] } },
    });
    // A name says nothing to any condition: servers are known by the tag of the tier.
    expect(statement('NameServers')).toMatchObject({
      Action: 'ec2:CreateTags',
      Resource: instance,
      Condition: { ...ofTier, 'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name'] } },
    });
  });

  test('to make snapshots reach volumes of the tier, and what they make has its tags from the start', () => {
    const snapshots = statement('MakeSnapshots');
    expect(JSON.stringify(snapshots.Resource)).toContain(':ec2:us-east-1::snapshot/*');
    const ofNewTier = { 'aws:RequestTag/cdk-sas-grid:tier': TIER_TAG };
    expect(snapshots).toMatchObject({
      Action: 'ec2:CreateSnapshot',
      Condition: { StringEquals: ofNewTier },
    });
    expect(statement('MarkSnapshots')).toMatchObject({
      Action: 'ec2:CreateTags',
      Resource: snapshots.Resource,
      Condition: { StringEquals: { ...ofNewTier, 'ec2:CreateAction': 'CreateSnapshot' } },
    });
    expect(JSON.stringify(template)).not.toContain('DeleteSnapshot');
  });

  test('to detach reach an instance that has died and lost its tags, and none of another tier', () => {
    expect(statement('DetachFromTheDead')).toMatchObject({
      Action: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      Resource: arn(':ec2:us-east-1:111122223333:instance/*'),
      Condition: { StringEqualsIfExists: { 'aws:ResourceTag/cdk-sas-grid:tier': TIER_TAG } },
    });
  });

  test('to tell a host name the document, and the instances by the key that Systems Manager documents', () => {
    expect(statement('TellWhat')).toMatchObject({
      Action: 'ssm:SendCommand',
      Resource: arnOfDocument,
    });
    expect(statement('TellWhat')).not.toHaveProperty('Condition');
    expect(statement('TellWhom')).toEqual({
      Sid: 'TellWhom',
      Effect: 'Allow',
      Action: 'ssm:SendCommand',
      Resource: arn(':ec2:us-east-1:111122223333:instance/*'),
      Condition: { StringEquals: { 'ssm:resourceTag/cdk-sas-grid:tier': TIER_TAG } },
    });
  });

  test('on the map are limited to the items of the tier and its history', () => {
    expect(statement('OwnItems')).toMatchObject({
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['oss', 'oss#recoveries'] } },
    });
  });

  test('on the key hold for EBS and for the map only, in China as well', () => {
    const via = (service: string) => ({
      StringLike: { 'kms:ViaService': `${service}.us-east-1.amazonaws.com*` },
    });
    expect(statement('UseTheKeyForEbs').Condition).toEqual(via('ec2'));
    expect(statement('UseTheKeyForTheMap').Condition).toEqual(via('dynamodb'));
    expect(statement('LetEbsUseTheKey').Condition).toEqual({
      Bool: { 'kms:GrantIsForAWSResource': 'true' },
      ...via('ec2'),
    });
  });

  test('on all resources are those to look, and no others', () => {
    const everywhere = statements.filter((each) => each.Resource === '*');
    expect(everywhere.map((each) => each.Sid)).toEqual(['Look']);
    expect(JSON.stringify(everywhere[0]!.Action)).not.toMatch(/Attach|Detach|Create|Delete|Send|Complete/);
  });

  test('never include terminating, deleting or untagging', () => {
    expect(JSON.stringify(statements)).not.toMatch(
      /Terminate|DeleteVolume|DeleteTags|DeleteNetworkInterface/,
    );
  });
});

describe('order', () => {
  const [group] = idsOf('AWS::AutoScaling::AutoScalingGroup');
  const [map] = idsOf('Custom::SasGridVolumeMap');
  const [served] = idsOf('Custom::SasGridTierServed');

  test('whatever answers the hooks is there before the first server, and so goes after the last', () => {
    const before = awaited(group!);
    // What only watches comes after.
    const watches = (id: string) => id.startsWith('OssHealthProbe') || id.startsWith('CdkSasGridFirstData');
    for (const type of [
      'AWS::Events::Rule',
      'AWS::StepFunctions::StateMachine',
      'AWS::Lambda::Function',
      'AWS::SSM::Document',
    ]) {
      for (const id of idsOf(type)) if (!watches(id)) expect([...before]).toContain(id);
    }
    for (const policy of idsOf('AWS::IAM::Policy'))
      if (!watches(policy)) expect([...before]).toContain(policy);
  });

  test('nobody asks whether servers serve before they do', () => {
    const probes = idsOf('AWS::Events::Rule').filter((id) => id.startsWith('OssHealthProbe'));
    expect(probes).toHaveLength(1);
    expect([...awaited(probes[0]!)]).toContain(served);
  });

  test('the map has its rows before the group has servers that need them', () => {
    expect([...awaited(group!)]).toContain(map);
    expect([...awaited(map!)]).not.toContain(group);
  });

  test('servers start when their role has its permissions, or their agents would back off', () => {
    const policies = idsOf('AWS::IAM::Policy').filter((id) => /ServersRoleDefaultPolicy/.test(id));
    expect(policies).toHaveLength(1);
    const { DependsOn } = template.findResources('AWS::AutoScaling::AutoScalingGroup')[group!]!;
    expect(DependsOn).toEqual(expect.arrayContaining(policies));
  });

  test('interfaces and volumes go only after the servers that hold them', () => {
    const before = awaited(group!);
    for (const type of ['AWS::EC2::NetworkInterface', 'AWS::EC2::Volume']) {
      for (const id of idsOf(type)) expect([...before]).toContain(id);
    }
  });

  test('the tier is waited for after the group has its servers', () => {
    expect([...awaited(served!)]).toContain(group);
    expect([...awaited(group!)]).not.toContain(served);
  });
});

describe('the custom resource', () => {
  test('hands every slot over with its volumes in serving order', () => {
    template.hasResourceProperties('Custom::SasGridVolumeMap', {
      Tier: 'oss',
      Slots: [
        Match.objectLike({
          slot: 'oss-00',
          address: '172.16.4.20',
          adopted: false,
          volumes: [
            { volumeId: { Ref: Match.stringLikeRegexp('oss00Volume0') }, device: '/dev/sdf' },
            { volumeId: { Ref: Match.stringLikeRegexp('oss00Volume1') }, device: '/dev/sdg' },
          ],
        }),
        Match.objectLike({ slot: 'oss-01' }),
      ],
    });
  });
});

describe('how long CloudFormation waits', () => {
  const timesOf = (type: string, of = template) => {
    const [resource] = Object.values(of.findResources(type));
    const { ServiceTimeout, TimeoutSeconds } = resource!.Properties;
    return { waits: Number(ServiceTimeout), deadline: Number(TimeoutSeconds) };
  };
  // What the workflow needs after its deadline, at worst: the pass with its retries of 90 seconds each, pauses and the
  // answer.
  const LAST_PASS = 3 * 90 + 30;

  test('is longer than the workflow looks, so that the answer comes first, and an hour at most', () => {
    const { waits, deadline } = timesOf('Custom::SasGridTierServed');
    expect(deadline).toBe(3000);
    expect(waits).toBeGreaterThanOrEqual(deadline + LAST_PASS);
    expect(waits).toBeLessThanOrEqual(3600);
  });

  test('follows a shorter time-out of the tier', () => {
    const hasty = testStack();
    tierIn(hasty, { recoveryTimeout: Duration.minutes(10) });
    const times = timesOf('Custom::SasGridTierServed', Template.fromStack(hasty));
    expect(times).toEqual({ waits: 18 * 60, deadline: 600 });
  });

  test('is minutes for the rows, which are written in seconds', () => {
    expect(timesOf('Custom::SasGridVolumeMap').waits).toBe(300);
  });
});

describe('the volume map', () => {
  test('is kept, encrypted, recoverable and protected', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: Match.objectLike({ SSEEnabled: true, SSEType: 'KMS' }),
      },
    });
    template.hasResource('AWS::KMS::Key', { DeletionPolicy: 'Retain' });
  });
});

test('existing volumes are served instead of new ones, and never formatted', () => {
  const adopting = testStack();
  const existingVolumes = ['vol-00000000', 'vol-00000001', 'vol-00000002', 'vol-00000003'];
  tierIn(adopting, { existingVolumes });
  const adopted = Template.fromStack(adopting);
  adopted.resourceCountIs('AWS::EC2::Volume', 0);
  adopted.hasResourceProperties('Custom::SasGridVolumeMap', {
    Slots: Match.arrayWith([
      Match.objectLike({
        slot: 'oss-01',
        adopted: true,
        volumes: [Match.objectLike({ volumeId: 'vol-00000002' }), Match.anyValue()],
      }),
    ]),
  });
});

test('kept volumes may be those of the first slots: the others get new ones', () => {
  const growing = testStack();
  tierIn(growing, { existingVolumes: ['vol-00000000', 'vol-00000001'] });
  const grown = Template.fromStack(growing);
  grown.resourceCountIs('AWS::EC2::Volume', 2);
  grown.hasResourceProperties('Custom::SasGridVolumeMap', {
    Slots: [
      Match.objectLike({
        slot: 'oss-00',
        adopted: true,
        volumes: [
          Match.objectLike({ volumeId: 'vol-00000000' }),
          Match.objectLike({ volumeId: 'vol-00000001' }),
        ],
      }),
      Match.objectLike({
        slot: 'oss-01',
        adopted: false,
        volumes: [
          Match.objectLike({ volumeId: { Ref: Match.stringLikeRegexp('oss01Volume0') } }),
          Match.objectLike({ volumeId: { Ref: Match.stringLikeRegexp('oss01Volume1') } }),
        ],
      }),
    ],
  });
});

test('volumes agree with a subnet whose zone is not named, and say the zone where it is', () => {
  const zonesFor = (availabilityZone: string) => {
    const own = testStack();
    const subnet = new ec2.PrivateSubnet(own, 'OwnSubnet', {
      vpcId: 'vpc-0123456789abcdef0',
      cidrBlock: '172.16.4.0/24',
      availabilityZone,
    });
    tierIn(own, { subnet });
    return Object.values(Template.fromStack(own).findResources('AWS::EC2::Volume')).map(
      ({ Properties }) => Properties.AvailabilityZone,
    );
  };
  const asked = { 'Fn::GetAtt': [expect.stringMatching(/^OwnSubnet/), 'AvailabilityZone'] };
  expect(zonesFor(Fn.select(0, Fn.getAzs()))).toEqual(Array(4).fill(asked));
  expect(zonesFor('us-east-1b')).toEqual(Array(4).fill('us-east-1b'));
});

test('a larger tier only adds resources', () => {
  const ids = (slotCount: number): string[] => {
    const grown = testStack();
    tierIn(grown, { slotCount, addresses: undefined });
    return Object.keys(Template.fromStack(grown).toJSON().Resources);
  };
  expect(ids(3)).toEqual(expect.arrayContaining(ids(2)));
});
