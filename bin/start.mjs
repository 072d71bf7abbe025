// Starts the application from its TypeScript sources, for cdk.json. They are bundled anew at each start, so that what
// runs is never older than them; that takes less time than a loader such as tsx needs to look at each module of the
// libraries.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import inputTable from '../scripts/input-table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
// Two levels below the root: from here, constructs/private/package-root.ts finds the files of the project.
const folder = join(root, 'build', 'app');
const outfile = join(folder, 'sas-grid.js');

inputTable.ensureInputTable();
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['bin/sas-grid.ts'],
  outfile,
  write: false,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  keepNames: true,
  sourcemap: 'inline', // errors and warnings name the line of the source
  sourcesContent: false,
});
mkdirSync(folder, { recursive: true });
// Another start may be reading the file: it is replaced in one step, and by what the same sources give.
const written = `${outfile}.${process.pid}`;
writeFileSync(written, outputFiles[0].contents);
renameSync(written, outfile);

process.setSourceMapsEnabled(true);
createRequire(import.meta.url)(outfile);
