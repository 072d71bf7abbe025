import { readFileSync } from 'node:fs';
import { PACKAGES_FILE, packagesText } from '../../scripts/export-packages';

test('hosts of the embedded AWS get packages of distributions (else: npx tsx scripts/export-packages.ts)', () => {
  expect(readFileSync(PACKAGES_FILE, 'utf8')).toBe(packagesText());
});
