import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarkDocuments } from '../../../constructs/storage-benchmark/documents';
import { TEST_NAMES } from '../../../lambda/shared/benchmark/plan';
import manifest from '../../../package.json';

const DOCUMENTS = benchmarkDocuments();
const PROGRAMS = join(__dirname, '../../../constructs/storage-benchmark/programs');
/** What would end the string of a shell, or mean something in it. */
const DANGEROUS = [
  "'",
  "x'; reboot; '",
  '$(reboot)',
  '`reboot`',
  'a\nb',
  '"',
  '\\',
  '{{ RunId }}',
  'a;b',
  'a|b',
  '*',
];

function scriptOf(name: string): string[] {
  return [...DOCUMENTS.find((one) => one.name === name)!.content.mainSteps[0]!.inputs.runCommand];
}

test('there is a document for every test, and what goes before and after', () => {
  expect(DOCUMENTS.map(({ name }) => name).sort()).toEqual([...TEST_NAMES, 'clean-up', 'install'].sort());
});

describe.each(DOCUMENTS.map((document) => [document.name, document] as const))('%s', (name, document) => {
  const { content, parameters, hash } = document;
  const script = scriptOf(name);

  test('is taken by Systems Manager: its size, its version, Linux, its time limit', () => {
    // Systems Manager endpoints and quotas, "Document size limit", read 2026-11: 64 KB.
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(64_000);
    expect(content.schemaVersion).toBe('2.2');
    expect(content.mainSteps).toHaveLength(1);
    const [{ action, precondition, inputs }] = content.mainSteps as [(typeof content.mainSteps)[number]];
    expect(action).toBe('aws:runShellScript');
    expect(precondition).toEqual({ StringEquals: ['platformType', 'Linux'] });
    // Without it a command ends after an hour.
    expect(inputs.timeoutSeconds).toBe('{{ TimeoutSeconds }}');
    expect(content.description).toContain(manifest.version);
  });

  test('is bash that parses', () => {
    expect(script[0]).toBe('#!/bin/bash');
    expect(() => execFileSync('bash', ['-n'], { input: script.join('\n') })).not.toThrow();
  });

  test('has placeholders for its parameters only, each once and in single quotes', () => {
    const used = script.filter((line) => line.includes('{{'));
    expect(used).toEqual(Object.keys(parameters).map((key) => `SG_${key}='{{ ${key} }}'`));
  });

  test('reads no parameter that it does not have', () => {
    const read = new Set(
      script
        .join('\n')
        .match(/\bSG_[A-Z][A-Za-z]+/g)
        ?.map((one) => one.slice(3)),
    );
    const own = readFileSync(join(PROGRAMS, `${name}.sh`), 'utf8');
    const needed = [...read].filter((key) => own.includes(`SG_${key}`) && !own.includes(`SG_${key}=$`));
    expect(Object.keys(parameters)).toEqual(expect.arrayContaining(needed));
  });

  test('takes its defaults, and nothing that a shell would not take for a plain word', () => {
    for (const [key, { default: value, allowedPattern, description }] of Object.entries(parameters)) {
      expect(content.parameters[key]).toEqual({ type: 'String', ...parameters[key] });
      expect(allowedPattern).toMatch(/^\^.*\$$/);
      const pattern = new RegExp(allowedPattern);
      if (value !== undefined) expect([key, value]).toEqual([key, expect.stringMatching(pattern)]);
      expect(description.length).toBeGreaterThan(5);
      for (const wrong of DANGEROUS)
        expect(`${key} ${wrong} ${pattern.test(wrong)}`).toBe(`${key} ${wrong} false`);
      for (const wrong of ['/x/../y', '/x/', 'x', '/', '/x y']) {
        if (key.startsWith('Director')) expect(`${wrong} ${pattern.test(wrong)}`).toBe(`${wrong} false`);
      }
    }
  });

  test('says which program it is', () => {
    const program = script.slice(2 + Object.keys(parameters).length);
    expect(hash).toBe(createHash('sha256').update(program.join('\n')).digest('hex').slice(0, 16));
    expect(script[1]).toBe(`PROGRAM_HASH=${hash} PACKAGE_VERSION=${manifest.version}`);
  });
});

test('the programs of the mixed workload travel in its document as they are', () => {
  const script = scriptOf('mixed-sas');
  for (const file of ['mixed_steps.py', 'mixed_sas.py']) {
    const start = script.indexOf(`cat >"$STATE/${file}" <<'END_OF_FILE'`);
    const end = script.indexOf('END_OF_FILE', start);
    expect(start).toBeGreaterThan(0);
    expect(`${script.slice(start + 1, end).join('\n')}\n`).toBe(readFileSync(join(PROGRAMS, file), 'utf8'));
  }
});

test('programs travel in the package', () => {
  expect(manifest.files).toContain('constructs/storage-benchmark/programs');
});
