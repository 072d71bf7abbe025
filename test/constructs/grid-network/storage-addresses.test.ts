import { type App, aws_ec2 as ec2, Size, Stack, Stage } from 'aws-cdk-lib';
import {
  GridNetwork,
  type GridNetworkProps,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorageServer,
  type StorageAddressBlock,
} from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';

// An address belongs to a name: no change of the code moves one without a word.

type Addresses = Record<string, readonly string[]>;

const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

const FILE_SYSTEMS: Record<string, (stack: Stack, network: GridNetwork) => Addresses> = {
  lustre: (stack, network) => {
    const { mgs, mds, oss } = new IntelLustre(stack, 'Lustre', {
      network,
      machineImage,
      monitoring: { enabled: false },
    });
    const of = (tier: typeof mgs) => tier.slots.map(({ address }) => address);
    return { 'Test/Lustre/mgs': of(mgs), 'Test/Lustre/mds': of(mds), 'Test/Lustre/oss': of(oss) };
  },
  nfs: (stack, network) => ({
    'Test/Nfs': [new NfsStorageServer(stack, 'Nfs', { network, machineImage }).address],
  }),
  io2: (stack, network) => ({
    'Test/Io2': new Io2BlockExpressGfs2(stack, 'Io2', {
      network,
      machineImage,
      nodeCount: 2,
      size: Size.gibibytes(1000),
    }).hosts.map(({ address }) => address),
  }),
  foreign: (_, network) => ({ files: network.reserveAddresses('files', 3)! }),
};

function build(order: readonly string[], storageAddressBlocks?: StorageAddressBlock[], app: App = testApp()) {
  const stack = testStack(app);
  const network = new GridNetwork(stack, 'Network', { storageAddressBlocks });
  const addresses = order.reduce<Addresses>(
    (found, name) => Object.assign(found, FILE_SYSTEMS[name]!(stack, network)),
    {},
  );
  const problems = network.node.validate();
  return { app, addresses, problems };
}

/** The entries that an error shows, by what stands before them. */
const entries = (text: string): StorageAddressBlock[] =>
  [...text.matchAll(/\{ owner: '([^']+)', firstAddress: '([^']+)', count: (\d+) \}/g)].map(
    ([, owner, firstAddress, count]) => ({
      owner: owner!,
      firstAddress: firstAddress!,
      count: Number(count),
    }),
  );

const lineOf = (problem: string, text: string): string =>
  problem.split('\n').find((line) => line.includes(text))!;

const orders = (names: readonly string[]): string[][] =>
  names.length < 2
    ? [[...names]]
    : names.flatMap((name) => orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));

describe('one owner', () => {
  test.each(Object.keys(FILE_SYSTEMS))('%s has the first addresses, as ever', (name) => {
    const { addresses, problems } = build([name]);
    expect(problems).toEqual([]);
    expect(Object.values(addresses).map(([first]) => first)).toEqual(
      ['172.16.4.64', '172.16.4.72', '172.16.4.80'].slice(0, Object.keys(addresses).length),
    );
  });
});

describe('two and more owners', () => {
  const names = ['lustre', 'nfs', 'foreign'];
  const { app, addresses: deployed, problems } = build(names);
  const blocks = entries(lineOf(problems[0]!, 'they all are deployed'));

  test('are refused by name, with the way out', () => {
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      /storageAddressBlocks is missing, and 3 owners .*: Test\/Lustre, Test\/Nfs, files; /,
    );
    expect(() => app.synth()).toThrow(/storageAddressBlocks is missing/);
  });

  test('what the error shows keeps the addresses of the order that was deployed', () => {
    const { addresses, problems } = build(names, blocks);
    expect(problems).toEqual([]);
    expect(addresses).toEqual(deployed);
  });

  test.each(orders(names))('%s, %s, %s: nobody moves', (...order) => {
    expect(build(order, blocks)).toMatchObject({ addresses: deployed, problems: [] });
  });

  test.each(names)('without %s nobody moves', (gone) => {
    const { addresses, problems } = build(
      names.filter((name) => name !== gone),
      blocks,
    );
    expect(problems).toEqual([]);
    expect(deployed).toMatchObject(addresses);
  });

  test.each(names)('%s alone was deployed: the error shows how it keeps its addresses', (first) => {
    const alone = build([first]).addresses;
    for (const order of orders(names)) {
      const [problem] = build(order).problems;
      const owner = Object.keys(alone)[0]!.replace('/mgs', '');
      const shown = entries(lineOf(problem!, `- ${owner}: `));
      expect(build(order, shown)).toMatchObject({ addresses: alone, problems: [] });
    }
  });

  test('one that is not listed is refused, with an entry that moves nobody', () => {
    const order = ['io2', ...names];
    const [problem, ...more] = build(order, blocks).problems;
    expect(more).toEqual([]);
    expect(problem).toMatch(/storageAddressBlocks has no entry for Test\/Io2\/Cluster; /);
    const { addresses, problems } = build(order, [...blocks, ...entries(problem!)]);
    expect(problems).toEqual([]);
    expect(addresses).toMatchObject(deployed);
    expect(new Set(Object.values(addresses).flat()).size).toBe(Object.values(addresses).flat().length);
  });
});

