import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../private/package-root';
import { type DocumentParameter, PARAMETERS, SHARED_PARAMETERS } from './document-parameters';

/** Documents of the benchmark: the tests of lambda/shared/benchmark/plan.ts, and what goes before and after them. */
export type BenchmarkDocumentName = keyof typeof PARAMETERS;

/** A document of Systems Manager (`documentType: 'Command'`, `documentFormat: 'JSON'`). */
export interface BenchmarkDocument {
  readonly name: BenchmarkDocumentName;
  readonly content: DocumentContent;
  /** Of the program: the first 16 digits of its SHA-256. The program tells it in its `host` record. */
  readonly hash: string;
  /** What the document takes, by name. */
  readonly parameters: Record<string, DocumentParameter>;
}

interface DocumentContent {
  readonly schemaVersion: '2.2';
  readonly description: string;
  readonly parameters: Record<string, DocumentParameter & { readonly type: 'String' }>;
  readonly mainSteps: readonly DocumentStep[];
}

interface DocumentStep {
  readonly action: 'aws:runShellScript';
  readonly name: string;
  readonly precondition: { readonly StringEquals: readonly string[] };
  readonly inputs: { readonly timeoutSeconds: string; readonly runCommand: readonly string[] };
}

/** Parts of programs, in the order in which they stand. */
const COMMON = ['records', 'host', 'place', 'busy', 'run'];

const DESCRIPTIONS: Record<BenchmarkDocumentName, string> = {
  'sas-io': 'Sequential writes and reads, one process for each physical core',
  iozone: 'IOzone: write, rewrite, read, reread',
  fio: 'fio: sequential, mixed and small-file loads',
  'mixed-sas': 'Mixed workload of computing, memory and I/O, like that of SAS',
  network: 'Network between hosts, by iperf3 or LNet self-test',
  'raw-device': 'Reads of EBS volumes and instance store without a file system',
  'lustre-server': 'Object storage targets of Lustre without clients, by obdfilter-survey',
  install: 'Installs tools that the tests need',
  'clean-up': 'Removes what a run of the benchmark may have left on a host',
};

/** The content of every document, from the programs in this package and with its version. */
export function benchmarkDocuments(): BenchmarkDocument[] {
  const version = packageVersion();
  return (Object.keys(PARAMETERS) as BenchmarkDocumentName[]).map((name) => benchmarkDocument(name, version));
}

function benchmarkDocument(name: BenchmarkDocumentName, version: string): BenchmarkDocument {
  const parameters: Record<string, DocumentParameter> = {
    ...SHARED_PARAMETERS,
    ...PARAMETERS[name],
  };
  const program = [...COMMON.map((part) => `common/${part}.sh`), `${name}.sh`].flatMap(programLines);
  const hash = createHash('sha256').update(program.join('\n')).digest('hex').slice(0, 16);
  // Single quotes: patterns allow none in a value, and nothing else ends them.
  const assignments = Object.keys(parameters).map((key) => `SG_${key}='{{ ${key} }}'`);
  const content: DocumentContent = {
    schemaVersion: '2.2',
    description: `${DESCRIPTIONS[name]} (cdk-sas-grid ${version}, program ${hash})`,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [key, { type: 'String', ...value }]),
    ),
    mainSteps: [
      {
        action: 'aws:runShellScript',
        name: name.replace(/-/g, '_'),
        precondition: { StringEquals: ['platformType', 'Linux'] },
        inputs: {
          timeoutSeconds: '{{ TimeoutSeconds }}',
          runCommand: [
            '#!/bin/bash',
            `PROGRAM_HASH=${hash} PACKAGE_VERSION=${version}`,
            ...assignments,
            ...program,
          ],
        },
      },
    ],
  };
  return { name, content, hash, parameters };
}

/** The lines of a part, without its interpreter and the comments of its head. */
function programLines(file: string): string[] {
  const all = linesOf(file);
  return all
    .slice(all.findIndex((line) => !line.startsWith('#')))
    .flatMap((line) => attachedFile(line) ?? [line]);
}

/** In place of `attach <file>`: what makes that file in the directory of the program's state. */
function attachedFile(line: string): string[] | undefined {
  const file = /^attach (\S+)$/.exec(line)?.[1];
  return file === undefined
    ? undefined
    : [`cat >"$STATE/${file}" <<'END_OF_FILE'`, ...linesOf(file), 'END_OF_FILE'];
}

function linesOf(file: string): string[] {
  return readFileSync(join(PROGRAMS, file), 'utf8').trimEnd().split('\n');
}

const PROGRAMS = join(PACKAGE_ROOT, 'constructs', 'storage-benchmark', 'programs');

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  if (!/^[0-9A-Za-z.+-]+$/.test(version)) {
    throw new Error(`The version of this package is ${JSON.stringify(version)}; it has to be one.`);
  }
  return version;
}
