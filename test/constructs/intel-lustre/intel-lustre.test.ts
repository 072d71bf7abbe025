import { Match, Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { HostBundle, HostRole, LustreBackend, LustrePreset, LustreSoftware } from '../../../constructs';
import { MountTarget } from '../../../constructs/shared-file-system';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { lustreStack } from './stack';

describe('the current preset', () => {
  const { stack, network, lustre } = lustreStack();
  const clientGroup = new SecurityGroup(stack, 'ClientGroup', { vpc: network.vpc, allowAllOutbound: false });
  const bundle = new HostBundle();
  lustre.mountOn(new MountTarget({ host: clientGroup, hostBundle: bundle }), { mountPoint: '/sasdata' });
  const template = Template.fromStack(stack);
  const hosts = userDataTexts(template);

  test('has one management, one metadata and three object storage servers, in groups of a fixed size', () => {
    const groups = Object.values(template.findResources('AWS::AutoScaling::AutoScalingGroup'));
    const sizes = groups.map(({ Properties }) => [Properties.MinSize, Properties.MaxSize]);
    expect(sizes.sort()).toEqual([
      ['1', '1'],
      ['1', '1'],
      ['3', '3'],
    ]);
  });

  test('has eight gp3 volumes of 750 GiB and 375 MiB/s for each object storage server', () => {
    const data = template.findResources('AWS::EC2::Volume', {
      Properties: { VolumeType: 'gp3', Size: 750, Throughput: 375, Iops: 3000 },
    });
    expect(Object.keys(data)).toHaveLength(24);
    template.resourceCountIs('AWS::EC2::Volume', 26);
  });

  test('keeps every volume when the stack goes, and encrypts all with one key', () => {
    const volumes = Object.values(template.findResources('AWS::EC2::Volume'));
    expect(volumes.every(({ DeletionPolicy }) => DeletionPolicy === 'Retain')).toBe(true);
    expect(volumes.every(({ Properties }) => Properties.Encrypted === true)).toBe(true);
    expect(new Set(volumes.map(({ Properties }) => JSON.stringify(Properties.KmsKeyId))).size).toBe(1);
  });

  test('gives every server a fixed address of its own', () => {
    const interfaces = Object.values(template.findResources('AWS::EC2::NetworkInterface'));
    const addresses = interfaces.map(({ Properties }) => Properties.PrivateIpAddress);
    expect(new Set(addresses).size).toBe(5);
    expect(lustre.mgsNid).toBe(`${lustre.mgs.slots[0]!.address}@tcp`);
    expect(addresses).toContain(lustre.mgs.slots[0]!.address);
  });

  test('tells every server where the management server is, and what it is itself', () => {
    const oss = settingsOf(hosts, HostRole.LUSTRE_OSS);
    expect(oss).toMatchObject({
      FSNAME: 'sasdata',
      MGS_NID: lustre.mgsNid,
      SERVICE: 'oss',
      BACKEND: 'ldiskfs',
      VOLUMES_PER_SLOT: '8',
      LUSTRE_SOFTWARE: 'preinstalled',
    });
    expect(settingsOf(hosts, HostRole.LUSTRE_MDS)).toMatchObject({ SERVICE: 'mds', MGS_NID: lustre.mgsNid });
    expect(settingsOf(hosts, HostRole.LUSTRE_MGS)).toMatchObject({
      SERVICE: 'mgs',
      MONITORING: 'true',
      MONITORING_PORT: '80',
      STRIPE_COUNT: '-1',
      STRIPE_SIZE_BYTES: '1048576',
    });
  });

  test("caps what the servers' caches hold, with both caches on (papers 000 and 001)", () => {
    expect(settingsOf(hosts, HostRole.LUSTRE_OSS).TUNABLES).toBe(
      'osd-ldiskfs.*.read_cache_enable=1 osd-ldiskfs.*.writethrough_cache_enable=1 ' +
        'osd-ldiskfs.*.readcache_max_filesize=2M',
    );
  });

  test('mounts with flock and sets requests in flight before dirty data', () => {
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'MOUNT_POINT')).toBe('/sasdata');
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'MOUNT_OPTIONS')).toBe('flock');
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'TUNABLES')).toBe(
      'osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256',
    );
    expect(lustre.mountCommand('/sasdata')).toBe(
      `mount -t lustre -o flock ${lustre.mgsNid}:/sasdata /sasdata`,
    );
  });

  test("opens Lustre's ports between a client and the servers, both ways and no others", () => {
    const [client] = Object.keys(template.findResources('AWS::EC2::SecurityGroup')).filter((id) =>
      id.startsWith('ClientGroup'),
    );
    const isClient = { 'Fn::GetAtt': [client, 'GroupId'] };
    const rules = Object.values(template.findResources('AWS::EC2::SecurityGroupIngress'));
    const ports = (key: string) =>
      rules
        .filter(({ Properties }) => JSON.stringify(Properties[key]) === JSON.stringify(isClient))
        .map(({ Properties }) => `${Properties.IpProtocol} ${Properties.FromPort}-${Properties.ToPort}`)
        .sort();
    expect(ports('GroupId')).toEqual(['tcp 1018-1023', 'tcp 988-988']);
    expect(ports('SourceSecurityGroupId')).toEqual(['tcp 1018-1023', 'tcp 988-988']);
  });

  test('lets nobody reach the monitoring page until a range is named', () => {
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', {
      Type: 'network',
      Scheme: 'internal',
      Subnets: [Match.anyValue()],
      SecurityGroups: [Match.anyValue()],
    });
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toContain('"CidrIp":"0.0.0.0/0","Description":"Monitoring page"');
    const open = Object.values(template.findResources('AWS::EC2::SecurityGroup')).flatMap(
      ({ Properties }) => Properties.SecurityGroupIngress ?? [],
    );
    expect(
      open.filter((rule: { CidrIp?: string; FromPort?: number }) => rule.FromPort === 80 && rule.CidrIp),
    ).toEqual([]);
  });

  test("sends the page's visitors to the management server's fixed address", () => {
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::TargetGroup', {
      TargetType: 'ip',
      Port: 80,
      Protocol: 'TCP',
      Targets: [{ Id: lustre.mgs.slots[0]!.address, Port: 80 }],
    });
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::Listener', { Port: 80, Protocol: 'TCP' });
  });

  test('lets the load balancer write its log, and nobody else', () => {
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: 's3:PutObject',
            Principal: { Service: 'delivery.logs.amazonaws.com' },
            Condition: Match.objectLike({
              StringEquals: Match.objectLike({ 'aws:SourceAccount': '111122223333' }),
            }),
          }),
        ]),
      },
    });
  });

  test('never takes an address for the load balancer that a server needs', () => {
    const reserved = Object.keys(template.findResources('Custom::SasGridAddressReservation'));
    const [balancer] = Object.values(template.findResources('AWS::ElasticLoadBalancingV2::LoadBalancer'));
    expect(reserved.length).toBeGreaterThan(0);
    expect(balancer!.DependsOn).toEqual(expect.arrayContaining(reserved));
  });

  test('stays below the resources that a stack may have', () => {
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(400);
  });
});

