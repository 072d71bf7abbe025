import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_PACKAGES, THROUGHPUT_PERFORMANCE } from '../../constructs/facts/packages';

const ROOT = join(__dirname, '../..');
const HOST = join(ROOT, 'constructs/host');
const LIKE: { readonly [name: string]: string } = {
  amzn: 'fedora',
  rhel: 'fedora',
  debian: '',
  ubuntu: 'debian',
};

interface Asked {
  readonly system: string;
  readonly role: string;
  readonly name: string;
}

/** What each role asks for on each system, by the hosts' own shell functions. */
function askAll(): Asked[] {
  const folder = mkdtempSync(join(tmpdir(), 'sas-grid-packages-'));
  const files = Object.keys(SYSTEM_PACKAGES).map((system) => {
    const [id, version] = system.split('-') as [string, string];
    const file = join(folder, system);
    writeFileSync(
      file,
      `ID="${id}"\nID_LIKE="${LIKE[id] ?? 'rhel centos fedora'}"\nVERSION_ID="${version}"\n`,
    );
    return file;
  });
  try {
    const text = execFileSync('bash', [join(__dirname, 'asked-packages.sh'), HOST, ...files], {
      encoding: 'utf8',
    });
    return text
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string, string])
      .map(([system, role, name]) => ({ system, role, name: name.replace(/-KERNEL$/, '') }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ASKED = askAll();
const refused = (system: string) =>
  ASKED.filter((one) => one.system === system && one.name === 'refused').map(({ role }) => role);

test('every system that the documents name is listed, and asks for something', () => {
  const systems = Object.values(SYSTEM_PACKAGES).map(({ system }) => system);
  expect(systems).toHaveLength(10);
  for (const system of Object.keys(SYSTEM_PACKAGES)) {
    expect([system, ASKED.filter((one) => one.system === system).length > 10]).toEqual([system, true]);
  }
});

test('every package that a role asks for is one that the system has', () => {
  const lacking = ASKED.filter(({ name }) => name !== 'refused').filter(
    ({ system, name }) => SYSTEM_PACKAGES[system]!.packages[name] === undefined,
  );
  expect(lacking).toEqual([]);
});

test('roles are refused only where the distribution has not what they are', () => {
  // Lustre clients of a distribution are Amazon's; others name a repository.
  expect(refused('amzn-2023')).toEqual(['gfs2-node']);
  for (const system of Object.keys(SYSTEM_PACKAGES).filter((one) => one !== 'amzn-2023')) {
    expect([system, refused(system)]).toEqual([system, ['lustre-client']]);
  }
});

test('what a system lacks has another way, and is not there as well', () => {
  for (const { packages, missing } of Object.values(SYSTEM_PACKAGES)) {
    for (const [name, instead] of Object.entries(missing)) {
      expect([name, packages[name]]).toEqual([name, undefined]);
      expect(instead.length).toBeGreaterThan(10);
    }
  }
  expect(SYSTEM_PACKAGES['amzn-2023']!.missing.tuned).toContain('sas-grid-node');
});

test('a node without tuned sets what the profile of tuned sets', () => {
  const script = readFileSync(join(HOST, 'bin/sas-grid-node'), 'utf8');
  const { 'net.core.somaxconn': backlog, governor, ...fixed } = THROUGHPUT_PERFORMANCE.value;
  for (const [name, value] of Object.entries(fixed)) expect(script).toContain(`'${name} = ${value}'`);
  expect(script).toContain(`value > ${backlog} ? value : ${backlog}`);
  expect(script).toContain(`printf '${governor}\\n'`);
});

test('what is installed elsewhere than by a role is there, too', () => {
  const nat = readFileSync(join(ROOT, 'constructs/grid-network/nat-instance.ts'), 'utf8');
  for (const [, names] of nat.matchAll(/dnf install -y ([^']+)'/g)) {
    for (const name of names!.split(' ')) {
      expect([name, SYSTEM_PACKAGES['amzn-2023']!.packages[name]]).toEqual([name, 'amazonlinux']);
    }
  }
});

test('the tools of the benchmark are there, or are known to be missing', () => {
  const install = readFileSync(join(ROOT, 'constructs/storage-benchmark/programs/install.sh'), 'utf8');
  const tools = /of '(fio)', '(iperf3)', '(iozone)'/.exec(install)!.slice(1);
  for (const [release, { packages, missing }] of Object.entries(SYSTEM_PACKAGES)) {
    const debian = /^(debian|ubuntu)-/.test(release);
    for (const tool of tools.map((one) => (debian && one === 'iozone' ? 'iozone3' : one))) {
      expect([release, tool, (packages[tool] ?? missing[tool]) !== undefined]).toEqual([release, tool, true]);
    }
  }
});
