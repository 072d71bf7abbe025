import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignatureV4 } from '@smithy/signature-v4';
import { Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { HostBundle, HostRole } from '../../../constructs/host';
import { hostFiles } from '../../../constructs/private/package-root';
import { nagFindings, TEST_ENV, testApp, testStack } from '../../helpers/app';
import { userDataTexts } from '../shared-file-system/user-data';

// A node of a SAS grid that is also a member of a GFS2 cluster: 18.4 KiB.
const LARGE = [HostRole.GRID_NODE, HostRole.SCRATCH, HostRole.GFS2_NODE];

function host(scope: Construct, roles: HostRole[]): HostBundle {
  const bundle = new HostBundle();
  const grantee = new iam.Role(scope, 'Role', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') });
  new ec2.LaunchTemplate(scope, 'Host', {
    instanceType: new ec2.InstanceType('r5b.large'),
    machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
    userData: bundle.userData({ scope, grantee }),
  });
  // Late, as constructs do that get the bundle.
  for (const each of roles) bundle.addRole(each, { SETTING: each });
  return bundle;
}

function synthesized(roles: HostRole[]): { template: Template; files: string } {
  const app = testApp({ 'aws:cdk:disable-asset-staging': false });
  const stack = testStack(app);
  host(stack, roles);
  return { template: Template.fromStack(stack), files: app.outdir };
}

/** User data as the host gets it. */
const deployed = (text: string) => text.replaceAll(`\${{"Ref":"AWS::URLSuffix"}}`, 'amazonaws.com');

const statements = (template: Template) =>
  Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );

describe('host software that does not fit into user data', () => {
  const { template, files } = synthesized(LARGE);
  const [text] = userDataTexts(template);
  const [key] = /[0-9a-f]{64}\.gz/.exec(text!)!;

  test('is an object of S3, and user data is small', () => {
    expect(text!.length).toBeLessThan(6 * 1024);
    expect(deployed(text!)).toContain(`'https://s3.us-east-1.amazonaws.com/cdk-hnb659fds-assets-`);
    expect(text).toMatch(/^SETTING=gfs2-node$/m);
    expect(text).toMatch(/^exec .*sas-grid-bootstrap" gfs2-node scratch grid-node$/m);
  });

  test('is verified against the SHA-256 of what was synthesized', () => {
    const content = readFileSync(join(files, `asset.${key}`));
    expect(text).toContain(createHash('sha256').update(content).digest('hex'));
  });

  test('may be read by the role of the hosts, that one object and nothing else', () => {
    expect(statements(template)).toEqual([
      {
        Sid: 'HostSoftware',
        Effect: 'Allow',
        Action: 's3:GetObject',
        Resource: {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              `:s3:::cdk-hnb659fds-assets-${TEST_ENV.account}-${TEST_ENV.region}/${key}`,
            ],
          ],
        },
      },
    ]);
  });

  test('has no finding of cdk-nag', () => {
    expect(nagFindings((scope) => void host(scope, LARGE))).toEqual([]);
  });

  test('is refused where nobody said where it goes, with the way out', () => {
    const bundle = new HostBundle();
    for (const role of LARGE) bundle.addRole(role, {});
    expect(() => testStack().resolve(bundle.userData().render())).toThrow(
      /is \d{5} bytes; allowed: up to 16384\. .*userData\(\) an overflow.*biggest files/,
    );
  });

  test('leaves settings in user data, which have to fit', () => {
    const stack = testStack();
    host(stack, LARGE).addRole(HostRole.SCRATCH, { PADDING: 'x'.repeat(16_000) });
    expect(() => Template.fromStack(stack)).toThrow(/is \d{5} bytes; allowed: up to 16384.*shorter settings/);
  });
});

test('host software that fits stays in user data: no object and no right', () => {
  const { template, files } = synthesized([HostRole.SCRATCH]);
  expect(statements(template)).toEqual([]);
  expect(readdirSync(files).filter((name) => name.endsWith('.gz'))).toEqual([]);
  expect(userDataTexts(template)[0]).toContain("<<'BUNDLE'");
});

