import { findDeployment, outputOf, resourcesOfType, stackOf } from '../../../cli/deployment';
import { parseDeployment } from '../../../cli/deployment/options';
import { Unchecked } from '../../../cli/preflight/aws/ask';
import { accountWith, resource } from './account';

const NESTED = 'AWS::CloudFormation::Stack';
const GROUP = 'AWS::AutoScaling::AutoScalingGroup';

test('the stacks come in the order of a deployment, with outputs, and with what lies in nested stacks', async () => {
  const found = await findDeployment(
    'mine',
    accountWith([
      { name: 'mine-grid', outputs: { Hosts: '{}' } },
      {
        name: 'mine-storage',
        resources: [resource('Slots', NESTED, 'slots'), resource('Oss', GROUP, 'oss')],
      },
      { name: 'slots', resources: [resource('Deeper', NESTED, 'deeper')] },
      { name: 'deeper', resources: [resource('Group', GROUP, 'inside')] },
      { name: 'other-storage' },
    ]),
  );
  expect(found.stacks.map(({ part }) => part)).toEqual(['storage', 'grid']);
  expect(resourcesOfType(found, GROUP).map(({ physicalId, path }) => [physicalId, path.join('/')])).toEqual([
    ['oss', 'Oss'],
    ['inside', 'Slots/Deeper/Group'],
  ]);
  expect(outputOf(found, 'Hosts')).toBe('{}');
  expect(outputOf(found, 'VolumeMapTable')).toBeUndefined();
  expect(stackOf(found, 'benchmark')).toBeUndefined();
});

test('a first deployment that failed is found, with the failure inside of a nested stack', async () => {
  const at = '2026-11-28T10:00:00Z';
  const found = await findDeployment(
    'mine',
    accountWith([
      {
        name: 'mine-storage',
        status: 'CREATE_FAILED',
        resources: [
          resource('Map', 'AWS::DynamoDB::Table', 'map'),
          resource('Later', GROUP),
          resource('Gone', GROUP, 'gone', 'DELETE_COMPLETE'),
        ],
        failures: [{ logicalId: 'Slots', type: NESTED, reason: 'was not created', at, physicalId: 'slots' }],
      },
      { name: 'slots', failures: [{ logicalId: 'V', type: 'AWS::EC2::Volume', reason: 'quota', at }] },
    ]),
  );
  expect(found.stacks[0]!.failures.map(({ logicalId, reason }) => [logicalId, reason])).toEqual([
    ['V', 'quota'],
  ]);
  expect(resourcesOfType(found, 'AWS::DynamoDB::Table', 'storage')).toHaveLength(1);
  expect(resourcesOfType(found, GROUP)).toEqual([]);
});

test('what may not be read is told, and the rest is there', async () => {
  const refused = new Unchecked('the right to cloudformation:ListStackResources is missing');
  const aws = accountWith([{ name: 'mine-storage' }, { name: 'mine-grid' }], { resources: refused });
  const found = await findDeployment('mine', aws);
  expect(found.unread).toEqual([refused.message]);
  expect(found.stacks).toHaveLength(2);
});

test('nothing of that name: the error lists what is there', async () => {
  await expect(findDeployment('mien', accountWith([{ name: 'mine-storage' }]))).rejects.toMatchObject({
    name: 'OptionError',
    message: expect.stringMatching(/no stack mien-network, .*There are the deployments mine\..*--region/),
  });
  const refused = accountWith([], { deployments: new Unchecked('no') });
  await expect(findDeployment('mine', refused)).rejects.toThrow(
    'Name another deployment, --region or --profile.',
  );
});

test.each([
  [[], 'One deployment is needed; given: none. Type npx cdk-sas-grid status sas-grid-lustre'],
  [['a', 'b'], 'given: a b'],
  [['config/mine.yaml'], 'Did you mean mine?'],
  [
    ['mine', '--region', 'Ireland'],
    "--region is 'Ireland'; allowed: the name of a region, such as eu-west-1",
  ],
])('%j is refused with what to type', (args, message) => {
  expect(() => parseDeployment('status', args)).toThrow(message);
});

test('name, region and profile are taken', () => {
  const args = ['mine', '--region', 'us-gov-west-1', '--profile', 'ops'];
  expect(parseDeployment('status', args)).toMatchObject({
    deployment: 'mine',
    region: 'us-gov-west-1',
    profile: 'ops',
  });
});
