import {
  aws_certificatemanager as acm,
  aws_autoscaling as autoscaling,
  Duration,
  aws_ec2 as ec2,
  aws_events as events,
  aws_iam as iam,
  aws_kms as kms,
  aws_route53 as route53,
  Size,
  type Stack,
  aws_s3 as s3,
  aws_sns as sns,
} from 'aws-cdk-lib';
import * as library from '../../constructs';
import { FOREIGN_ENUMS } from '../../constructs/private/inputs/foreign-types';
import { inputTable, propertiesOf } from '../../constructs/private/inputs/table';

const { GridNetwork, LustrePreset, StorageTest, MeasuredPath } = library;

/** What the type alone does not say, by the name of the property, or by struct or call and name. */
const VALUES: { readonly [name: string]: unknown } = {
  address: '172.16.4.20',
  count: 1,
  'StorageDevices.type': 'gp3',
  cidr: '10.20.0.0/24',
  cores: 8,
  directory: '/data',
  exportPath: '/export',
  fileSystemId: 'fs-0123456789abcdef0',
  fileSystemName: 'sasdata',
  fullName: 'node1.sas-grid.internal',
  hostName: 'node1',
  iops: 3000,
  junctionPath: '/sasdata',
  kind: 'nfs',
  mgsNid: '10.20.0.10@tcp',
  mibps: 100,
  mountName: 'abcdef01',
  mountPoint: '/sasdata',
  name: 'llite.*.max_read_ahead_mb',
  'HostSoftware.name': 'their-client',
  nodeCount: 2,
  nodes: 2,
  saswork: 3,
  utilloc: 1,
  server: 'filer.example.com',
  serverCount: 1,
  sizeGiB: 1000,
  slotCount: 1,
  storageVirtualMachineId: 'svm-0123456789abcdef0',
  throughputMBps: 4000,
  'FsxOpenZfsProps.throughputMBps': 5120,
  throughputMBpsPerPair: 3072,
  throughputPerTiB: 250,
  tier: 'own',
  url: 'https://packages.example.com',
  value: '512',
  'ThroughputPerCore.mbps.value': 100,
  archive: __filename,
  'LustreSourceTree.kernel': '6.1.0-56-amd64',
  'LustreServerImageProps.backend': 'zfs',
  version: '2.15.6',
  volumeType: 'gp3',
  volumesPerServer: 1,
  groupArn: 'arn:aws:resource-groups:us-east-1:111122223333:group/sas',
  reservationId: 'cr-0123456789abcdef0',
  'Io2BlockExpressGfs2Props.size': Size.tebibytes(10),
  'S3DataRepository.directory': '/archive',
};

/** A stack with one object of each class of an input, made when it is first asked for. */
export class RightInputs {
  private readonly made = new Map<string, unknown>();
  private readonly makers: { readonly [type: string]: () => unknown };

