import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CfnParameter } from 'aws-cdk-lib';
import { HostBundle, HostRole } from '../../../constructs/host';
import { hostFiles } from '../../../constructs/private/package-root';
import { testStack } from '../../helpers/app';

const OSS = { FSNAME: 'sasfs', SERVICE: 'oss', VOLUMES_PER_SLOT: '8' };

function rendered(bundle: HostBundle): unknown {
  return testStack().resolve(bundle.userData().render());
}

function text(...roles: [HostRole, { [key: string]: string }][]): string {
  const bundle = new HostBundle();
  for (const [role, settings] of roles) bundle.addRole(role, settings);
  return String(rendered(bundle));
}

/** Runs the user data up to the start of the roles, under another root, as the first boot does. */
function unpacked(userData: string): string {
  const root = mkdtempSync(join(tmpdir(), 'host-bundle-'));
  const script = userData.replace(/^exec .*$/m, '');
  execFileSync('bash', ['-c', script], { env: { PATH: process.env.PATH, SAS_GRID_ROOT: root } });
  return root;
}

describe('user data', () => {
  const roots: string[] = [];
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true });
  });
  const unpack = (userData: string) => {
    const root = unpacked(userData);
    roots.push(root);
    return root;
  };

  test('unpacks the files of the roles as they are, with their modes', () => {
    const root = unpack(text([HostRole.NFS_CLIENT, {}]));
    const installed = join(root, 'opt/cdk-sas-grid');
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(installed, path)).isFile())
      .sort();
    expect(files).toContain('bin/sas-grid-mount-nfs');
    expect(files).toContain('systemd/sas-grid-nfs-client.target');
    for (const path of files) {
      expect(readFileSync(join(installed, path))).toEqual(readFileSync(join(hostFiles(), path)));
    }
    expect(statSync(join(installed, 'bin/sas-grid-mount-nfs')).mode & 0o777).toBe(0o755);
    expect(statSync(join(installed, 'lib/log.sh')).mode & 0o777).toBe(0o644);
  });

  test('has the software of no other role', () => {
    const root = unpack(text([HostRole.SCRATCH, { SASWORK_DISKS: '5' }]));
    expect(existsSync(join(root, 'opt/cdk-sas-grid/bin/sas-grid-scratch'))).toBe(true);
    expect(existsSync(join(root, 'opt/cdk-sas-grid/bin/sas-grid-serve'))).toBe(false);
  });

  test('writes the settings of each role and starts the roles', () => {
    const data = text(
      [
        HostRole.LUSTRE_CLIENT,
        { FSNAME: 'sasfs', TUNABLES: 'osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256' },
      ],
      [HostRole.GRID_NODE, { HOST_NAME: 'grid-01' }],
    );
    const root = unpack(data);
    expect(readFileSync(join(root, 'etc/sas-grid/lustre-client.env'), 'utf8')).toBe(
      'FSNAME=sasfs\nTUNABLES=osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256\n',
    );
    expect(readFileSync(join(root, 'etc/sas-grid/grid-node.env'), 'utf8')).toBe('HOST_NAME=grid-01\n');
    expect(data).toMatch(/^exec .*sas-grid-bootstrap" lustre-client grid-node$/m);
  });

  test('is the same for the same roles, in whatever order they came', () => {
    const scratch: [HostRole, { [key: string]: string }] = [HostRole.SCRATCH, { SASWORK_DISKS: '5' }];
    const client: [HostRole, { [key: string]: string }] = [HostRole.LUSTRE_CLIENT, { FSNAME: 'sasfs' }];
    expect(text(scratch, client)).toBe(text(client, scratch));
  });

  test('contains roles that were added after it was asked for', () => {
    const bundle = new HostBundle();
    const data = bundle.userData();
    bundle.addRole(HostRole.SCRATCH, { SASWORK_DISKS: '5' });
    expect(testStack().resolve(data.render())).toContain('SASWORK_DISKS=5');
  });

  test('takes settings whose values are known at deployment only', () => {
    const stack = testStack();
    const address = new CfnParameter(stack, 'Address').valueAsString;
    const bundle = new HostBundle();
    bundle.addRole(HostRole.LUSTRE_OSS, { ...OSS, MGS_NID: `${address}@tcp` });
    const joined = stack.resolve(bundle.userData().render())['Fn::Join'][1];
    expect(joined[1]).toEqual({ Ref: 'Address' });
    expect(joined[0]).toMatch(/\nMGS_NID=$/);
    expect(joined[2]).toMatch(/^@tcp\n/);
  });

  // A management server has the most software, and of the settings that can be long, only the repository's address.
  test.each([
    ['a Lustre management server', 512, [HostRole.LUSTRE_MGS]],
    ['a Lustre object storage server', 1536, [HostRole.LUSTRE_OSS]],
    ['a grid node', 1536, [HostRole.GRID_NODE, HostRole.SCRATCH, HostRole.LUSTRE_CLIENT]],
  ])('leaves room for settings on %s: %i bytes', (_, room, roles) => {
    const bundle = new HostBundle();
    for (const role of roles) bundle.addRole(role, {});
    bundle.addRole(roles[0]!, { TUNABLES: 'x'.repeat(room) });
    expect(String(rendered(bundle)).length).toBeLessThanOrEqual(16 * 1024);
  });

  test('drops comments, but not help texts, only where it would not fit otherwise', () => {
    const roomy = unpack(text([HostRole.NFS_CLIENT, {}]));
    const full = unpack(text([HostRole.NFS_CLIENT, { PADDING: 'x'.repeat(9000) }]));
    const read = (root: string, path: string) => readFileSync(join(root, 'opt/cdk-sas-grid', path), 'utf8');
    expect(read(roomy, 'lib/wait.sh')).toMatch(/^# wait_until SECONDS/m);
    expect(read(full, 'lib/wait.sh')).not.toMatch(/^ *#/m);
    for (const path of ['bin/sas-grid-mount-nfs', 'bin/sas-grid-bootstrap']) {
      const help = execFileSync(join(full, 'opt/cdk-sas-grid', path), ['--help'], { encoding: 'utf8' });
      expect(help).toBe(execFileSync(join(hostFiles(), path), ['--help'], { encoding: 'utf8' }));
    }
  });

  test('that is too large fails with its size, the limit and the biggest files', () => {
    const bundle = new HostBundle();
    bundle.addRole(HostRole.LUSTRE_OSS, { ...OSS, TUNABLES: 'x'.repeat(9000) });
    expect(() => rendered(bundle)).toThrow(
      /lustre-oss is \d{5} bytes; allowed: up to 16384\. Give .* biggest files are [a-z]+\/[a-z.-]+ \(\d+ bytes\)/,
    );
  });
});

describe('settings', () => {
  test('can be read back', () => {
    const bundle = new HostBundle();
    bundle.addRole(HostRole.LUSTRE_OSS, OSS);
    expect(bundle.setting(HostRole.LUSTRE_OSS, 'FSNAME')).toBe('sasfs');
    expect(bundle.setting(HostRole.SCRATCH, 'FSNAME')).toBeUndefined();
    expect([bundle.hasRole(HostRole.LUSTRE_OSS), bundle.hasRole(HostRole.SCRATCH)]).toEqual([true, false]);
  });

  test('are of one server role at most, since a host serves one slot', () => {
    const bundle = new HostBundle();
    bundle.addRole(HostRole.LUSTRE_OSS, OSS);
    bundle.addRole(HostRole.SCRATCH, {});
    expect(() => bundle.addRole(HostRole.NFS_SERVER, {})).toThrow(
      /serves a slot is 'nfs-server'; allowed: 'lustre-oss'.*one kind of host/,
    );
    expect(bundle.hasRole(HostRole.NFS_SERVER)).toBe(false);
  });

  test('given twice must agree', () => {
    const bundle = new HostBundle();
    bundle.addRole(HostRole.LUSTRE_OSS, OSS);
    bundle.addRole(HostRole.LUSTRE_OSS, { FSNAME: 'sasfs', BACKEND: 'zfs' });
    expect(bundle.setting(HostRole.LUSTRE_OSS, 'BACKEND')).toBe('zfs');
    expect(() => bundle.addRole(HostRole.LUSTRE_OSS, { NEW: '1', FSNAME: 'other' })).toThrow(
      /Setting FSNAME of role lustre-oss is 'other'; allowed: 'sasfs'.*HostBundle/,
    );
    expect(bundle.setting(HostRole.LUSTRE_OSS, 'NEW')).toBeUndefined();
  });

  test.each(['two\nlines', 'a\u0000b', "it's", '"quoted"', '$(reboot)', '`reboot`', 'back\\slash'])(
    'cannot hold %j',
    (value) => {
      expect(() => new HostBundle().addRole(HostRole.SCRATCH, { SASWORK_PATH: value })).toThrow(
        /Setting SASWORK_PATH of role scratch is .*; allowed: text in one line without quotes/s,
      );
    },
  );

  test('need an upper-case key', () => {
    expect(() => new HostBundle().addRole(HostRole.SCRATCH, { 'a=b': '1' })).toThrow(
      /key of role scratch is 'a=b'; allowed: upper-case/,
    );
  });
});
