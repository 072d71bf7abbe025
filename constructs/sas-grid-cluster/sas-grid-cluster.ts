import { Annotations, Duration, Size, Tokenization } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as route53 from 'aws-cdk-lib/aws-route53';
import { Construct, DependencyGroup } from 'constructs';
import { HostRole } from '../host';
import { systemsManagerAgentRole } from '../private/agent-role';
import { requireUsableKey } from '../private/imported';
import { checkArguments } from '../private/inputs/check';
import { requireFit } from '../private/launch-fit';
import { followsParameter } from '../private/moving-image';
import { acknowledgeNames } from '../private/named-on-purpose';
import { newPrivateZone, publishHost } from '../private/published-name';
import { allowSignal, waitForSignals } from '../private/resource-signal';
import { requireZone } from '../private/subnet-zone';
import { gibibytes } from '../private/validation';
import { placementGroupSupport } from '../sizing';
import type { PredictedThroughput, ThroughputPerCore } from '../throughput';
import { reserve } from './capacity';
import { type CheckedGrid, checkedGrid, checkMountPoint, cleanUpAfter, requireServed } from './checks';
import { GridNode } from './grid-node';
import type { ISasGridCluster } from './interface';
import { NodeHealth } from './node-health';
import { EGO_DNS_PORT, GRID_PORTS } from './ports';
import type { SasGridClusterProps } from './props';
import { type ServerScratch, type ServerTypes, scratchOf } from './scratch';
import { throughputOf } from './throughput';

/**
 * A SAS grid: a control server and nodes with stable names and addresses, in one placement group, each with its own
 * scratch and all with one shared file system (papers 000, 001 and 002).
 */
export class SasGridCluster extends Construct implements ISasGridCluster {
  /** The control server. */
  readonly control: GridNode;

  /** The grid nodes, in order. */
  readonly nodes: GridNode[];

  /** Addresses by short name, of the control server and all planned nodes. */
  readonly hosts: { [name: string]: string };

  /** The zone of the names, visible in the whole VPC. Another grid of the network can take it as its `hostedZone`. */
  readonly hostedZone: route53.IHostedZone;

  /** What the servers may do in AWS. */
  readonly role: iam.IRole;

  /** The security group of the grid. */
  readonly connections: ec2.Connections;

  /** The directory of LSF, on the shared file system. */
  readonly lsfDirectory: string;

  /** The directory of the SAS binaries and configuration, on the shared file system. */
  readonly sasDirectory: string;

  /** What the nodes want from the shared file system; undefined when nothing was said. */
  readonly sharedThroughput?: ThroughputPerCore;

  /** What the nodes want from temporary space; undefined when nothing was said. */
  readonly temporaryThroughput?: ThroughputPerCore;

  /** What the nodes will get from the shared file system. */
  readonly predictedSharedThroughput: PredictedThroughput;

  /** What the nodes will get from SASWORK and UTILLOC on their own disks, both together. */
  readonly predictedTemporaryThroughput: PredictedThroughput;

  /**
   * @throws when a property is not allowed; with `failOnShortfall` also when a storage is slower than what is wanted of
   * it
   */
  constructor(scope: Construct, id: string, props: SasGridClusterProps) {
    ({ props } = checkArguments('SasGridCluster', { scope, id, props }));
    super(scope, id);
    acknowledgeNames(this);
    requireServed(this, props.sharedFileSystem);
    const grid = checkedGrid(this, props);
    const untouched = cleanUpAfter(this, props.cleanUpScratchAfter);
    requireUsableKey(this, props.encryptionKey);
    const node = props.nodeInstanceType ?? new ec2.InstanceType('i3en.12xlarge');
    const types = { node, control: props.controlInstanceType ?? node };
    props.network._nameHostAddresses(this, props.addresses);
    if (props.subnet) requireZone(this, 'subnet', props.subnet, props.network.availabilityZone);
    const rootVolumeGiB = gibibytes(
      this,
      'rootVolumeSize in GiB',
      props.rootVolumeSize ?? Size.gibibytes(100),
      { min: 8, max: 16_384 },
      'Change the size.',
    );
    this.lsfDirectory = grid.lsfDirectory;
    this.sasDirectory = grid.sasDirectory;

    const securityGroup = props.securityGroup ?? props.network.gridSecurityGroup;
    this.connections = new ec2.Connections({ securityGroups: [securityGroup] });
    this.openPorts(props);

    const scratch = scratchOf(this, types, props);
    checkMountPoint(
      this,
      grid.mountPoint,
      Object.values(scratch).filter((each) => each !== undefined),
    );
    this.sharedThroughput = props.sharedThroughput;
    this.temporaryThroughput = props.temporaryThroughput;
    const throughput = throughputOf(this, props, types, scratch);
    this.predictedSharedThroughput = throughput.shared;
    this.predictedTemporaryThroughput = throughput.temporary;
    const servers = this.newServers(grid, props, scratch);
    this.control = servers[0]!;
    this.nodes = servers.slice(1, props.nodeCount + 1);
    this.hosts = Object.fromEntries(servers.map((server) => [server.hostName, server.address]));
    this.hostedZone = this.publishNames(servers, grid, props);
    this.role = systemsManagerAgentRole(
      this,
      'Role',
      'Servers of a SAS grid: the Systems Manager agent only',
    );
    this.launch(grid, props, types, rootVolumeGiB);
    new NodeHealth(this, 'Health', {
      servers: { instanceIds: this.servers.map(({ instanceId }) => instanceId) },
      reachesFileServers: true,
      cleanUpAfter: scratch.control || scratch.node ? untouched : undefined,
      alarmTopic: props.alarmTopic,
    });
  }