  constructor(readonly stack: Stack) {
    const { stack: s } = this;
    const props = (name: string) => this.struct(name) as never;
    this.makers = {
      Construct: () => s,
      IConstruct: () => this.of('IConnectable'),
      IDependable: () => s,
      Duration: () => Duration.minutes(30),
      Size: () => Size.gibibytes(2400),
      InstanceType: () => new ec2.InstanceType('i4i.8xlarge'),
      InterfaceVpcEndpointAwsService: () => ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
      Schedule: () => events.Schedule.rate(Duration.days(1)),
      IMachineImage: () => ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
      IVpc: () => this.network().vpc,
      ISubnet: () => this.network().privateSubnets[0],
      ISecurityGroup: () => this.network().gridSecurityGroup,
      IPlacementGroup: () => this.network().placementGroup,
      IKey: () => new kms.Key(s, 'AKey'),
      ITopic: () => new sns.Topic(s, 'ATopic'),
      IBucket: () => new s3.Bucket(s, 'ABucket'),
      IRole: () => new iam.Role(s, 'ARole', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') }),
      IGrantable: () => this.of('IRole'),
      ICertificate: () =>
        acm.Certificate.fromCertificateArn(
          s,
          'ACertificate',
          'arn:aws:acm:us-east-1:111122223333:certificate/a',
        ),
      IHostedZone: () =>
        new route53.PrivateHostedZone(s, 'AZone', { zoneName: 'a.internal', vpc: this.network().vpc }),
      IConnectable: () =>
        new ec2.Instance(s, 'AHost', {
          vpc: this.network().vpc,
          vpcSubnets: { subnets: this.network().privateSubnets },
          instanceType: new ec2.InstanceType('i4i.8xlarge'),
          machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
        }),
      IAutoScalingGroup: () => autoscaling.AutoScalingGroup.fromAutoScalingGroupName(s, 'AGroup', 'servers'),
      IMountTarget: () => this.of('MountTarget'),
      ISharedFileSystem: () => this.of('ExistingNfs'),
      CapacityReservation: () => library.CapacityReservation.create(),
      // Without a look-up: a stack that waits for an answer takes what is missing.
      BuiltImage: () =>
        new library.StorageServerImage(s, 'AnImage', {
          network: this.network(),
          baseImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
        }),
      BenchmarkHosts: () => library.BenchmarkHosts.tagged('role', 'node'),
      DataLossOnFailure: () => library.DataLossOnFailure.acceptable('a copy is in S3'),
      EfsThroughput: () => library.EfsThroughput.elastic(),
      FileSystemAccess: () => library.FileSystemAccess.alreadyOpen(),
      FsxLustreStorage: () => library.FsxLustreStorage.ssd(props('FsxLustreSsdProps')),
      FsxReadCache: () => library.FsxReadCache.none(),
      GameDayClients: () => library.GameDayClients.tagged('role', 'node', { mountPoint: '/sasdata' }),
      LustrePreset: () => LustrePreset.current(),
      LustreSoftware: () => library.LustreSoftware.preinstalled(),
      MeasuredPath: () => MeasuredPath.shared('/sasdata'),
      NfsPreset: () => library.NfsPreset.current(),
      NfsStorage: () => library.NfsStorage.ebs(),
      SasRecommendation: () => library.SasRecommendation.SAS_GRID,
      StandbyServers: () => library.StandbyServers.none(),
      StorageTest: () => StorageTest.sasIo(),
      ThroughputPerCore: () => library.ThroughputPerCore.mbps(100),
    };
  }

  /** The one object of a class, or a value of a type. */
  of(type: string, name = '', owner = ''): unknown {
    const bare = type.replace(/^\?/, '');
    const value = VALUES[`${owner}.${name}`] ?? VALUES[name];
    if (bare.endsWith('[]')) return [this.of(bare.slice(0, -2))];
    if (bare.endsWith('{}')) return {};
    if (propertiesOf(bare)) return this.struct(bare);
    if (value !== undefined) return value;
    if (bare === 'string') return 'text';
    if (bare === 'number') return 1;
    if (bare === 'boolean') return true;
    const members = inputTable().enums[bare] ?? FOREIGN_ENUMS[bare]?.();
    if (members) return Object.values(members).pop();
    // An interface of the library, but for those above, is that of the class with its name.
    const made = /^I[A-Z]/.test(bare) && !(bare in this.makers) ? bare.slice(1) : bare;
    if (made !== bare) return this.of(made);
    if (!this.made.has(bare)) this.made.set(bare, (this.makers[bare] ?? (() => this.construct(bare)))());
    return this.made.get(bare);
  }

  /** The required properties of a struct. */
  struct(struct: string): { [name: string]: unknown } {
    const required = Object.entries(propertiesOf(struct)!).filter(([, type]) => !type.startsWith('?'));
    return Object.fromEntries(required.map(([name, type]) => [name, this.of(type, name, struct)]));
  }

  /** The arguments of a call, with all parameters. */
  args(call: string, id: string): { [name: string]: unknown } {
    const parameters = Object.entries(inputTable().calls[call]!);
    return Object.fromEntries(
      parameters.map(([name, type]) => {
        if (type.replace('?', '') === 'Construct') return [name, this.stack];
        return [name, name === 'id' ? id : this.of(type, name, call)];
      }),
    );
  }

  /** Does what a call says. */
  call(call: string, args: readonly unknown[]): unknown {
    const [type, member] = call.split(/[.#]/) as [string, string | undefined];
    const made = (library as unknown as { [name: string]: new (...all: readonly unknown[]) => object })[
      type
    ]!;
    if (member === undefined) return new made(...args);
    const owner = (call.includes('#') ? this.of(type) : made) as {
      [name: string]: (...all: unknown[]) => unknown;
    };
    // Variadic: each of the list is an argument.
    return call === 'BenchmarkHosts.all' && Array.isArray(args[0])
      ? owner[member]!(...args[0])
      : owner[member]!(...args);
  }

  private network(): library.GridNetwork {
    return this.of('GridNetwork') as library.GridNetwork;
  }

  private construct(type: string): unknown {
    if (type === 'GridNetwork') return new GridNetwork(this.stack, 'ANetwork');
    return this.call(type, Object.values(this.args(type, `A${type}`)));
  }
}
