import type { AssemblyStack } from '../../../cli/preflight/assembly';
import { Unchecked } from '../../../cli/preflight/aws/ask';
import type { Aws } from '../../../cli/preflight/aws/port';
import { runChecks } from '../../../cli/preflight/checks/run';
import { AUTO_SCALING_KEY_ACTIONS } from '../../../constructs/facts/quotas';
import { GOOD, KEY, ROLE, STACKS, stackOf, subjectOf } from './subject';

/** Tags of what is not the deployment's. */
const OTHERS: { readonly [key: string]: string } = {};

/** What is not as it should be, a line each. */
async function problems(
  otherwise: Partial<Aws>,
  stacks: readonly AssemblyStack[] = STACKS,
): Promise<string[]> {
  const told = await runChecks(subjectOf(otherwise, stacks));
  return told
    .filter(({ status }) => status !== 'passed')
    .map(({ check, status, text, fix, action }) =>
      [check, status, text, fix, action].filter(Boolean).join(' | '),
    );
}

test('an account in which all is as it should be', async () => {
  expect(await problems({})).toEqual([]);
  const checks = new Set((await runChecks(subjectOf())).map(({ check }) => check));
  expect([...checks]).toHaveLength(8);
});

const imageWith = (change: object): Partial<Aws> => ({
  images: async (ids) => (await GOOD.images(ids)).map((one) => ({ ...one, ...change })),
});
const keyWith = (change: object): Partial<Aws> => ({
  key: async (arn) => ({ ...(await GOOD.key(arn))!, ...change }),
});