describe('an owner that grows', () => {
  const blocks = [
    { owner: 'files', firstAddress: '172.16.4.64', count: 2 },
    { owner: 'others', firstAddress: '172.16.4.66', count: 1 },
  ];
  const network = (more: StorageAddressBlock[] = []) =>
    new GridNetwork(testStack(), 'Network', { storageAddressBlocks: [...blocks, ...more] });

  test('beyond its block is refused, and a second one moves nobody', () => {
    let message = '';
    try {
      network().reserveAddresses('files', 4);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/addresses for files is 4; allowed: at most 2.*Add a second entry/);
    expect(network(entries(message)).reserveAddresses('files', 4)).toEqual([
      '172.16.4.64',
      '172.16.4.65',
      '172.16.4.72',
      '172.16.4.73',
    ]);
  });

  test('a name that has addresses already is another owner', () => {
    const { reserveAddresses } = GridNetwork.prototype;
    const grown = network();
    reserveAddresses.call(grown, 'files', 1);
    expect(() => grown.reserveAddresses('files', 1)).toThrow(/'files'; allowed: a name that has none yet/);
  });
});

test('the same code in two stages has the same names', () => {
  const app = testApp();
  const blocks = [
    { owner: 'Storage/A', firstAddress: '172.16.4.80', count: 8 },
    { owner: 'Storage/B', firstAddress: '172.16.4.64', count: 8 },
  ];
  for (const id of ['Test', 'Prod']) {
    const stage = new Stage(app, id, { env: TEST_ENV });
    const network = new GridNetwork(new Stack(stage, 'Network'), 'Network', { storageAddressBlocks: blocks });
    expect(network.reserveAddresses(`${id}/Storage/A`, 1)).toEqual(['172.16.4.80']);
    expect(network.reserveAddresses(`${id}/Storage/B`, 1)).toEqual(['172.16.4.64']);
    expect(network.node.validate()).toEqual([]);
  }
});

describe('entries that cannot be', () => {
  const block = { owner: 'files', firstAddress: '172.16.4.64', count: 8 };
  const wrong: [string, StorageAddressBlock[], RegExp][] = [
    [
      'nobody',
      [{ ...block, owner: '' }],
      /storageAddressBlocks\[0\].owner is ''; allowed: a text that is not empty. .+/,
    ],
    ['no count', [{ ...block, count: 0 }], /1 or more/],
    ['half a server', [{ ...block, count: 1.5 }], /whole number/],
    [
      'no address',
      [{ ...block, firstAddress: 'x' }],
      /reserved for storage: 172.16.4.64 and the 127 after it/,
    ],
    ['not reserved', [{ ...block, firstAddress: '172.16.4.63' }], /'files: 172.16.4.63, 8'.*Move the block/],
    ['too long', [{ ...block, firstAddress: '172.16.4.191', count: 2 }], /Move the block/],
    [
      'twice',
      [block, { owner: 'b', firstAddress: '172.16.4.71', count: 1 }],
      /addresses that files does not have/,
    ],
    ['itself twice', [block, block], /addresses that files does not have/],
  ];

  test.each(wrong)('%s', (_, storageAddressBlocks, message) => {
    expect(() => new GridNetwork(testStack(), 'Network', { storageAddressBlocks })).toThrow(message);
  });

  test('where nothing is reserved', () => {
    const stack = testStack();
    const vpc = ec2.Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['us-east-1a'],
      privateSubnetIds: ['subnet-0123456789abcdef0'],
    });
    const props: GridNetworkProps = {
      existing: { vpc, privateSubnets: vpc.privateSubnets },
      storageAddressBlocks: [block],
    };
    expect(() => new GridNetwork(stack, 'Network', props)).toThrow(/none where no addresses are reserved/);
  });
});