describe('the first boot', () => {
  const { template, files } = synthesized(LARGE);
  const [text] = userDataTexts(template);
  const [key] = /[0-9a-f]{64}\.gz/.exec(text!)!;
  const object = readFileSync(join(files, `asset.${key}`));
  const secret = { AccessKeyId: 'AKIDEXAMPLE', SecretAccessKey: 'its/secret+key', Token: 'a//long==token' };
  const seen: IncomingMessage[] = [];
  let answers: ((request: IncomingMessage) => [number, Buffer | string])[] = [];
  let server: Server;
  const roots: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const [status, body] = answer(request);
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    for (const root of roots) rmSync(root, { recursive: true });
  });
  beforeEach(() => {
    seen.length = 0;
    answers = [];
  });

  // EC2's metadata service, version 2 only, and S3.
  function answer(request: IncomingMessage): [number, Buffer | string] {
    const { url, method, headers } = request;
    if (url === '/latest/api/token') return method === 'PUT' ? [200, 'session'] : [405, ''];
    if (url!.startsWith('/latest/')) {
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return [401, ''];
      return [200, url!.endsWith('/credentials/') ? 'the-role\n' : JSON.stringify(secret)];
    }
    seen.push(request);
    return (answers.shift() ?? (() => [200, object]))(request);
  }

  interface Boot {
    readonly status: number;
    readonly stderr: string;
    readonly root: string;
  }

  async function boot(wait = '5'): Promise<Boot> {
    const root = mkdtempSync(join(tmpdir(), 'host-overflow-'));
    roots.push(root);
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = {
      PATH: process.env.PATH,
      SAS_GRID_ROOT: root,
      SAS_GRID_WAIT: wait,
      SAS_GRID_POLL: '0.05',
      SAS_GRID_PAUSE: '0.05',
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint,
      http_proxy: 'http://127.0.0.1:1',
      no_proxy: '127.0.0.1',
    };
    const script = deployed(text!).replace(/^exec .*$/m, 'echo started');
    return new Promise((resolve) => {
      execFile('bash', ['-c', script], { env }, (error, _, stderr) =>
        resolve({ status: error ? Number(error.code) : 0, stderr, root }),
      );
    });
  }

  test('fetches, verifies and unpacks the files as they are', async () => {
    const { status, root } = await boot();
    expect(status).toBe(0);
    const installed = join(root, 'opt/cdk-sas-grid');
    for (const path of [
      'bin/sas-grid-gfs2',
      'lib/gfs2.sh',
      'bin/sas-grid-node',
      'systemd/sas-grid-scratch.target',
    ]) {
      expect(readFileSync(join(installed, path))).toEqual(readFileSync(join(hostFiles(), path)));
    }
    expect(readFileSync(join(root, 'etc/sas-grid/gfs2-node.env'), 'utf8')).toBe('SETTING=gfs2-node\n');
    expect(existsSync(join(root, 'etc/sas-grid/install-failed'))).toBe(false);
  });

  test('signs as the SDK of AWS does', async () => {
    await boot();
    const { headers, url } = seen[0]!;
    const signer = new SignatureV4({
      service: 's3',
      region: 'us-east-1',
      uriEscapePath: false,
      credentials: {
        accessKeyId: secret.AccessKeyId,
        secretAccessKey: secret.SecretAccessKey,
        sessionToken: secret.Token,
      },
      sha256: Sha256,
    });
    const names = ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
    const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(String(headers['x-amz-date']))!;
    const day = date!.replace(/(....)(..)(..)/, '$1-$2-$3');
    const iso = `${day}T${time!.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
    const signed = await signer.sign(
      {
        method: 'GET',
        protocol: 'http:',
        hostname: String(headers.host),
        path: url!,
        query: {},
        headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
      },
      { signingDate: new Date(iso) },
    );
    expect(headers.authorization).toBe(signed.headers.authorization);
  });

  test('goes on when role, policy or network come later than the host', async () => {
    answers = [() => [403, 'AccessDenied'], () => [503, 'SlowDown']];
    const { status } = await boot();
    expect([status, seen.length]).toEqual([0, 3]);
  });

  test('says why when it takes too long, and begins again', async () => {
    answers = [() => [403, '<Code>AccessDenied</Code>']];
    const { status, stderr, root } = await boot('0');
    expect([status, seen.length]).toEqual([0, 2]);
    expect(stderr).toContain('AccessDenied');
    // What installs the rest takes it away when it is done.
    expect(readFileSync(join(root, 'etc/sas-grid/install-failed'), 'utf8')).toMatch(
      /host software did not come \(1\): cannot fetch .*403.*AccessDenied/,
    );
    expect(existsSync(join(root, 'opt/cdk-sas-grid/bin/sas-grid-bootstrap'))).toBe(true);
  });

  test('uses nothing that is not what was synthesized', async () => {
    const found: unknown[] = [];
    answers = [
      () => [200, Buffer.concat([object, Buffer.from([0])])],
      () => {
        const told = readFileSync(join(roots.at(-1)!, 'etc/sas-grid/install-failed'), 'utf8');
        found.push(existsSync(join(roots.at(-1)!, 'opt/cdk-sas-grid/bin/sas-grid-bootstrap')), told);
        return [200, object];
      },
    ];
    expect((await boot()).status).toBe(0);
    expect(found).toEqual([false, expect.stringMatching(/SHA-256 .* as at synthesis/)]);
  });
});

/** What the signer wants of a hash. */
class Sha256 {
  private readonly hash;
  constructor(secret?: unknown) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }
  update(data: string | Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.hash.digest());
  }
  reset(): void {}
}
