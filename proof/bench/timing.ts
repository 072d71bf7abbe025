import { spawnSync } from 'node:child_process';

/** Seconds that a command takes from start to end. @throws Error with the end of its output when it fails */
export function secondsOf(
  program: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): number {
  const start = process.hrtime.bigint();
  const result = spawnSync(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
    maxBuffer: 64 << 20,
  });
  const took = Number(process.hrtime.bigint() - start) / 1e9;
  if (result.error) throw result.error;
  if (result.status !== 0) {
    const end = `${result.stdout}${result.stderr}`.trimEnd().split('\n').slice(-12).join('\n');
    throw new Error(
      `'${[program, ...args].join(' ')}' ended with ${result.status ?? result.signal}:\n${end}`,
    );
  }
  return took;
}
