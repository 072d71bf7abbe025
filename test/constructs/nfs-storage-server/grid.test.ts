import { Template } from 'aws-cdk-lib/assertions';
import { HostRole, SasGridCluster } from '../../../constructs';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { IMAGE, nfsStack } from './stack';

test('two grids share one server: their nodes fit it into their user data, mount it, and wait until it serves', () => {
  const { stack, network, nfs } = nfsStack();
  for (const [name, prefix] of [
    ['First', 'a'],
    ['Second', 'b'],
  ] as const) {
    new SasGridCluster(stack, name, {
      network,
      machineImage: IMAGE,
      sharedFileSystem: nfs,
      nodeCount: 1,
      controlName: `${prefix}-control`,
      nodeNamePrefix: `${prefix}-node`,
      domainName: `${prefix}.internal`,
    });
  }
  const template = Template.fromStack(stack);
  const nodes = Object.values(template.findResources('AWS::EC2::Instance'));
  expect(nodes).toHaveLength(4);
  const [served] = Object.keys(template.findResources('Custom::SasGridTierServed'));
  for (const { DependsOn } of nodes) expect(DependsOn).toContain(served);
  expect(settingsOf(userDataTexts(template), HostRole.NFS_CLIENT)).toEqual({
    SERVER: nfs.address,
    EXPORT: '/export/sasdata',
    MOUNT_POINT: '/sasdata',
    NCONNECT: '16',
  });
});
