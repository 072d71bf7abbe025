import { Topic } from 'aws-cdk-lib/aws-sns';
import { DataLossOnFailure, GridNetwork, NfsStorage, NfsStorageServer } from '../../../constructs';
import { nagFindings } from '../../helpers/app';
import { IMAGE } from './stack';

test('cdk-nag has nothing to say that nobody answered', () => {
  const findings = nagFindings((scope) => {
    const network = new GridNetwork(scope, 'Network', {
      availabilityZone: 'us-east-1a',
      storageAddressBlocks: [
        { owner: 'Test/Volumes', firstAddress: '172.16.4.64', count: 8 },
        { owner: 'Test/Local', firstAddress: '172.16.4.72', count: 8 },
      ],
    });
    const alarmTopic = new Topic(scope, 'Alarms', { enforceSSL: true });
    new NfsStorageServer(scope, 'Volumes', {
      network,
      machineImage: IMAGE,
      storage: NfsStorage.ebs({ backup: {} }),
      archive: {},
    });
    new NfsStorageServer(scope, 'Local', {
      network,
      machineImage: IMAGE,
      hostName: 'storage2',
      storage: NfsStorage.instanceStore({
        dataLossOnFailure: DataLossOnFailure.acceptable('copies in S3'),
        spot: {},
      }),
      archive: {},
      alarmTopic,
    });
  });
  expect(findings).toEqual([]);
});
