import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_FOLDER } from '../../lib/config';

const ROOT = join(__dirname, '..', '..');

/** Runs the application as the cdk command does, without credentials and without a network to ask. */
function application(deployment: string) {
  const output = mkdtempSync(join(tmpdir(), 'application-'));
  const run = spawnSync(process.execPath, ['bin/start.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: output,
      CDK_OUTDIR: output,
      CDK_CONTEXT_JSON: JSON.stringify({ deployment }),
      CDK_VALIDATION: 'false',
    },
  });
  const manifest = existsSync(join(output, 'manifest.json'));
  rmSync(output, { recursive: true });
  return { status: run.status, stderr: run.stderr, manifest };
}

describe('the application', () => {
  const file = join(CONFIG_FOLDER, `zz-test-${process.pid}.yaml`);
  afterEach(() => rmSync(file, { force: true }));

  const rejected = (grid: string) => {
    writeFileSync(
      file,
      `description: a test\nstorage: { preset: current, fileSystemName: sasfs }\ngrid: ${grid}\n`,
    );
    return application(`zz-test-${process.pid}`);
  };

  test('synthesizes a reference deployment without credentials and network', () => {
    expect(application('sas-grid-lustre')).toMatchObject({ status: 0, manifest: true });
  });

  test.each([
    ['a key', '{ nodes: 0, instanceType: i4i.8xlarge }', 'grid.nodes is 0; allowed: integer from 1 to 100'],
    ['a type without instance store', '{ nodes: 2, instanceType: m6in.4xlarge }', 'm6in.4xlarge'],
    ['a type that no placement group takes', '{ nodes: 2, instanceType: t3.large }', 't3.large'],
  ])('names %s that is wrong, in so many words, and leaves nothing to deploy', (_, grid, words) => {
    const { status, stderr, manifest } = rejected(grid);
    expect(stderr).toContain(words);
    expect(stderr).toContain('allowed: ');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect([status, manifest]).toEqual([1, false]);
  });
});
