import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lazy } from 'aws-cdk-lib';
import { HostBundle, HostRole, type HostSoftware } from '../../../constructs/host';
import { testStack } from '../../helpers/app';

const rendered = (bundle: HostBundle): string => String(testStack().resolve(bundle.userData().render()));

/** Runs the user data up to the start of the roles, under another root, as the first boot does. */
function unpacked(userData: string): string {
  const root = mkdtempSync(join(tmpdir(), 'own-software-'));
  const script = userData.replace(/^exec .*$/m, '');
  execFileSync('bash', ['-c', script], { env: { PATH: process.env.PATH, SAS_GRID_ROOT: root } });
  return root;
}

describe('software of others', () => {
  const CLIENT = {
    name: 'their-client',
    script: '# Not a comment of ours.\necho "$MODE $INSTANCE" >"$SAS_GRID_ROOT/started"',
  };
  const withSoftware = (more: Partial<HostSoftware> = {}) => {
    const bundle = new HostBundle();
    bundle.addRole(HostRole.SCRATCH, { SASWORK_DISKS: '1' });
    bundle.addSoftware({ ...CLIENT, ...more });
    return bundle;
  };

  test('is a role of the host beside those of the library, and is started again when it fails', () => {
    const userData = rendered(withSoftware({ settings: { MODE: 'fast and', INSTANCE: 'mine' } }));
    expect(userData).toContain('exec "$base/bin/sas-grid-bootstrap" scratch their-client');
    const root = unpacked(userData);
    const installed = (path: string) => readFileSync(join(root, 'opt/cdk-sas-grid', path), 'utf8');
    expect(installed('bin/start-their-client')).toBe(`#!/bin/bash\n${CLIENT.script}\n`);
    const service = installed('systemd/sas-grid-their-client.service');
    expect(service).toContain('Before=sas-grid-node.service\n');
    expect(service).toContain('OnFailure=sas-grid-retry.service\n');
    expect(existsSync(join(root, 'opt/cdk-sas-grid/systemd/sas-grid-retry.service'))).toBe(true);
    const program = join(root, 'opt/cdk-sas-grid/bin/sas-grid-their-client');
    execFileSync('bash', [program], { env: { PATH: process.env.PATH, SAS_GRID_ROOT: root } });
    expect(readFileSync(join(root, 'started'), 'utf8')).toBe('fast and mine\n');
    rmSync(root, { recursive: true });
  });

  test('changes nothing when it is given again, and is refused when it is another', () => {
    const bundle = withSoftware();
    const before = rendered(bundle);
    bundle.addSoftware(CLIENT);
    expect(rendered(bundle)).toBe(before);
    expect(() => bundle.addSoftware({ ...CLIENT, script: 'true' })).toThrow(
      /The software their-client is 'another'/,
    );
  });

  test.each<[string, Partial<HostSoftware>, RegExp]>([
    ['the name of a role', { name: 'nfs-client' }, /none of .*nfs-client, /],
    ['the name of a program of the host', { name: 'bootstrap' }, /none of .*bootstrap, /],
    ['the name of a command of the host', { name: 'health' }, /none of .*health, /],
    ['a path', { name: '../evil' }, /up to 32 lower-case letters/],
    ['no script', { script: ' ' }, /The script of their-client is 'empty'/],
    ['a token as a script', { script: Lazy.string({ produce: () => 'true' }) }, /is 'a token'.*settings/s],
    ['a package that is a command', { packages: ["x'; reboot '"] }, /package/],
    ['a setting in two lines', { settings: { A: '1\n2' } }, /text in one line/],
  ])('is refused with %s', (_, more, message) => {
    expect(() => withSoftware(more)).toThrow(message);
  });
});
