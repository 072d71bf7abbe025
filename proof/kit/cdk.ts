import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { seconds, type Terminal } from '../../cli/terminal';
import { type CdkProgress, LineReader, parseCdkLine } from './cdk-output';
import { type LocalCloud, withoutAws } from './localcloud';
import { DemoError, run, tail } from './processes';

/** Where the cdk command runs and what it talks to. */
export interface CdkSettings {
  readonly root: string;
  readonly out: string;
  readonly cloud: LocalCloud;
  readonly terminal: Terminal;
}

const FOLLOW_EVERY_MS = 200;

/** The synthesized app, which deploy and destroy share: synthesizing once is enough. */
export function assemblyFolder(settings: CdkSettings): string {
  return join(settings.out, 'cdk.out');
}

/** Runs one cdk command; its output goes to <out>/<name>.log, the progress of stacks to the terminal. */
export async function cdk(
  settings: CdkSettings,
  name: string,
  args: string[],
  verb?: { done: string; doing: string },
  cwd = settings.root,
): Promise<void> {
  const logFile = join(settings.out, `${name}.log`);
  const follow = verb ? followStacks(logFile, settings.terminal, verb) : undefined;
  try {
    const code = await run({
      program: process.execPath,
      args: [join(settings.root, 'node_modules', 'aws-cdk', 'bin', 'cdk'), ...args],
      cwd,
      env: {
        ...withoutAws(process.env),
        ...settings.cloud.environment,
        // Plain text: the demo reads it. Its own notices and telemetry would call the network.
        NO_COLOR: '1',
        FORCE_COLOR: '0',
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
      logFile,
    });
    if (code !== 0) {
      throw new DemoError(
        `cdk ${args[0]} failed with code ${code}. The end of ${logFile}:\n` +
          tail(logFile, 25)
            .map((line) => `    ${line}`)
            .join('\n'),
      );
    }
  } finally {
    follow?.();
  }
}

/** Shows the stacks of a log file as it grows. Returns what ends it, after a last look. */
function followStacks(file: string, terminal: Terminal, verb: { done: string; doing: string }): () => void {
  const started = new Map<string, number>();
  const resources = new Map<string, string>();
  const lines = new LineReader();
  const decoder = new StringDecoder('utf8');
  let position = 0;

  const show = (progress: CdkProgress) => {
    const { kind, stack } = progress;
    if (kind === 'started') started.set(stack, Date.now());
    if (kind === 'resources') {
      if (!started.has(stack)) started.set(stack, Date.now());
      resources.set(stack, `${progress.done} of ${progress.total} resources`);
    }
    if (kind === 'done' && started.has(stack)) {
      const took = seconds((Date.now() - started.get(stack)!) / 1000);
      terminal.line(`  ${stack.padEnd(32)} ${verb.done} in ${took.padStart(7)}`);
      started.delete(stack);
    }
    if (kind === 'failed') terminal.line(`  ${stack.padEnd(32)} ${terminal.style('failed', 'red')}`);
  };
  const look = () => {
    const text = readFrom(file, position);
    position += text.length;
    for (const line of lines.push(decoder.write(text))) {
      const progress = parseCdkLine(line);
      if (progress) show(progress);
    }
    const [stack] = [...started.keys()].slice(-1);
    if (stack) {
      const took = ((Date.now() - started.get(stack)!) / 1000).toFixed(0);
      terminal.status(`  ${stack}: ${verb.doing} for ${took} s  ${resources.get(stack) ?? ''}`);
    }
  };
  const timer = setInterval(look, FOLLOW_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
  };
}

/** The bytes of a file from a position on; empty while the file does not exist. */
function readFrom(file: string, position: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.alloc(1 << 20);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, position));
  } finally {
    closeSync(descriptor);
  }
}
