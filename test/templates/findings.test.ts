import { type Acknowledgement, type Finding, judge, malformed, type Templates } from './findings';

const FILE = 'out/test/cdk.out-mine/mine-storage.template.json';
const TEMPLATES: Templates = {
  [FILE]: {
    Resources: {
      LustreMgsSeed11EC1E70: { Type: 'AWS::Lambda::Function' },
      LustreMgsSeedLog8A35D1AB: { Type: 'AWS::Logs::LogGroup' },
    },
  },
};
const finding = (more: Partial<Finding> = {}): Finding => ({
  tool: 'checkov',
  rule: 'CKV_AWS_116',
  message: 'dead letters',
  file: FILE,
  logicalId: 'LustreMgsSeed11EC1E70',
  ...more,
});
const entry = (more: Partial<Acknowledgement> = {}): Acknowledgement => ({
  rule: 'CKV_AWS_116',
  resources: ['AWS::Lambda::Function Lustre*Seed'],
  date: '2026-11-21',
  reason: 'The workflow repeats the call itself.',
  ...more,
});

test('a finding is open until an entry names its rule, its type, its name and its deployment', () => {
  const open = (of: Finding, by: Acknowledgement) => judge([of], [by], TEMPLATES).open.length === 1;
  expect(open(finding(), entry())).toBe(false);
  expect(open(finding(), entry({ deployment: 'mine' }))).toBe(false);
  expect(open(finding(), entry({ deployment: 'another' }))).toBe(true);
  expect(open(finding(), entry({ rule: 'CKV_AWS_117' }))).toBe(true);
  expect(open(finding(), entry({ resources: ['AWS::Lambda::Function Lustre*See'] }))).toBe(true);
  expect(open(finding(), entry({ resources: ['AWS::Logs::LogGroup Lustre*Seed'] }))).toBe(true);
  expect(open(finding({ logicalId: 'LustreMgsSeedLog8A35D1AB' }), entry())).toBe(true);
});

test('a finding about no resource cannot be acknowledged', () => {
  expect(judge([finding({ logicalId: undefined })], [entry()], TEMPLATES).open).toHaveLength(1);
});

test('an entry that nothing needs is reported, each resource of it for itself', () => {
  const resources = ['AWS::Lambda::Function Lustre*Seed', 'AWS::SQS::Queue Lustre*DeadLetters'];
  expect(judge([finding()], [entry({ resources })], TEMPLATES).unused).toEqual([
    { rule: 'CKV_AWS_116', resource: 'AWS::SQS::Queue Lustre*DeadLetters' },
  ]);
});

test.each([
  [
    'every resource of a type',
    entry({ resources: ['AWS::Lambda::Function *'] }),
    /Name the resources one by one/,
  ],
  ['every resource', entry({ resources: ['*'] }), /allowed: a whole type/],
  ['no resource', entry({ resources: undefined }), /allowed: a whole type/],
  ['no date', entry({ date: '' }), /has no date/],
  ['no reason', entry({ reason: 'noise' }), /has no reason/],
])('an entry for %s is refused', (_, wrong, message) => {
  expect(malformed([entry(), wrong]).join('\n')).toMatch(message);
  expect(malformed([entry()])).toEqual([]);
});
