/**
 * benchmark-documents.ts FOLDER: writes each document of the benchmark as a script for the tests here, and the defaults
 * of its parameters.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarkDocuments } from '../../constructs/storage-benchmark/documents';

for (const { name, content, parameters } of benchmarkDocuments()) {
  const [step] = content.mainSteps;
  const defaults = Object.entries(parameters).map(([key, value]) => `${key}=${value.default ?? ''}\n`);
  writeFileSync(join(process.argv[2]!, `${name}.sh`), step!.inputs.runCommand.join('\n'));
  writeFileSync(join(process.argv[2]!, `${name}.defaults`), defaults.join(''));
}
