// Writes which packages each distribution has into the embedded AWS, whose hosts get no others. There is one table,
// constructs/facts/packages.ts. npx tsx scripts/export-packages.ts; test/localcloud/packages.test.ts fails when it was
// forgotten.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM_PACKAGES } from '../constructs/facts/packages';

export const PACKAGES_FILE = join(__dirname, '../proof/localcloud/sas_grid_localcloud/hosts/packages.json');

/** What the file has to say. */
export function packagesText(): string {
  const systems = Object.entries(SYSTEM_PACKAGES).map(
    ([release, { packages }]) =>
      `    ${JSON.stringify(release)}: ${JSON.stringify(Object.keys(packages).sort().join(' '))}`,
  );
  const about =
    'Made by scripts/export-packages.ts from constructs/facts/packages.ts. Change the table there.';
  return `{\n  "about": ${JSON.stringify(about)},\n  "systems": {\n${systems.join(',\n')}\n  }\n}\n`;
}

if (require.main === module) writeFileSync(PACKAGES_FILE, packagesText());
