import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { follow, signsOfCloud, signsOfGroup } from './patience';
import { DemoError, type Running, start, stop, tail, waitFor } from './processes';

/** The embedded AWS as it runs. */
export interface LocalCloud {
  readonly endpoint: string;
  /** The variables that make the cdk command and SDKs talk to it. */
  readonly environment: Record<string, string>;
  readonly state: string;
  /** Whether hosts have kernels and file systems of their own, so that what clients write can be judged. */
  readonly realFileSystems: boolean;
  readonly process: Running;
}

/**
 * Starts the embedded AWS on a free port of the loopback interface and waits until it answers.
 * @throws DemoError when it does not start; the message has the end of its log.
 */
export async function startLocalCloud(
  root: string,
  python: string,
  state: string,
  logs: string,
): Promise<LocalCloud> {
  const interpreter = interpreterOf(root, python);
  emptyState(state);
  const readyFile = join(logs, 'localcloud.json');
  const logFile = join(logs, 'localcloud.log');
  rmSync(readyFile, { force: true });
  const child = start({
    program: interpreter,
    args: ['-m', 'sas_grid_localcloud', 'start', '--state', state, '--port', '0', '--ready-file', readyFile],
    cwd: root,
    env: {
      // The writes of the map are read out of the log of API calls, which shortens long values otherwise.
      SAS_GRID_LOCALCLOUD_LOGGED_CHARACTERS: '100000',
      ...withoutAws(process.env),
      PYTHONPATH: [join(root, 'proof', 'localcloud'), join(root, 'proof', 'lab')].join(delimiter),
      PYTHONUNBUFFERED: '1',
    },
    logFile,
  });
  let ended: number | undefined;
  child.ended.then(
    (code) => {
      ended = code;
    },
    () => {
      ended = -1;
    },
  );
  const computes = signsOfGroup(child.child.pid ?? 0);
  // What it waits for, such as another run that builds an image, it says now and then.
  const forgetStart = follow(() => `${computes()} ${statSync(logFile, { throwIfNoEntry: false })?.size}`);
  const ready = await waitFor(
    'the embedded AWS to answer',
    () => {
      if (ended !== undefined) {
        throw new DemoError(
          `the embedded AWS ended with code ${ended} before it answered; the end of ${logFile}:\n` +
            `${tail(logFile, 15).join('\n')}\nIf a Python module is missing, run 'make setup'.`,
          ended === UNAVAILABLE ? UNAVAILABLE : 1,
        );
      }
      return readReadyFile(readyFile);
    },
    0.1,
  ).catch(async (error) => {
    await stop(child);
    throw error;
  });
  forgetStart();
  requireLoopback(ready.endpoint);
  const forget = follow(signsOfCloud(state));
  child.ended.then(forget, forget);
  return { ...ready, state, process: child };
}

/** @throws DemoError when a path is given that does not exist */
function interpreterOf(root: string, python: string): string {
  if (!python.includes('/')) return python;
  const interpreter = resolve(root, python);
  if (existsSync(interpreter)) return interpreter;
  throw new DemoError(
    `${interpreter} does not exist. Run 'make setup', or name another Python with --python.`,
  );
}

interface Ready {
  readonly endpoint: string;
  readonly environment: Record<string, string>;
  readonly realFileSystems: boolean;
}

function readReadyFile(file: string): Ready | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Ready;
  } catch {
    return undefined; // half written: the next look finds it whole
  }
}

/** The environment without anything that leads an AWS tool to a real account. */
export function withoutAws(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(AWS_|CDK_)/.test(name)));
}

/** The demo terminates servers: it must never talk to anything but this machine. */
export function requireLoopback(endpoint: string): void {
  const host = new URL(endpoint).hostname;
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(host)) {
    throw new DemoError(`the embedded AWS answers at ${endpoint}; allowed: an address of this machine only`);
  }
}

/** sysexits.h, EX_UNAVAILABLE: this machine lacks what was asked for. */
const UNAVAILABLE = 69;

const STATE_FILES = ['api-calls.jsonl', 'history.jsonl'];

/** Empties a state folder of an earlier run; refuses a folder with anything else in it. */
export function emptyState(state: string): void {
  if (existsSync(state)) {
    const found = readdirSync(state);
    if (found.length > 0 && !found.some((name) => STATE_FILES.includes(name))) {
      throw new DemoError(
        `the state folder ${state} holds files that are not the embedded AWS's (${found.slice(0, 3).join(', ')}). ` +
          'Name an empty folder with --state.',
      );
    }
    rmSync(state, { recursive: true, force: true });
  }
  mkdirSync(state, { recursive: true });
}
