import { App, Size, Stack } from 'aws-cdk-lib';
import { MachineImage, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  EfsSharedFileSystem,
  ExistingNfs,
  FileSystemAccess,
  FsxLustre,
  FsxLustreStorage,
  FsxOntap,
  FsxOpenZfs,
  GridNetwork,
  SasGridCluster,
  SasRecommendation,
} from '../../index';

const app = new App();
const env = { account: '111122223333', region: 'us-east-1' };
const storage = new Stack(app, 'Storage', { env });
const network = new GridNetwork(storage, 'Network', { availabilityZone: 'us-east-1a' });

// What paper 004 recommends for a grid, fast enough for 96 physical cores.
const sasData = new FsxLustre(storage, 'SasData', {
  network,
  storage: SasRecommendation.SAS_GRID.fsxLustreStorage(96),
});

// As large and as fast as you say.
new FsxLustre(storage, 'Project', {
  network,
  storage: FsxLustreStorage.ssd({ capacity: Size.gibibytes(4800), throughputPerTiB: 500 }),
});

// The others.
new FsxOpenZfs(storage, 'Warehouse', { network, capacity: Size.tebibytes(20), throughputMBps: 5120 });
new FsxOntap(storage, 'Shares', { network, capacity: Size.tebibytes(20), throughputMBpsPerPair: 3072 });
new EfsSharedFileSystem(storage, 'Configuration', { network });

// What is there already: by address, or by the ids of the service.
new ExistingNfs(storage, 'Filer', {
  server: 'filer.example.com',
  exportPath: '/export/sas',
  access: FileSystemAccess.fromRange('10.20.0.0/24'),
});
FsxLustre.fromAttributes(
  storage,
  'Archive',
  { fileSystemId: 'fs-0123456789abcdef0', mountName: 'abcdef01' },
  {
    access: FileSystemAccess.fromSecurityGroup(
      SecurityGroup.fromSecurityGroupId(storage, 'ArchiveGroup', 'sg-0123456789abcdef0'),
    ),
  },
);

// Whichever it is, a grid takes it.
new SasGridCluster(new Stack(app, 'Grid', { env }), 'Grid', {
  network,
  sharedFileSystem: sasData,
  machineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
  nodeCount: 3,
});