describe("the papers' preset with other options", () => {
  const { stack, lustre } = lustreStack({
    preset: LustrePreset.papers2015(),
    fileSystemName: 'sasfs',
    backend: LustreBackend.ZFS,
    software: LustreSoftware.repository({ url: 'https://packages.example.com/lustre', version: '2.15.6' }),
    striping: { stripeCount: 4 },
    client: { networkChecksums: false, lockLruSize: 1600 },
    monitoring: { enabled: false },
  });
  const bundle = new HostBundle();
  const group = SecurityGroup.fromSecurityGroupId(stack, 'Client', 'sg-0123456789abcdef0');
  lustre.mountOn(new MountTarget({ host: group, hostBundle: bundle }), {
    mountPoint: '/data',
    readOnly: true,
  });
  const template = Template.fromStack(stack);
  const hosts = userDataTexts(template);

  test("has the papers' machines and volumes (001)", () => {
    const types = Object.values(template.findResources('AWS::EC2::LaunchTemplate'))
      .map(({ Properties }) => Properties.LaunchTemplateData.InstanceType)
      .filter((type) => type.startsWith('c3'));
    expect(types.sort()).toEqual(['c3.4xlarge', 'c3.8xlarge', 'c3.xlarge']);
    const data = template.findResources('AWS::EC2::Volume', { Properties: { VolumeType: 'gp2', Size: 750 } });
    expect(Object.keys(data)).toHaveLength(24);
  });

  test('installs the version that was named', () => {
    expect(settingsOf(hosts, HostRole.LUSTRE_OSS)).toMatchObject({
      LUSTRE_SOFTWARE: 'repository',
      LUSTRE_REPOSITORY: 'https://packages.example.com/lustre',
      LUSTRE_VERSION: '2.15.6',
      BACKEND: 'zfs',
    });
  });

  test('sets on ZFS only what ZFS has', () => {
    expect(settingsOf(hosts, HostRole.LUSTRE_OSS).TUNABLES).toBe('osd-zfs.*.readcache_max_filesize=2M');
  });

  test('adds what the client asks for after the papers', () => {
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'TUNABLES')).toBe(
      'osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256 osc.*.checksums=0 ldlm.namespaces.*.lru_size=1600',
    );
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'MOUNT_OPTIONS')).toBe('flock,ro');
    expect(bundle.setting(HostRole.LUSTRE_CLIENT, 'LUSTRE_VERSION')).toBe('2.15.6');
  });

  test('has no page and no load balancer when the page is turned off', () => {
    template.resourceCountIs('AWS::ElasticLoadBalancingV2::LoadBalancer', 0);
    expect(settingsOf(hosts, HostRole.LUSTRE_MGS).MONITORING).toBe('false');
    expect(lustre.monitoringUrl).toBeUndefined();
  });
});

test('adding object storage servers moves nobody', () => {
  const addresses = (serverCount: number) => {
    const { mgs, mds, oss } = lustreStack({ oss: { serverCount } }).lustre;
    return [mgs, mds, oss].flatMap(({ slots }) => slots.map(({ address }) => address));
  };
  const [before, after] = [addresses(3), addresses(12)];
  expect(after.slice(0, before.length)).toEqual(before);
});

test('a key of your own encrypts every volume', () => {
  const { stack } = lustreStack((scope) => ({ encryptionKey: new Key(scope, 'Mine') }));
  const template = Template.fromStack(stack);
  const [mine] = Object.keys(template.findResources('AWS::KMS::Key')).filter((id) => id.startsWith('Mine'));
  const volumes = Object.values(template.findResources('AWS::EC2::Volume'));
  for (const { Properties } of volumes) expect(Properties.KmsKeyId).toEqual({ 'Fn::GetAtt': [mine, 'Arn'] });
});

test('a file system that is served again has the volumes and the addresses it had', () => {
  const existingVolumes = Array.from({ length: 8 }, (_, index) => `vol-0123456789abcdef${index}`);
  const { stack, lustre } = lustreStack({
    oss: { serverCount: 1, existingVolumes, addresses: ['172.16.4.80'] },
  });
  expect(lustre.oss.slots).toEqual([
    expect.objectContaining({ address: '172.16.4.80', volumeIds: existingVolumes }),
  ]);
  Template.fromStack(stack).resourceCountIs('AWS::EC2::Volume', 2);
});
