import { App, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { DeployedData, GridNetwork, NfsStorage, NfsStorageServer } from '../../index';

const app = new App();
const stack = new Stack(app, 'Storage', { env: { region: 'us-east-1' } });
new NfsStorageServer(stack, 'SasData', {
  network: new GridNetwork(stack, 'Network'),
  machineImage: MachineImage.latestAmazonLinux2023(),
  storage: NfsStorage.ebs({ instanceType: new InstanceType('m6in.8xlarge'), volumeCount: 4 }),
});

DeployedData.protect(app, { record: 'deployed.json' });
