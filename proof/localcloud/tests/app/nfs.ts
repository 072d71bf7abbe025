import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { MachineImage } from 'aws-cdk-lib/aws-ec2';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { GridNetwork, NfsStorage, NfsStorageServer } from '../../../../constructs';

// An NFS server with its alarms, in a stack that needs no bootstrapped account. What the built-in validation says of it
// is of no interest here, and takes seconds.
const app = new App({ builtinCloudFormationValidation: false });
const stack = new Stack(app, 'Nfs', {
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new DefaultStackSynthesizer({
    fileAssetsBucketName: 'assets',
    generateBootstrapVersionRule: false,
  }),
});
const alarmTopic = new Topic(stack, 'Alarms', { enforceSSL: true });
alarmTopic.addSubscription(new EmailSubscription('ops@example.com'));
new NfsStorageServer(stack, 'SasData', {
  network: new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' }),
  machineImage: MachineImage.latestAmazonLinux2023(),
  storage: NfsStorage.ebs({ backup: {} }),
  alarmTopic,
});