test.each<[string, Partial<Aws>, readonly string[]]>([
  [
    'no bootstrap',
    { parameter: async (name) => (name.startsWith('/cdk') ? undefined : 'ami-1') },
    [
      'bootstrap | failed | 123456789012/eu-west-1 is not bootstrapped',
      'npx cdk bootstrap aws://123456789012/eu-west-1',
    ],
  ],
  [
    'an old bootstrap',
    { parameter: async (name) => (name.startsWith('/cdk') ? '5' : 'ami-1') },
    ['the bootstrap is of version 5; version 6 or newer is needed'],
  ],
  [
    'a type that the zone lacks',
    { offerings: async (types) => types.map((type) => ({ type, zone: 'eu-west-1b' })) },
    [
      'instance types | failed | m6in.8xlarge (mine-storage/Servers) is not offered in eu-west-1a',
      'network.availabilityZone: eu-west-1b in config/mine.yaml',
    ],
  ],
  ['a type that the region lacks', { offerings: async () => [] }, ['is not offered in eu-west-1 |']],
  [
    'too few vCPUs beside those of others',
    {
      quota: async (service, code) => (code === 'L-1216C47A' ? 100 : GOOD.quota(service, code)),
      running: async () => [
        { type: 'm5.large', vcpus: 2, tags: OTHERS },
        { type: 'm6in.8xlarge', vcpus: 32, tags: { 'cdk-sas-grid:deployment': 'mine' } },
        { type: 'p5.48xlarge', vcpus: 192, tags: OTHERS },
      ],
    },
    [
      '96 vCPU needed, 32 in use beside it, of 100',
      '--service-code ec2 --quota-code L-1216C47A --desired-value 128',
    ],
  ],
  [
    'too little room for volumes',
    { volumes: async () => [{ type: 'io2', sizeGiB: 19.5 * 1024, iops: 0, tags: OTHERS }] },
    [
      '1 TiB needed, 19.5 in use beside it, of 20',
      '--service-code ebs --quota-code L-09BD8365 --desired-value 21',
    ],
  ],
  [
    'too few provisioned operations',
    { volumes: async () => [{ type: 'io2', sizeGiB: 1, iops: 60_000, tags: OTHERS }] },
    [
      '50000 IOPS needed, 60000 in use beside it, of 100000',
      '--quota-code L-8D977E7E --desired-value 110000',
    ],
  ],
  [
    'no address left',
    {
      quota: async (service, code) => (code === 'L-0263D0A3' ? 1 : GOOD.quota(service, code)),
      addresses: async () => [
        { tags: OTHERS },
        { tags: { 'aws:cloudformation:stack-name': 'mine-network' } },
      ],
    },
    ['1 Elastic IP needed, 1 in use beside it, of 1', '--quota-code L-0263D0A3 --desired-value 2'],
  ],
  [
    'no VPC left',
    {
      quota: async (service, code) => (code === 'L-F678F1CE' ? 1 : GOOD.quota(service, code)),
      vpcs: async () => [{ id: 'vpc-1', cidrs: ['10.0.0.0/16'], tags: OTHERS }],
    },
    ['1 VPC needed, 1 in use beside it, of 1', '--service-code vpc --quota-code L-F678F1CE'],
  ],
  [
    'too many rules of a group',
    { quota: async (service, code) => (code === 'L-0EA8095F' ? 0 : GOOD.quota(service, code)) },
    ['1 inbound rules needed, 0 in use beside it, of 0', '--quota-code L-0EA8095F --desired-value 1'],
  ],
  [
    'an image that is not there',
    { images: async () => [] },
    [
      'ami-1, the image of mine-storage/Servers, does not exist in eu-west-1, or is not shared with 123456789012',
      "--launch-permission 'Add=[{UserId=123456789012}]'",
    ],
  ],
  ['an image that nobody names', { parameter: async () => undefined }, ['the parameter /images/el9']],
  ['an image that is not made yet', imageWith({ state: 'pending' }), ['it is pending']],
  [
    'an image of another architecture',
    imageWith({ architecture: 'arm64' }),
    ['it is for arm64, and m6in.8xlarge has x86_64', 'it is for arm64, and i4i.8xlarge has x86_64'],
  ],
  [
    'a paravirtual image',
    imageWith({ virtualization: 'paravirtual' }),
    ['its virtualization is paravirtual'],
  ],
  [
    'an image that boots otherwise',
    imageWith({ bootMode: 'legacy-efi' }),
    ['it boots by legacy-efi, and m6in'],
  ],
  [
    'an image without ENA',
    imageWith({ ena: false }),
    ['it lacks ENA, without which m6in.8xlarge has no network'],
  ],
  [
    'an image whose snapshot is larger than the root volume',
    imageWith({ rootGiB: 40 }),
    ['its root device has 40 GiB, and mine-storage/Servers asks for 30 GiB'],
  ],
  [
    'a deprecated image',
    imageWith({ deprecated: '2020-01-01T00:00:00Z' }),
    ['images | warning | ', '2020-01-01'],
  ],
  [
    'no such service behind endpoints',
    { endpointServices: async () => [] },
    [
      'endpoint services | failed | there is no endpoint service com.amazonaws.eu-west-1.ssm (mine-network/Endpoint)',
    ],
  ],
  [
    'a service that the zone lacks',
    { endpointServices: async (names) => names.map((service) => ({ service, zones: ['eu-west-1b'] })) },
    ['com.amazonaws.eu-west-1.ssm (mine-network/Endpoint) is not in eu-west-1a'],
  ],
  ['no such key', { key: async () => undefined }, [`keys | failed | the key ${KEY} does not exist`]],
  [
    'a key that is to be deleted',
    keyWith({ state: 'PendingDeletion' }),
    [
      'is PendingDeletion',
      'aws kms cancel-key-deletion --region eu-west-1 --key-id 1234abcd-12ab-34cd-56ef-1234567890ab',
    ],
  ],
  ['an asymmetric key', keyWith({ symmetric: false }), ['is no symmetric key']],
  [
    'a key that Auto Scaling may not use',
    keyWith({ policy: { Statement: [] } }),
    ['does not let Auto Scaling launch hosts: kms:Encrypt, kms:Decrypt', `--grantee-principal ${ROLE}`],
  ],
  [
    "the account's own default key, which Auto Scaling may not use",
    {
      defaultKey: async () => `${KEY}-default`,
      key: async (arn) => ({ ...(await GOOD.key(arn))!, ...(arn === KEY ? {} : { policy: {} }) }),
    },
    [`the policy of ${KEY}-default does not let Auto Scaling launch hosts`],
  ],
  [
    'a VPC that will never be connected with another one',
    { vpcs: async () => [{ id: 'vpc-1', cidrs: ['172.16.8.0/24'], tags: OTHERS }] },
    ['networks | warning | 172.16.0.0/20 of mine-network/Vpc overlaps vpc-1 (172.16.8.0/24)'],
  ],
  [
    'a VPC that is connected with one that overlaps',
    {
      vpcs: async () => [
        { id: 'vpc-1', cidrs: ['172.16.0.0/20'], tags: { 'cdk-sas-grid:deployment': 'mine' } },
        { id: 'vpc-2', cidrs: ['172.16.0.0/12'], tags: OTHERS },
      ],
      connected: async () => [{ by: 'tgw-1', vpcId: 'vpc-2', cidrs: [] }],
    },
    [
      'networks | failed | 172.16.0.0/20 of mine-network/Vpc overlaps 172.16.0.0/12 of vpc-2, which tgw-1 connects it',
    ],
  ],
  [
    'a stack that takes no deployment',
    {
      stack: async (name) => ({
        status: name === 'mine-storage' ? 'UPDATE_ROLLBACK_FAILED' : 'CREATE_FAILED',
        physicalIds: [],
      }),
    },
    [
      'names | failed | the stack mine-storage is in UPDATE_ROLLBACK_FAILED',
      'before anything else: docs/operations/failed-deployment.md',
    ],
  ],
  [
    'a stack at work',
    { stack: async () => ({ status: 'UPDATE_IN_PROGRESS', physicalIds: [] }) },
    ['the stack mine-network is in UPDATE_IN_PROGRESS', 'wait until'],
  ],
  [
    'a name that is taken',
    { exists: async () => true },
    [
      'LogGroup /a/mine-storage (mine-storage/Logs) exists already',
      'aws logs describe-log-groups --log-group-name-prefix',
    ],
  ],
])('%s', async (_, otherwise, texts) => {
  const found = (await problems(otherwise)).join('\n');
  for (const text of texts) expect(found).toContain(text);
});