  /** Every server of the grid: the control server, then the nodes. */
  get servers(): GridNode[] {
    return [this.control, ...this.nodes];
  }

  /** The control server first, and all planned nodes. */
  private newServers(grid: CheckedGrid, props: SasGridClusterProps, scratch: ServerScratch): GridNode[] {
    return grid.names.map(
      (hostName, index) =>
        new GridNode(this, index === 0 ? 'Control' : `Node${index}`, {
          hostName,
          fullName: `${hostName}.${grid.domainName}`,
          subnet: props.subnet ?? props.network.privateSubnets[0]!,
          address: props.addresses?.[index],
          securityGroup: props.securityGroup ?? props.network.gridSecurityGroup,
          after: props.network.addressesReserved,
          scratch: index === 0 ? scratch.control : scratch.node,
        }),
    );
  }

  private openPorts(props: SasGridClusterProps): void {
    const ports = [
      ...GRID_PORTS,
      ...(props.egoDns ? [EGO_DNS_PORT] : []),
      ...(props.additionalPorts ?? []).map((port) => ({ port, tcp: true, udp: false })),
    ];
    for (const { port, tcp, udp } of ports) {
      if (tcp) this.connections.allowInternally(ec2.Port.tcp(port), 'SAS grid');
      if (udp) this.connections.allowInternally(ec2.Port.udp(port), 'SAS grid');
    }
  }

  private publishNames(
    servers: GridNode[],
    grid: CheckedGrid,
    props: SasGridClusterProps,
  ): route53.IHostedZone {
    const { vpc } = props.network;
    const zone =
      props.hostedZone ??
      newPrivateZone(
        this,
        vpc,
        { zoneName: grid.domainName, comment: 'Names of the SAS grid' },
        {
          what: 'domainName',
          fix:
            "Give each grid of a network its own domainName, or the other's hostedZone as hostedZone, and its " +
            'own controlName and nodeNamePrefix.',
        },
      );
    const names = { what: 'A host name', fix: 'Change controlName, nodeNamePrefix or domainName.' };
    for (const server of servers) {
      const { fullName, address } = server;
      const recordName = props.hostedZone ? `${fullName}.` : server.hostName;
      publishHost(server, vpc, { zone, fullName, recordName, address }, names);
    }
    return zone;
  }

  private launch(
    grid: CheckedGrid,
    props: SasGridClusterProps,
    types: ServerTypes,
    rootVolumeGiB: number,
  ): void {
    const profile = new iam.InstanceProfile(this, 'Profile', { role: this.role });
    const image = props.machineImage.getImage(this);
    for (const instanceType of [types.control, types.node]) {
      requireFit(this, { ...props, instanceType, osType: image.osType });
    }
    const creationPolicy = waitForSignals(props.installTimeout ?? Duration.hours(1));
    if (creationPolicy) {
      allowSignal(this, this.role, 'TellInstalled');
      props.network._requireServices(this, [ec2.InterfaceVpcEndpointAwsService.CLOUDFORMATION]);
    }
    this.warnOfMovingImage(image);
    const hosts = Object.entries(this.hosts)
      .map(([name, address]) => `${name}=${address}`)
      .join(',');
    const reserved = reserve(this, props, types, (type) => this.placement(type, props));
    for (const server of this.servers) {
      server.hostBundle.addRole(HostRole.GRID_NODE, {
        HOST_NAME: server.hostName,
        DOMAIN: grid.domainName,
        HOSTS: hosts,
        SAS_UID: Tokenization.stringifyNumber(grid.sasUid),
        SAS_GID: Tokenization.stringifyNumber(grid.sasGid),
        SHARED_MOUNT: grid.mountPoint,
        LSF_DIR: grid.lsfDirectory,
        SAS_DIR: grid.sasDirectory,
      });
      server.scratch?.configure(server.hostBundle);
      props.sharedFileSystem.mountOn(server, { mountPoint: grid.mountPoint });
      const type = server === this.control ? types.control : types.node;
      server._launch({
        instanceType: type,
        image,
        machineImage: props.machineImage,
        role: this.role,
        instanceProfileName: profile.instanceProfileName,
        placementGroupName: this.placement(type, props).placementGroupName,
        launchTemplate: reserved.templateOf(type),
        rootDeviceName: props.rootDeviceName ?? '/dev/sda1',
        rootVolumeGiB,
        kmsKeyArn: props.encryptionKey?.keyArn,
        terminationProtection: props.terminationProtection ?? true,
        creationPolicy,
        // The agent backs off when it starts before it may do anything.
        after: new DependencyGroup(props.sharedFileSystem.served, this.role, ...reserved.made),
      });
      server._watch(props.alarmTopic);
    }
  }

  private placement(
    type: ec2.InstanceType,
    { network, newInstanceTypes }: SasGridClusterProps,
  ): ec2.IPlacementGroup {
    const unknown = placementGroupSupport(type.toString()) === undefined;
    return network.placementGroupFor(type, unknown ? newInstanceTypes : undefined);
  }

  /** An image parameter is read again at each deployment, and another image id means another server. */
  private warnOfMovingImage(image: ec2.MachineImageConfig): void {
    if (!followsParameter(this, image.imageId)) return;
    Annotations.of(this).addWarningV2(
      'cdk-sas-grid:movingImage',
      'The image of the SAS grid follows a parameter. When the parameter names a newer image, CloudFormation ' +
        'tries to replace every server at the next deployment. Name an image by its id instead.',
    );
  }
}
