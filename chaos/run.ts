/** Chaos: deploy to the embedded AWS, harm the servers and what repairs them, verify that nothing was lost. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { OptionError } from '../demo/options';
import { DemoError, killAll, stopAll } from '../demo/processes';
import { Terminal } from '../demo/terminal';
import { Chaos } from './chaos';
import { type ChaosOptions, parseChaosOptions, USAGE } from './options';

const ROOT = resolve(__dirname, '..');

// The SDK's notice that Node 20 will be dropped one day is nothing a user can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
// This test's own calls are refused as too many, too.
process.env.AWS_MAX_ATTEMPTS = '6';
// The writes of the map are read out of the log of API calls, which shortens long values otherwise.
process.env.SAS_GRID_LOCALCLOUD_LOGGED_CHARACTERS = '100000';

let interrupted = false;

async function main(): Promise<number> {
  let options: ChaosOptions;
  try {
    options = parseChaosOptions(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const terminal = new Terminal(process.stdout);
  const out = resolve(ROOT, options.out);
  mkdirSync(out, { recursive: true });
  const chaos = new Chaos({ ...options, out, state: resolve(ROOT, options.state) }, ROOT, terminal);
  stopOnSignals(terminal);
  try {
    await chaos.run();
  } catch (error) {
    // What breaks while everything is being stopped is no news; the handler of the signal ends the process.
    if (interrupted) await new Promise(() => {});
    chaos.fail(error instanceof DemoError ? error.message : ((error as Error).stack ?? String(error)));
  } finally {
    terminal.status('  stopping the embedded AWS');
    await stopAll();
  }
  return chaos.writeReport() ? 0 : 1;
}

/** Ctrl-C stops the children in order; a second one, or any way of ending, kills what is left. */
function stopOnSignals(terminal: Terminal): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) process.exit(130);
      interrupted = true;
      terminal.line();
      terminal.line('Interrupted: stopping what was started (again to kill it at once).');
      void stopAll(8).finally(() => process.exit(130));
    });
  }
  process.on('exit', killAll);
}

main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${(error as Error).stack ?? error}\n`);
    process.exit(1);
  },
);
