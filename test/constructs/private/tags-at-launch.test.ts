import { Size, Tags } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  DataLossOnFailure,
  GridNetwork,
  Io2BlockExpressGfs2,
  NfsStorage,
  NfsStorageServer,
  SasGridCluster,
} from '../../../constructs';
import { testApp, testStack } from '../../helpers/app';
import { IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';

// What an organisation demands of tags counts at the moment of a launch: each construct that launches hosts, with one
// tag of the app.

const TAG = { Key: 'cost-centre', Value: '42' };

function launched(tag: boolean) {
  const app = testApp();
  const stack = testStack(app);
  if (tag) Tags.of(app).add(TAG.Key, TAG.Value);
  const network = new GridNetwork(stack, 'Network', {
    storageAddressBlocks: ['OnVolumes', 'OnDisks', 'Nodes/Cluster'].map((owner, index) => ({
      owner: `Test/${owner}`,
      firstAddress: `172.16.4.${64 + 8 * index}`,
      count: 8,
    })),
  });
  const common = { network, machineImage: IMAGE };
  const dataLossOnFailure = DataLossOnFailure.acceptable('all of it can be computed again');
  new NfsStorageServer(stack, 'OnVolumes', common);
  new NfsStorageServer(stack, 'OnDisks', {
    ...common,
    exportName: 'scratch',
    hostName: 'scratch1',
    storage: NfsStorage.instanceStore({ dataLossOnFailure }),
  });
  new Io2BlockExpressGfs2(stack, 'Nodes', { ...common, nodeCount: 2, size: Size.tebibytes(1) });
  const sharedFileSystem = new OtherFileSystem(stack, 'Other', network);
  new SasGridCluster(stack, 'Grid', { ...common, sharedFileSystem, nodeCount: 1 });
  return Template.fromStack(stack);
}

const templatesOf = (template: Template) =>
  Object.entries(template.findResources('AWS::EC2::LaunchTemplate'))
    .map(([id, { Properties }]) => ({ id, data: Properties.LaunchTemplateData }))
    // The NAT instance's says nothing but how its metadata is asked for.
    .filter(({ data }) => data.ImageId);

describe('tags of the app at launch', () => {
  const template = launched(true);
  const found = templatesOf(template);

  test('a server on volumes, one on disks and two nodes are launched from templates', () =>
    expect(found).toHaveLength(4));

  test.each(found)('$id tags what it makes', ({ data }) => {
    const tagged: { ResourceType: string; Tags: unknown[] }[] = data.TagSpecifications;
    for (const { Tags: tags } of tagged) expect(tags).toContainEqual(TAG);
    // An interface that is there before has its own tags, and a launch that is to tag one that it does not make fails.
    const [{ NetworkInterfaceId: own }] = data.NetworkInterfaces;
    expect(tagged.map(({ ResourceType }) => ResourceType)).toEqual([
      'instance',
      'volume',
      ...(own ? [] : ['network-interface']),
    ]);
  });

  test('so do instances of CloudFormation, and interfaces of the stack', () => {
    const instances = Object.values(template.findResources('AWS::EC2::Instance'));
    expect(instances.length).toBeGreaterThan(1);
    for (const { Properties } of instances) {
      expect(Properties).toMatchObject({ PropagateTagsToVolumeOnCreation: true });
      expect(Properties.Tags).toContainEqual(TAG);
    }
    for (const { Properties } of Object.values(template.findResources('AWS::EC2::NetworkInterface'))) {
      expect(Properties.Tags).toContainEqual(TAG);
    }
  });
});

test('no tag on which permissions rest gets to interfaces of a launch', () => {
  const specifications: { ResourceType: string; Tags: { Key: string }[] }[] = templatesOf(
    launched(false),
  ).flatMap(({ data }) => data.TagSpecifications ?? []);
  const keys = (kind: string) =>
    specifications
      .filter(({ ResourceType }) => ResourceType === kind)
      .flatMap((each) => each.Tags.map(({ Key }) => Key));
  expect(new Set(keys('instance'))).toEqual(new Set(['Name', 'cdk-sas-grid:cluster']));
  expect(new Set(keys('network-interface'))).toEqual(new Set(['Name']));
});
