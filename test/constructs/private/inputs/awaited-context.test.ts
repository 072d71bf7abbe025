import { type App, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { GridNetwork, IntelLustre, NfsStorageServer, SasGridCluster } from '../../../../constructs';
import { inputTable, propertiesOf } from '../../../../constructs/private/inputs/table';
import { testApp } from '../../../helpers/app';
import { RightInputs } from '../../../helpers/right-inputs';

const { calls } = inputTable();
const env = { account: '111122223333', region: 'us-east-1' };
const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

/** A stack of an app; one parameter was looked up, and there is no answer in the context unless it is given. */
function stackWith(context: { [key: string]: unknown } = {}): { app: App; stack: Stack; dummy: string } {
  const app = testApp({}, { context });
  const stack = new Stack(app, 'Test', { env });
  return { app, stack, dummy: StringParameter.valueFromLookup(stack, '/x') };
}

type Put = (args: { [name: string]: unknown }, value: unknown) => void;

/** The places of texts (and of what is made of texts) in the arguments of a call. */
function* places(
  right: RightInputs,
  types: { readonly [name: string]: string },
  depth = 0,
): Generator<{ what: string; type: string; put: Put }> {
  for (const [name, type] of Object.entries(types)) {
    const bare = type.replace(/^\?/, '');
    if (['id', 'scope'].includes(name) && depth === 0) continue;
    if (/^(string|number|InstanceType)$/.test(bare))
      yield { what: name, type, put: (to, value) => (to[name] = value) };
    if (bare === 'string[]') yield { what: name, type, put: (to, value) => (to[name] = [value]) };
    const inner = bare.replace(/\[\]$/, '');
    const properties = propertiesOf(inner);
    if (!properties || depth > 2) continue;
    for (const place of places(right, properties, depth + 1)) {
      yield {
        what: `${name}.${place.what}`,
        type: place.type,
        put: (to, value) => {
          const struct = { ...right.struct(inner), ...(to[name] as object | undefined) };
          place.put(struct, value);
          to[name] = bare.endsWith('[]') ? [struct] : struct;
        },
      };
    }
  }
}

/** What a call says of arguments that are right but for some places. */
function refusal(
  call: string,
  whats: readonly string[],
  valueFor: typeof placeholder | undefined,
): Error | undefined {
  const { stack, dummy } = stackWith();
  const right = new RightInputs(stack);
  const args = right.args(call, 'Awaits');
  for (const { what, type, put } of places(right, calls[call]!)) {
    if (whats.includes(what)) put(args, valueFor?.(dummy, type.replace('?', '')));
  }
  try {
    right.call(call, Object.values(args));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const placeholder = (dummy: string, type: string) => {
  if (type === 'number') return Number(dummy);
  return type === 'InstanceType' ? new ec2.InstanceType(dummy) : dummy;
};

test.each(Object.keys(calls))('%s judges no text, type or number that waits for an answer', (call) => {
  // Without a scope nobody knows what a number waits for.
  const scoped = 'scope' in calls[call]!;
  const whats = [...places(new RightInputs(stackWith().stack), calls[call]!)]
    .filter(({ type }) => scoped || !type.includes('number'))
    .map(({ what }) => what);
  const faults: string[] = [];
  // All at once; one by one where some of them cannot be there together.
  if (refusal(call, whats, placeholder)) {
    for (const what of whats) {
      const error = refusal(call, [what], placeholder);
      // What it is in has no place there, whatever is in it.
      const anyway = error && refusal(call, [what], undefined)?.message === error.message;
      if (error && !anyway) faults.push(`${what}: ${error.name}: ${error.message}`);
    }
  }
  expect(faults).toEqual([]);
});

const VPC_ID = { vpcId: 'vpc-0123456789abcdef0' };

/** What people do with a VPC that is looked up. */
const LOOK_UPS: [string, (vpc: ec2.IVpc) => ec2.ISubnet[]][] = [
  ['subnets of a zone', (vpc) => vpc.selectSubnets({ availabilityZones: ['us-east-1a'] }).subnets],
  ['private subnets', (vpc) => vpc.privateSubnets],
  ['the first of none', (vpc) => [vpc.isolatedSubnets[0]!]],
];

test.each(LOOK_UPS)(
  'a VPC that is looked up, %s: synthesis tells the command what to look up',
  (_, select) => {
    const app = testApp();
    const stack = new Stack(app, 'Test', { env });
    const vpc = ec2.Vpc.fromLookup(stack, 'V', VPC_ID);
    const network = new GridNetwork(stack, 'N', { existing: { vpc, privateSubnets: select(vpc) } });
    const sharedFileSystem = new IntelLustre(stack, 'L', { network, machineImage });
    new NfsStorageServer(stack, 'F', {
      network,
      machineImage: ec2.MachineImage.lookup({ name: 'mine' }),
      hostedZone: HostedZone.fromLookup(stack, 'Z', { domainName: 'a.internal', privateZone: true }),
    });
    new SasGridCluster(stack, 'G', {
      network,
      machineImage,
      sharedFileSystem,
      nodeCount: 2,
      subnet: network.privateSubnets[0],
    });
    const missing = app
      .synth()
      .manifest.missing!.map(({ provider }) => provider)
      .sort();
    expect(missing).toEqual(['ami', 'hosted-zone', 'vpc-provider']);
  },
);

test('a zone that is looked up, of another stack: the same', () => {
  const app = testApp();
  const [zone] = new Stack(app, 'Other', { env }).availabilityZones;
  expect(zone).toMatch(/dummy/);
  new GridNetwork(new Stack(app, 'Test', { env }), 'N', { availabilityZone: zone });
  expect(app.synth().manifest.missing!.map(({ provider }) => provider)).toContain('availability-zones');
});

test('with an answer, values are judged', () => {
  const key = (name: string) => `ssm:account=111122223333:parameterName=${name}:region=us-east-1`;
  const made = (value: string) => {
    const { stack, dummy } = stackWith({ [key('/x')]: value });
    new GridNetwork(stack, 'N', { availabilityZone: dummy });
  };
  made('us-east-1b');
  expect(() => made('no zone')).toThrow(
    /availabilityZone is 'no zone'; allowed: the name of one Availability Zone/,
  );
  expect(() => made('')).toThrow(/availabilityZone is ''; allowed: a text that is not empty/);
  const { stack } = stackWith({ [key('/x')]: 'answered' });
  const vpc = new RightInputs(stack).of('IVpc') as ec2.IVpc;
  expect(() => new GridNetwork(stack, 'M', { existing: { vpc, privateSubnets: [] } })).toThrow(
    /existing.privateSubnets is \[\]; allowed: one subnet/,
  );
});
