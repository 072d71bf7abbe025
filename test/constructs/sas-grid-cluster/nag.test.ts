import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, IntelLustre, SasGridCluster } from '../../../constructs';
import { nagFindings } from '../../helpers/app';
import { IMAGE } from './stack';

// The papers' machines, whose disks have to be mapped, beside the launch templates of a file system.
test('cdk-nag has nothing to say that nobody answered', () => {
  const findings = nagFindings((scope) => {
    const network = new GridNetwork(scope, 'Network');
    new SasGridCluster(scope, 'Grid', {
      network,
      sharedFileSystem: new IntelLustre(scope, 'SasData', { network, machineImage: IMAGE }),
      machineImage: IMAGE,
      nodeCount: 2,
      nodeInstanceType: new InstanceType('i2.8xlarge'),
    });
  });
  expect(findings).toEqual([]);
});
