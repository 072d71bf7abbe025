import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { testStack } from '../../helpers/app';
import { tierIn } from './tier';

const stack = testStack();
tierIn(stack, { healthProbe: { enabled: false } });
const template = Template.fromStack(stack);

describe('the document that tells a server what to serve', () => {
  const [document] = Object.values(template.findResources('AWS::SSM::Document'));
  const { parameters, mainSteps } = document!.Properties.Content;

  test('leaves no room for a shell’s characters in any parameter', () => {
    for (const [name, { allowedPattern }] of Object.entries<{ allowedPattern: string }>(parameters)) {
      expect(allowedPattern).toMatch(/^\^.*\$$/);
      for (const evil of ['$(reboot)', 'a;b', 'a b', '`id`', 'a"b', "a'b", 'a\nb']) {
        expect(new RegExp(allowedPattern).test(evil)).toBe(false);
      }
      // Without them nothing is repaired.
      expect(new RegExp(allowedPattern).test('')).toBe(['finding', 'snapshots'].includes(name));
    }
    expect(parameters).toMatchObject({ finding: { default: '' }, snapshots: { default: '' } });
    expect(new RegExp(parameters.finding.allowedPattern).test('0123456789abcdef')).toBe(true);
    expect(new RegExp(parameters.snapshots.allowedPattern).test('snap-0123456789abcdef0,snap-00000001')).toBe(
      true,
    );
    expect(new RegExp(parameters.slot.allowedPattern).test('oss-00')).toBe(true);
    expect(new RegExp(parameters.volumes.allowedPattern).test('vol-0123456789abcdef0,vol-00000001')).toBe(
      true,
    );
  });

  test('runs the host’s program, with a bound on its time', () => {
    expect(mainSteps[0].inputs.runCommand.join('\n')).toContain('/opt/cdk-sas-grid/bin/sas-grid-serve');
    expect(mainSteps[0].inputs.timeoutSeconds).toBe('{{ executionTimeout }}');
  });

  test('is no larger than Systems Manager takes, and holds nothing else that looks like a parameter', () => {
    // Systems Manager's quotas: a document of 64 KB.
    expect(Buffer.byteLength(JSON.stringify(document!.Properties.Content))).toBeLessThan(60 * 1024);
    const used = mainSteps[0].inputs.runCommand.join('\n').match(/\{\{.*?(\}\}|\n)/g) as string[];
    expect(used.map((each) => each.slice(3, -3)).sort()).toEqual(
      Object.keys(parameters)
        .filter((name) => name !== 'executionTimeout')
        .sort(),
    );
  });

  describe('and what came of the program:', () => {
    const root = mkdtempSync(join(tmpdir(), 'serve-document-'));
    const program = join(root, 'opt/cdk-sas-grid/bin/sas-grid-serve');
    mkdirSync(dirname(program), { recursive: true });
    afterAll(() => rmSync(root, { recursive: true }));

    test.each([
      ['serves', '#!/bin/bash\nexit 0\n', 0],
      ['says its own', '#!/bin/bash\nexit 75\n', 75],
      // A power failure leaves such a file, and a shell runs it with success.
      ['is empty, an error', '', 1],
      // The agent may be there before user data has brought the program: that is no failure of the launch.
      ['is not there, not yet', undefined, 75],
    ])('it %s', (_name, text, status) => {
      rmSync(program, { force: true });
      if (text !== undefined) writeFileSync(program, text, { mode: 0o755 });
      const script = mainSteps[0].inputs.runCommand.join('\n').replace(/\{\{ \w+ \}\}/g, 'x');
      expect(script).toMatch(/^#!\/bin\/bash\n/);
      const env = { PATH: process.env.PATH, SAS_GRID_ROOT: root };
      expect(spawnSync('bash', ['-c', script], { env, stdio: 'ignore' }).status).toBe(status);
    });
  });
});
