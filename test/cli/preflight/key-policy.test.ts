import { allows, mayDeny } from '../../../cli/preflight/checks/key-policy';
import { ROLE } from './subject';

const asked = { action: 'kms:CreateGrant', role: ROLE, account: '123456789012' };
const ALL = { Effect: 'Allow', Action: 'kms:*', Principal: { AWS: ROLE } };
const EVERYBODY = { Effect: 'Allow', Action: ['kms:Encrypt', 'kms:CreateGrant'], Principal: { AWS: '*' } };

test.each([
  ['the role is named', [ALL], true],
  [
    'the account is named, which only lets policies decide',
    [{ ...ALL, Principal: { AWS: 'arn:aws:iam::123456789012:root' } }],
    false,
  ],
  ['another action is allowed', [{ ...ALL, Action: 'kms:Decrypt' }], false],
  ['a pattern has the action', [{ ...ALL, Action: 'kms:Create*' }], true],
  ['all but others', [{ ...ALL, Action: undefined, NotAction: 'kms:PutKeyPolicy' }], true],
  ['all but this', [{ ...ALL, Action: undefined, NotAction: 'kms:CreateGrant' }], false],
  ['everybody', [EVERYBODY], true],
  [
    'everybody who is the role, as this project writes it',
    [
      {
        ...EVERYBODY,
        Condition: {
          StringEquals: { 'aws:PrincipalArn': ROLE, 'kms:CallerAccount': '123456789012' },
          Bool: { 'kms:GrantIsForAWSResource': 'true' },
        },
      },
    ],
    true,
  ],
  [
    'everybody of another account',
    [{ ...EVERYBODY, Condition: { StringEquals: { 'kms:CallerAccount': '1' } } }],
    false,
  ],
  [
    'a condition that nobody here knows',
    [{ ...ALL, Condition: { DateLessThan: { 'aws:CurrentTime': 'x' } } }],
    false,
  ],
  ['it is denied', [ALL, { ...ALL, Effect: 'Deny' }], false],
  [
    'another role is denied',
    [ALL, { ...ALL, Effect: 'Deny', Principal: { AWS: 'arn:aws:iam::1:role/x' } }],
    true,
  ],
])('%s', (_, Statement, expected) => {
  expect(allows({ Statement }, asked)).toBe(expected);
});

test('a denial under a condition that nobody here knows may hold; one that is understood is judged', () => {
  const unless = (Condition: object) => ({ Statement: [ALL, { ...ALL, Effect: 'Deny', Condition }] });
  expect(mayDeny(unless({ StringNotEquals: { 'aws:PrincipalOrgID': 'o-1' } }), asked)).toBe(true);
  expect(mayDeny(unless({ StringEquals: { 'kms:ViaService': 'x' } }), asked)).toBe(true);
  expect(mayDeny(unless({ StringEquals: { 'kms:CallerAccount': '1' } }), asked)).toBe(false);
  expect(mayDeny({ Statement: [ALL] }, asked)).toBe(false);
});
