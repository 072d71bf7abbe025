import type { Template } from '../upgrade/differences';
import { problems } from './judge';
import type { State } from './state';

type Resource = { Type: string; DeletionPolicy?: string; Properties?: Record<string, unknown> };
interface Parts {
  readonly resources?: Record<string, Resource>;
  readonly exports?: Record<string, unknown>;
  readonly imports?: readonly string[];
}

/** Stacks in their order, `a` before `b`. */
const state = (stacks: Record<string, Parts>): State => ({
  kept: {},
  stacks: Object.entries(stacks).map(([name, { resources = {}, exports = {}, imports = [] }]) => {
    const user = {
      Type: 'AWS::SNS::Topic',
      Properties: { DisplayName: imports.map((one) => ({ 'Fn::ImportValue': one })) },
    };
    const template: Template = {
      Resources: { ...resources, User: user },
      Outputs: Object.fromEntries(
        Object.entries(exports).map(([id, Value]) => [id, { Value, Export: { Name: id } }]),
      ),
    };
    return { name, templates: { [`${name}.json`]: template } };
  }),
});

const GROUP = {
  Group: { Type: 'AWS::EC2::SecurityGroup', Properties: { GroupDescription: 'one', VpcId: 'vpc-1' } },
};
const OTHER = {
  Group: { Type: 'AWS::EC2::SecurityGroup', Properties: { GroupDescription: 'two', VpcId: 'vpc-1' } },
};
const record = (id: string, value: string): Record<string, Resource> => ({
  [id]: {
    Type: 'AWS::Route53::RecordSet',
    Properties: { Name: 'a.example.com', Type: 'A', HostedZoneId: 'Z1', ResourceRecords: [value] },
  },
});
const server = (more: Record<string, unknown>): Record<string, Resource> => ({
  Server: {
    Type: 'AWS::EC2::Instance',
    Properties: {
      ImageId: 'ami-1',
      NetworkInterfaces: [{ NetworkInterfaceId: { Ref: 'Interface' } }],
      ...more,
    },
  },
});

test.each<[what: string, before: Record<string, Parts>, after: Record<string, Parts>, found: RegExp]>([
  [
    'an export that goes while a stack that comes later imports it',
    { a: { exports: { x: { Ref: 'User' } } }, b: { imports: ['x'] } },
    { a: {}, b: {} },
    /export x goes or changes, and b imports it/,
  ],
  [
    'an export of what is replaced',
    { a: { resources: GROUP, exports: { x: { Ref: 'Group' } } }, b: { imports: ['x'] } },
    { a: { resources: OTHER, exports: { x: { Ref: 'Group' } } }, b: { imports: ['x'] } },
    /export x goes or changes, and b imports it/,
  ],
  [
    'an import of what comes later',
    { a: {}, b: {} },
    { a: { imports: ['x'] }, b: { exports: { x: { Ref: 'User' } } } },
    /a: imports x, which nobody exports yet/,
  ],
  ['a stack that is left', { a: {}, b: {} }, { a: {} }, /b: stays deployed/],
  [
    'a new resource that needs the name of the one that it replaces',
    { a: { resources: record('Former', '10.0.0.1') } },
    { a: { resources: record('Latter', '10.0.0.1') } },
    /Latter needs AWS::Route53::RecordSet .*, which Former has until the end/,
  ],
  [
    'a new server that needs the interface of the former one',
    { a: { resources: server({}) } },
    { a: { resources: server({ ImageId: 'ami-2' }) } },
    /Server needs the interface .*, which Server has until the end/,
  ],
  [
    'a server that is protected',
    { a: { resources: server({ DisableApiTermination: true }) } },
    { a: {} },
    /deletes Server, which is protected against termination/,
  ],
  [
    'what stays behind under a name',
    {
      a: {
        resources: {
          Bucket: { Type: 'AWS::S3::Bucket', DeletionPolicy: 'Retain', Properties: { BucketName: 'mine' } },
        },
      },
    },
    { a: {} },
    /Bucket stays behind and keeps AWS::S3::Bucket \["mine"\]/,
  ],
  [
    'another type under one id',
    { a: { resources: { Thing: { Type: 'AWS::SNS::Topic' } } } },
    { a: { resources: { Thing: { Type: 'AWS::SQS::Queue' } } } },
    /Thing changes from AWS::SNS::Topic to AWS::SQS::Queue/,
  ],
  [
    'a table that is deleted',
    { a: { resources: { Map: { Type: 'AWS::DynamoDB::Table', Properties: {} } } } },
    { a: {} },
    /deletes Map AWS::DynamoDB::Table/,
  ],
])('%s is told', (_, before, after, found) => {
  expect(problems(state(before), state(after)).join('\n')).toMatch(found);
});

test('what nobody imports may go, and what nobody else needs may be replaced', () => {
  const before = state({ a: { resources: GROUP, exports: { x: { Ref: 'User' } } }, b: {} });
  expect(problems(before, state({ a: { resources: OTHER }, b: {} }))).toEqual([]);
  expect(problems(before, before)).toEqual([]);
});
