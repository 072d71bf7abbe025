import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionError } from '../arguments';
import type { AssemblyStack } from './assembly';
import { readAssembly } from './assembly';

/**
 * The stacks of a deployment: of a folder that is given, or as the application of this folder makes them now.
 *
 * @throws OptionError when there are none
 */
export function stacksOf(
  deployment: string,
  templates: string | undefined,
  env: NodeJS.ProcessEnv,
): AssemblyStack[] {
  if (templates !== undefined) return readAssembly(templates, deployment);
  const folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  try {
    synthesize(deployment, folder, env);
    // What is nested is read now: the folder goes.
    return readAssembly(folder, deployment).map(withNested);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const LINES = 12;

function synthesize(deployment: string, folder: string, env: NodeJS.ProcessEnv): void {
  const command = [
    '--no-install',
    'cdk',
    'synth',
    '--quiet',
    '-c',
    `deployment=${deployment}`,
    '--output',
    folder,
  ];
  const { status, stderr, error } = spawnSync('npx', command, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  const said = (stderr ?? '').trim().split('\n').slice(-LINES).join('\n') || error?.message;
  throw new OptionError(
    `The templates could not be made: npx ${command.slice(0, 6).join(' ')} says\n${said}`,
  );
}

function withNested(stack: AssemblyStack): AssemblyStack {
  const paths = Object.values(stack.template.Resources ?? {}).flatMap(({ Metadata }) => {
    const path = Metadata?.['aws:asset:path'];
    return typeof path === 'string' && path.endsWith('.template.json') ? [path] : [];
  });
  const read = new Map(paths.map((path) => [path, stack.nested(path)]));
  return { ...stack, nested: (path) => read.get(path) ?? {} };
}
