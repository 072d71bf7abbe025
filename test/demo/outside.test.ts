import { loadConfig } from '../../lib/config';
import { parametersOf, type Surroundings } from '../../proof/demo/surroundings';
import { removeSurroundings } from '../../proof/demo/surroundings-removal';
import { verifyZoneRefused } from '../../proof/demo/wrong-zone';
import type { Clients } from '../../proof/kit/clients';
import { requireServers } from '../../proof/kit/deploy';

const SURROUNDINGS: Surroundings = {
  vpcId: 'vpc-1',
  subnetId: 'subnet-1',
  publicSubnetId: 'subnet-2',
  availabilityZone: 'us-east-1a',
  securityGroupId: 'sg-1',
  placementGroup: 'cluster',
  internetGatewayId: 'igw-1',
  natGatewayId: 'nat-1',
  allocationId: 'eipalloc-1',
  routeTableIds: ['rtb-1', 'rtb-2'],
};

/** Clients that note what they are asked, and answer by the name of the command; an error is thrown. */
function clients(answers: Record<string, unknown> = {}) {
  const asked: string[] = [];
  const send = async (command: object) => {
    const name = command.constructor.name.replace(/Command$/, '');
    asked.push(name);
    if (answers[name] instanceof Error) throw answers[name];
    return answers[name] ?? {};
  };
  return { asked, clients: { ec2: { send }, cloudformation: { send } } as unknown as Clients };
}

test('what the demo cannot show is said before anything is made', () => {
  const instanceStore = { dataLossAcceptableBecause: 'scratch only' };
  const act = () => requireServers('mine', { description: 'a test', nfs: { instanceStore } });
  expect(act).toThrow(
    /'mine' has its data on instance store: a replacement starts empty.*make synth DEPLOYMENT=mine/,
  );
  expect(() => requireServers('sas-grid-fsx')).not.toThrow();
  expect(() => requireServers('nfs-storage-server')).not.toThrow();
});

test('what exists is passed by parameters that the configuration leaves open', () => {
  expect(loadConfig('nfs-storage-server').existingNetwork).toEqual({});
  expect(Object.keys(parametersOf(SURROUNDINGS))).toEqual(
    'VpcId SubnetId AvailabilityZone SecurityGroupId PlacementGroupName ClientRange'.split(' '),
  );
});

describe('the network that existed is deleted', () => {
  test('when nothing is left in it', async () => {
    const { asked, clients: all } = clients();
    expect(await removeSurroundings(all, SURROUNDINGS)).toMatchObject({ passed: true });
    expect(asked.at(-1)).toBe('DeleteVpc');
    expect(asked.filter((name) => name === 'DeleteSubnet')).toHaveLength(2);
  });

  test('not without a word when an interface is left in it', async () => {
    const left = { NetworkInterfaces: [{ NetworkInterfaceId: 'eni-1', Description: 'Fixed address' }] };
    const { clients: all } = clients({ DescribeNetworkInterfaces: left });
    expect(await removeSurroundings(all, SURROUNDINGS)).toMatchObject({
      passed: false,
      detail: 'eni-1 (Fixed address) is left',
    });
  });

  test('as far as it can be, when AWS refuses a step', async () => {
    const refused = Object.assign(new Error('has dependencies'), { name: 'DependencyViolation' });
    const { asked, clients: all } = clients({ DeleteSecurityGroup: refused });
    expect(await removeSurroundings(all, SURROUNDINGS)).toMatchObject({
      passed: false,
      detail: 'DependencyViolation: has dependencies',
    });
    expect(asked.at(-1)).toBe('DeleteVpc');
  });
});

describe('another zone', () => {
  const verified = async (answer: unknown) => {
    const Parameters = [{ ParameterKey: 'AvailabilityZone' }, { ParameterKey: 'SubnetId' }];
    const { asked, clients: all } = clients({
      CreateChangeSet: answer,
      DescribeStacks: { Stacks: [{ Parameters }] },
    });
    const { passed, detail } = await verifyZoneRefused(all, 'mine-storage', 'us-east-1b');
    return { passed, detail, asked };
  };

  test('is refused by the rule', async () => {
    const rule = new Error('Template error: AvailabilityZone is not the zone of SubnetId');
    expect(await verified(rule)).toMatchObject({ passed: true, detail: 'us-east-1b' });
  });

  test('is a fault when it is accepted, and nothing is left of the question', async () => {
    const { passed, detail, asked } = await verified({});
    expect([passed, detail]).toEqual([false, 'CloudFormation would change the stack to us-east-1b']);
    expect(asked.at(-1)).toBe('DeleteChangeSet');
  });

  test('is a fault when it is refused for something else', async () => {
    expect(await verified(new Error('Rate exceeded'))).toMatchObject({
      passed: false,
      detail: 'Rate exceeded',
    });
  });
});
