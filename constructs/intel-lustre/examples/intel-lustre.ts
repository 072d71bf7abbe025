import { App, Size, Stack } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, IntelLustre, LustrePreset } from '../../index';

const app = new App();
const stack = new Stack(app, 'Storage', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');

// An image of your own that carries Lustre, or one from the Marketplace.
const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

// The current configuration with twice the object storage servers: twice the throughput.
new IntelLustre(stack, 'SasData', {
  network,
  machineImage,
  fileSystemName: 'sasdata',
  oss: { serverCount: 6 },
  monitoring: { allowedRanges: ['10.0.0.0/8'] },
});

// The papers' machines, with volumes of another type.
new IntelLustre(stack, 'Archive', {
  network,
  machineImage,
  fileSystemName: 'archive',
  preset: LustrePreset.papers2015(),
  oss: {
    serverCount: 3,
    instanceType: new InstanceType('m6in.4xlarge'),
    volumesPerServer: 4,
    volume: { volumeType: EbsDeviceVolumeType.ST1, size: Size.tebibytes(4) },
  },
});
