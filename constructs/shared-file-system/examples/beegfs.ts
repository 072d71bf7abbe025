import { App, Stack } from 'aws-cdk-lib';
import {
  Connections,
  type IConnectable,
  InstanceType,
  type ISecurityGroup,
  MachineImage,
  Port,
  SecurityGroup,
} from 'aws-cdk-lib/aws-ec2';
import { Construct, DependencyGroup } from 'constructs';
import {
  DeployedData,
  GridNetwork,
  type IMountTarget,
  type ISharedFileSystem,
  type MountOptions,
  SasGridCluster,
  type StorageDescription,
} from '../../index';

interface BeeGfsProps {
  /** Address of the management service. */
  readonly management: string;
  /** Security group of the servers. */
  readonly securityGroup: ISecurityGroup;
  readonly servers: number;
  readonly serverType: string;
}

// Management, storage and metadata, and the clients' own: the configuration files of BeeGFS 8.3.1.
const SERVER_PORTS = [8008, 8003, 8005].flatMap((port) => [Port.tcp(port), Port.udp(port)]);
const CLIENT_PORT = Port.udp(8004);

// The image has the package beegfs-client, and the file that connAuthFile names.
const MOUNT = `set -euo pipefail
mkdir -p "$MOUNT_POINT"
/opt/beegfs/sbin/beegfs-setup-client -m "$MANAGEMENT"
echo "$MOUNT_POINT /etc/beegfs/beegfs-client.conf" >/etc/beegfs/beegfs-mounts.conf
mountpoint -q "$MOUNT_POINT" || systemctl restart beegfs-client
mountpoint -q "$MOUNT_POINT"`;

const CHECK = 'systemctl is-active --quiet beegfs-client || { echo "beegfs-client is not active"; exit 1; }';

/** A BeeGFS that others run, as the shared file system of a grid. */
class BeeGfs extends Construct implements ISharedFileSystem, IConnectable {
  readonly fileSystemType = 'beegfs';
  readonly served = new DependencyGroup();
  readonly storageDescription?: StorageDescription;
  readonly neverChanges?: { readonly [name: string]: unknown };
  readonly connections: Connections;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: BeeGfsProps,
  ) {
    super(scope, id);
    const { management, securityGroup, servers, serverType } = props;
    this.connections = new Connections({ securityGroups: [securityGroup] });
    const devices = [{ count: 6, type: 'instance-store', sizeGiB: 3750 }];
    this.storageDescription = { kind: 'beegfs', servers, serverType, devices };
    this.neverChanges = { management };
  }

  mountOn(target: IMountTarget, { mountPoint }: MountOptions): void {
    for (const port of SERVER_PORTS) target.connections.allowTo(this, port, 'Client to BeeGFS');
    target.connections.allowFrom(this, CLIENT_PORT, 'BeeGFS to client');
    target.hostBundle.addSoftware({
      name: 'beegfs-client',
      settings: { MANAGEMENT: this.props.management, MOUNT_POINT: mountPoint },
      script: MOUNT,
      check: CHECK,
    });
  }
}

const app = new App();
const stack = new Stack(app, 'Grid', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
const securityGroup = SecurityGroup.fromSecurityGroupId(stack, 'Servers', 'sg-0123456789abcdef0');
new SasGridCluster(stack, 'Grid', {
  network,
  sharedFileSystem: new BeeGfs(stack, 'SasData', {
    management: '172.16.4.20',
    securityGroup,
    servers: 4,
    serverType: 'i4i.16xlarge',
  }),
  nodeCount: 3,
  nodeInstanceType: new InstanceType('m6idn.8xlarge'),
  machineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
});
DeployedData.protect(app, { record: 'deployed.json' });
