import { Template } from 'aws-cdk-lib/assertions';
import { GridNetwork, IntelLustre, SasGridCluster } from '../../../constructs';
import { testApp, testStack } from '../../helpers/app';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { IMAGE } from './stack';

// A deployment keeps what must outlive the grid in stacks of its own; references must then go one way only.
describe('network, storage and grid in three stacks', () => {
  const app = testApp();
  const network = new GridNetwork(testStack(app, 'Network'), 'Network');
  const lustre = new IntelLustre(testStack(app, 'Storage'), 'SasData', { network, machineImage: IMAGE });
  const gridStack = testStack(app, 'Grid');
  new SasGridCluster(gridStack, 'Grid', {
    network,
    sharedFileSystem: lustre,
    machineImage: IMAGE,
    nodeCount: 2,
  });
  const template = Template.fromStack(gridStack);

  test('the grid comes after the storage, and the storage after the network', () => {
    expect(gridStack.dependencies.map(({ stackName }) => stackName).sort()).toEqual(['Network', 'Storage']);
  });

  test('every server mounts the file system at the address of its management server', () => {
    const hosts = userDataTexts(template);
    expect(hosts).toHaveLength(3);
    for (const host of hosts) {
      expect(settingsOf([host], 'lustre-client')).toMatchObject({
        FSNAME: 'sasdata',
        MGS_NID: lustre.mgsNid,
        MOUNT_POINT: '/sasdata',
        MOUNT_OPTIONS: 'flock',
      });
    }
  });

  test('the stack of the grid holds no volume and no rule that storage depends on', () => {
    template.resourceCountIs('AWS::EC2::Volume', 0);
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });
});
