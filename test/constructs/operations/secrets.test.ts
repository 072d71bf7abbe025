import { execFileSync } from 'node:child_process';
import { secretsProgram, withoutSecrets } from '../../../constructs/operations/secrets';

const SIGNED = 'https://b.s3.amazonaws.com/k?partNumber=1&X-Amz-Credential=ASIAX%2F2026&X-Amz-Signature=5e0f';

/** What goes in, and what must not come out of it. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['PASSWORD=hunter2 next', ['hunter2']],
  ['password: "two words", user: sas', ['two words']],
  [`db_password='two words' user=sas`, ['two words']],
  ['{"secretAccessKey":"wJalrXUtnFEMI/K7MDENG","region":"eu-west-1"}', ['wJalr']],
  ['{"message":"{\\"authToken\\":\\"abcdef\\",\\"a\\":1}"}', ['abcdef']],
  ['aws_session_token = IQoJb3', ['IQoJb3']],
  ['export API_KEY=k-123;', ['k-123']],
  ['mount -o vers=3,password=geheim,ro', ['geheim']],
  ['tool --db-password geheim --user sas', ['geheim']],
  [`tool --secret-key "ge heim" --user sas`, ['ge heim']],
  ['Authorization: AWS4-HMAC-SHA256 Credential=AK/2026, Signature=0f0f', ['Credential', '0f0f']],
  ['curl -H "Authorization: Basic dXNlcjpwYXNz" x', ['dXNlc']],
  ['got Bearer abcdefgh.ijkl', ['abcdefgh']],
  ['key AKIAIOSFODNN7EXAMPLE was used', ['IOSFODNN7EXAMPLE']],
  [`token ${'IQoJ'}${'b3JpZ2lu'.repeat(12)}`, ['b3JpZ2lu']],
  ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', ['hbGci', 'c2ln']],
  ['root:$6$saltsalt$hashhashhashhash:19000::', ['hashhash']],
  ['http://proxy:geheim@proxy.example.com:3128', ['geheim']],
  [SIGNED, ['ASIAX', '5e0f']],
  [`{"ResponseURL":"${SIGNED.replaceAll('&', '\\u0026')}"}`, ['ASIAX', '5e0f']],
  ['a -----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY----- b', ['MIIE']],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\nAAAA\n-----END PRIVATE KEY-----\nafter', ['MIIE', 'AAAA']],
];

/** What people look for, and have to find. */
const KEPT: readonly string[] = [
  'arn:aws:secretsmanager:eu-west-1:111122223333 was asked',
  'not authorized to perform: secretsmanager:GetSecretValue',
  'SecretArn: arn:aws:x',
  'i-0123456789abcdef0 serves oss-00, epoch 12',
  'LustreError: 137-5: sasfs-OST0000_UUID: not available for connect',
  'https://bucket.s3.eu-west-1.amazonaws.com/runs/1/report.html?versionId=3',
  'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '{"slot":"oss-00","servedEpoch":3,"command":{"id":"b8eac9c2-0000-4000-8000-000000000000"}}',
];

const bySed = (text: string): string =>
  execFileSync('sed', ['-E', secretsProgram()], { input: `${text}\n`, encoding: 'utf8' }).slice(0, -1);

describe.each([
  ['functions', withoutSecrets],
  ['hosts', bySed],
])('%s take out', (_, clean) => {
  test.each(LINES)('of %j the secret', (text, gone) => {
    const left = clean(text);
    expect(left).toContain('[removed: ');
    for (const secret of gone) expect(left).not.toContain(secret);
  });

  test('the whole of a key whose end is not there', () => {
    expect(clean('x\n-----BEGIN EC PRIVATE KEY-----\nMIIE\nAAAA')).not.toMatch(/MIIE|AAAA/);
  });

  test.each(KEPT)('nothing of %j', (text) => expect(clean(text)).toBe(text));
});

test('what stands around a secret stays', () => {
  expect(withoutSecrets('mount -o password=geheim,ro')).toBe('mount -o password=[removed: secret],ro');
  expect(withoutSecrets('http://me:geheim@host/')).toBe('http://me:[removed: password]@host/');
});

test('functions and hosts take out the same', () => {
  const single = LINES.map(([text]) => text).filter((text) => !text.includes('\n'));
  for (const text of single) expect(bySed(text)).toBe(withoutSecrets(text));
});
