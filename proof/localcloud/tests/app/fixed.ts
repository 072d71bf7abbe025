// An NFS server, whose export has the name that EXPORT says.
import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, NfsStorageServer } from '../../../../constructs';

const app = new App({ builtinCloudFormationValidation: false });
const stack = new Stack(app, 'Fixed', {
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
});
const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
new NfsStorageServer(stack, 'Nfs', {
  network,
  machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
  exportName: process.env.EXPORT,
});
app.synth();
