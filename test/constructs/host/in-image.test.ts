import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { HostBundle, HostRole, type IHostImage, type ImageSoftware } from '../../../constructs/host';
import { currentHostSoftware } from '../../../constructs/host/in-image';

const HOST = join(__dirname, '../../../constructs/host');
const TODAY = currentHostSoftware();

const imageWith = (hostSoftware?: ImageSoftware): IHostImage => ({
  hostSoftware,
  getImage: () => ({
    imageId: 'ami-0123456789abcdef0',
    osType: ec2.OperatingSystemType.LINUX,
    userData: ec2.UserData.forLinux(),
  }),
});

function bundle(): HostBundle {
  const host = new HostBundle();
  host.addRole(HostRole.LUSTRE_MGS, { FSNAME: 'sasdata', BACKEND: 'ldiskfs', MONITORING: 'true' });
  return host;
}

const textOf = (host: HostBundle, image?: IHostImage): string =>
  new Stack().resolve(host.userData(undefined, image).render());

const rendered = (image?: IHostImage) => textOf(bundle(), image);

test('with an image that has the host software of today, user data is the settings and a list of files', () => {
  const short = rendered(imageWith(TODAY));
  expect(rendered().length).toBeGreaterThan(13_000);
  expect(short.length).toBeLessThan(2500);
  expect(short).toContain(`/usr/share/cdk-sas-grid/${TODAY.version}`);
  expect(short).toContain('FSNAME=sasdata');
});

test('an image without one of the files as it is today makes the host bring all of them', () => {
  const files = { ...TODAY.files, 'bin/sas-grid-serve': '0'.repeat(64) };
  expect(rendered(imageWith({ ...TODAY, files }))).toBe(rendered());
  expect(rendered(imageWith())).toBe(rendered());
});

test('a file that the host does not need may be another one: its user data stays, and nothing restarts', () => {
  const older = { version: 'f'.repeat(64), files: { ...TODAY.files, 'bin/sas-grid-gfs2': '0'.repeat(64) } };
  expect(rendered(imageWith(older))).toContain(`/usr/share/cdk-sas-grid/${older.version}`);
});

test('software of your own is in user data all the same', () => {
  const host = bundle();
  host.addSoftware({ name: 'their-client', script: 'mount /theirs' });
  const text = textOf(host, imageWith(TODAY));
  expect(text).toContain('BUNDLE');
  expect(text.length).toBeLessThan(6000);
});

describe('on a host', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'host-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  // What comes next is the bootstrap's matter.
  const boot = () => {
    const script = rendered(imageWith(TODAY)).replace(/^exec .*$/m, 'echo ready');
    return spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, SAS_GRID_ROOT: root },
    });
  };

  test('the files are where they would be without the image, and the same', () => {
    const software = join(root, 'usr/share/cdk-sas-grid', TODAY.version);
    mkdirSync(software, { recursive: true });
    for (const folder of ['bin', 'lib', 'sysctl', 'systemd'])
      cpSync(join(HOST, folder), join(software, folder), { recursive: true });
    expect(boot()).toMatchObject({ status: 0, stdout: 'ready\n' });
    const other = mkdtempSync(join(tmpdir(), 'host-'));
    try {
      const full = rendered().replace(/^exec .*$/m, '');
      execFileSync('bash', ['-c', full], { env: { ...process.env, SAS_GRID_ROOT: other } });
      const names = execFileSync('find', ['opt', 'etc', '-type', 'f'], { cwd: other, encoding: 'utf8' });
      for (const name of names.trim().split('\n'))
        expect([name, existsSync(join(root, name))]).toEqual([name, true]);
      const serve = 'opt/cdk-sas-grid/bin/sas-grid-serve';
      expect(readFileSync(join(root, serve), 'utf8')).toBe(
        readFileSync(join(HOST, 'bin/sas-grid-serve'), 'utf8'),
      );
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  test('an image without it says so, where whoever asks for the reason looks', () => {
    writeFileSync(join(root, 'nothing'), '');
    const { status, stderr } = boot();
    expect(status).toBe(1);
    expect(stderr).toContain('the image has no host software');
    const said = readFileSync(join(root, 'etc/sas-grid/install-failed'), 'utf8');
    expect(said).toContain(`${TODAY.version}: build it again, or name another image`);
  });
});