test('what the deployment has itself is in its own way nowhere', async () => {
  const own = { 'aws:cloudformation:stack-name': 'mine-storage' };
  const deployed: Partial<Aws> = {
    quota: async (service, code) =>
      code === 'L-1216C47A' ? 96 : code === 'L-09BD8365' ? 1 : GOOD.quota(service, code),
    running: async () => [1, 2, 3].map(() => ({ type: 'm6in.8xlarge', vcpus: 32, tags: own })),
    volumes: async () => [{ type: 'io2', sizeGiB: 1024, iops: 50_000, tags: own }],
    stack: async () => ({ status: 'UPDATE_FAILED', physicalIds: ['/a/mine-storage'] }),
    exists: async () => true,
  };
  expect(await problems(deployed)).toEqual([]);
});

test('a grant does as well as a statement of the key policy', async () => {
  const operations = AUTO_SCALING_KEY_ACTIONS.value.map((action) => action.replace('kms:', ''));
  expect(await problems(keyWith({ policy: {}, grants: [{ grantee: ROLE, operations }] }))).toEqual([]);
  const [less] = await problems(
    keyWith({ policy: {}, grants: [{ grantee: ROLE, operations: ['Encrypt'] }] }),
  );
  expect(less).toContain('does not let Auto Scaling launch hosts: kms:Decrypt');
});

test('a subnet in a VPC that exists overlaps another one', async () => {
  const template = {
    Resources: {
      Subnet: { Type: 'AWS::EC2::Subnet', Properties: { CidrBlock: '10.0.1.0/24', VpcId: 'vpc-1' } },
    },
  };
  const subnets = async () => [
    { id: 'subnet-1', cidr: '10.0.0.0/23', tags: OTHERS },
    { id: 'subnet-2', cidr: '10.0.2.0/24', tags: OTHERS },
  ];
  expect(await problems({ subnets }, [stackOf('mine', template)])).toEqual([
    expect.stringContaining(
      'networks | failed | 10.0.1.0/24 of mine/Subnet overlaps 10.0.0.0/23 of subnet-1 in vpc-1',
    ),
  ]);
});

test('rules that the deployment has put into an existing group are counted once', async () => {
  const rule = { Type: 'AWS::EC2::SecurityGroupIngress', Properties: { GroupId: 'sg-1' } };
  const stacks = [stackOf('mine', { Resources: { Rule: rule } })];
  const found = (ids: readonly string[]) =>
    problems(
      {
        quota: async () => 2,
        rules: async () => ids.map((id) => ({ id, outbound: false })),
        stack: async () => ({ status: 'CREATE_COMPLETE', physicalIds: ['sgr-own'] }),
      },
      stacks,
    );
  expect(await found(['sgr-own', 'sgr-other'])).toEqual([]);
  expect(await found(['sgr-a', 'sgr-b'])).toEqual([
    expect.stringContaining('1 inbound rules needed, 2 in use'),
  ]);
});

// Whatever cannot be asked, no check says that it passed.
test.each(Object.keys(GOOD) as (keyof Aws)[])('without the right to ask for %s', async (name) => {
  const refuse = async (): Promise<never> => {
    throw new Unchecked(`the right to ec2:${name} is missing`, `ec2:${name}`);
  };
  let asked = false;
  const noting = async (...args: []) => {
    asked = true;
    return (GOOD[name] as (...given: []) => unknown)(...args);
  };
  await problems({ [name]: noting } as Partial<Aws>);
  const found = (await problems({ [name]: refuse })).filter((text) => text.includes(`| ec2:${name}`));
  // This deployment has no existing group, and asks for no zones: those are known before.
  if (!asked) return;
  expect(found.length).toBeGreaterThan(0);
  for (const text of found) expect(text).toMatch(/ \| unchecked \| could not be checked: the right to ec2:/);
});

test('what is known at deployment only is not said to be right', async () => {
  const template = {
    Parameters: { Type: { Type: 'String' }, Image: { Type: 'AWS::EC2::Image::Id' } },
    Resources: {
      Host: {
        Type: 'AWS::EC2::Instance',
        Properties: {
          InstanceType: 'm6in.large',
          ImageId: { Ref: 'Image' },
          SubnetId: { Ref: 'Subnet' },
          BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeType: 'gp3' } }],
        },
      },
    },
  };
  const found = await problems({}, [stackOf('mine', template)]);
  expect(found.map((text) => text.split(' | ').slice(0, 2).join(' '))).toEqual([
    'instance types unchecked',
    'quotas unchecked',
    'images unchecked',
  ]);
});
