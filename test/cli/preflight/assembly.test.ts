import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly } from '../../../cli/preflight/assembly';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assembly-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(where: string, artifacts: object): void {
  mkdirSync(where, { recursive: true });
  writeFileSync(join(where, 'manifest.json'), JSON.stringify({ artifacts }));
  writeFileSync(join(where, 'stack.json'), JSON.stringify({ Resources: {} }));
}

const stack = (properties: object = {}, environment = 'aws://unknown-account/unknown-region') => ({
  type: 'aws:cloudformation:stack',
  environment,
  properties: { templateFile: 'stack.json', ...properties },
});

test('stacks of a deployment, in stages too, with where they go', () => {
  write(folder, {
    'mine-network': stack({}, 'aws://123456789012/eu-west-1'),
    minefield: stack(),
    Stage: { type: 'cdk:cloud-assembly', properties: { directoryName: 'stage' } },
  });
  write(join(folder, 'stage'), { StageStack: stack({ stackName: 'mine-storage' }) });
  expect(
    readAssembly(folder, 'mine').map(({ name, account, region }) => ({ name, account, region })),
  ).toEqual([
    { name: 'mine-network', account: '123456789012', region: 'eu-west-1' },
    { name: 'mine-storage', account: undefined, region: undefined },
  ]);
});

test('a folder without the deployment', () => {
  write(folder, { yours: stack() });
  expect(() => readAssembly(folder, 'mine')).toThrow('has no stack of mine; it has yours');
});

test('a folder without templates', () => {
  expect(() => readAssembly(folder, 'mine')).toThrow(
    'Type --templates with a folder that cdk synth has written.',
  );
});
