import { App, Duration, Size, Stack } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import {
  DataLossOnFailure,
  GridNetwork,
  NfsPreset,
  NfsPresetName,
  NfsStorage,
  NfsStorageServer,
  SasGridCluster,
} from '../../index';

const app = new App();
const stack = new Stack(app, 'Storage', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

// The data of all grids, on volumes that outlive the server, with snapshots every day.
const shared = new NfsStorageServer(stack, 'SasData', {
  network,
  machineImage,
  storage: NfsStorage.ebs({ preset: NfsPreset.current(NfsPresetName.LARGE_10TB), backup: {} }),
  // Clusters that come and go, of other apps, mount it by its address.
  clientRanges: ['172.16.0.0/20', '10.20.0.0/16'],
});
new SasGridCluster(stack, 'Grid', { network, sharedFileSystem: shared, machineImage, nodeCount: 4 });

// What such a cluster's hosts get as user data: nothing of the server but its address is known there.
NfsStorageServer.clientBundle({ server: '172.16.4.64', mountPoint: '/sasdata' }).userData();

// Another size: two volumes, and the type that passes on 600 MB/s all day.
new NfsStorageServer(stack, 'Projects', {
  network,
  machineImage,
  hostName: 'storage2',
  exportName: 'projects',
  storage: NfsStorage.ebs({
    volume: {
      volumeType: EbsDeviceVolumeType.GP3,
      size: Size.tebibytes(8),
      throughputMiBps: 300,
      iops: 3000,
    },
    volumeCount: 2,
    throughputMBps: 600,
  }),
});

// Cheap and fast, and empty again after a failure: a copy goes to S3 every six hours.
new NfsStorageServer(stack, 'Staging', {
  network,
  machineImage,
  hostName: 'storage3',
  storage: NfsStorage.instanceStore({
    dataLossOnFailure: DataLossOnFailure.acceptable(
      'the sources are in S3, and staging is made again from them',
    ),
    capacity: Size.tebibytes(10),
    spot: {},
  }),
  archive: { every: Duration.hours(6) },
});
