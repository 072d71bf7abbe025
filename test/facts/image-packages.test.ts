import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { EL9_IMAGE_PACKAGES, EL9_NOT_THERE, type ImagePackage } from '../../constructs/facts/image-packages';
import { SYSTEM_PACKAGES } from '../../constructs/facts/packages';

const LIB = join(__dirname, '../../constructs/host/lib');

/** What an image of a kind gets in a step, with a backend. */
const namesOf = (step: ImagePackage['step'], kind: ImagePackage['kinds'][number], backend?: string) =>
  EL9_IMAGE_PACKAGES.filter((one) => one.step === step && one.kinds.includes(kind))
    .filter((one) => one.backend === undefined || one.backend === backend)
    .map(({ name }) => name);

/** What the host software would install of Lustre. */
function hostAsksFor(side: string, backend: string): string[] {
  const script = `FAMILY=rhel BACKEND=${backend}; source ${LIB}/lustre-packages.sh; lustre_packages ${side}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
}

test.each(['ldiskfs', 'zfs'])(
  'a server of %s gets all of Lustre that the host software asks for',
  (backend) => {
    expect(namesOf('lustre', 'lustre-server', backend)).toEqual(
      expect.arrayContaining(hostAsksFor('server', backend)),
    );
  },
);

test('a node gets all of Lustre that the host software asks for', () => {
  expect(namesOf('lustre', 'grid-node')).toEqual(expect.arrayContaining(hostAsksFor('client', 'ldiskfs')));
});

test('what roles ask for is in the image already, so that hosts install nothing', () => {
  const rhel = SYSTEM_PACKAGES['rhel-9']!.packages;
  for (const { name } of EL9_IMAGE_PACKAGES.filter(({ step }) => step === 'host')) {
    expect([name, rhel[name]]).toEqual([name, expect.any(String)]);
  }
  expect(namesOf('host', 'grid-node')).toEqual(
    expect.arrayContaining(['mdadm', 'xfsprogs', 'nfs-utils', 'tuned']),
  );
  expect(namesOf('host', 'lustre-server')).toContain('nginx');
});

test('each package stands once for an image, and none is one that the distribution has not', () => {
  for (const kind of ['lustre-server', 'grid-node'] as const) {
    for (const backend of ['ldiskfs', 'zfs']) {
      const all = (['kernel', 'lustre', 'host', 'node'] as const).flatMap((step) =>
        namesOf(step, kind, backend),
      );
      expect(all).toEqual([...new Set(all)]);
      expect(all.filter((name) => name in EL9_NOT_THERE.value)).toEqual([]);
    }
  }
});
