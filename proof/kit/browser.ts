import { spawn } from 'node:child_process';

/** The command that shows a file to whoever sits at this machine; undefined where nobody sees it. */
export function opener(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  isTTY: boolean,
): string | undefined {
  if (!isTTY || env.CI) return undefined;
  if (platform === 'darwin') return 'open';
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}

/** Shows a file in the browser where there is a desktop; says so when that fails. */
export function openInBrowser(file: string, say: (line: string) => void): void {
  const command = opener(process.env, process.platform, process.stdout.isTTY === true);
  if (!command) return;
  const child = spawn(command, [file], { stdio: 'ignore', detached: true });
  child.on('error', () => say(`'${command}' is not here: open ${file} in a browser.`));
  child.unref();
}
