/** The demo: deploy to the embedded AWS, terminate storage servers, verify the recoveries, tear down. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { catalogNames } from '../lib/service-catalog/catalog-config';
import { CatalogDemo } from './catalog-demo';
import { Demo } from './demo';
import { type DemoOptions, OptionError, parseOptions, USAGE } from './options';
import { DemoError, killAll, stopAll } from './processes';
import { Terminal } from './terminal';

const ROOT = resolve(__dirname, '..');

// The SDK's notice that Node 20 will be dropped one day is nothing a user of the demo can act on.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

let interrupted = false;

async function main(): Promise<number> {
  let options: DemoOptions;
  try {
    options = parseOptions(process.argv.slice(2), process.env);
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
  const resolved = { ...options, out, state: resolve(ROOT, options.state) };
  const isCatalog = catalogNames().includes(options.deployment);
  const demo = isCatalog ? new CatalogDemo(resolved, ROOT, terminal) : new Demo(resolved, ROOT, terminal);
  stopOnSignals(terminal);
  try {
    await demo.run();
  } catch (error) {
    // What breaks while everything is being stopped is no news; the handler of the signal ends the process.
    if (interrupted) await new Promise(() => {});
    demo.fail(error instanceof DemoError ? error.message : ((error as Error).stack ?? String(error)));
  } finally {
    terminal.status('  stopping the embedded AWS');
    await stopAll();
  }
  return demo.writeReports() ? 0 : 1;
}

/** Ctrl-C stops the children in order; a second one, or any way of ending, kills what is left. */
function stopOnSignals(terminal: Terminal): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (interrupted) process.exit(130);
      interrupted = true;
      terminal.line();
      terminal.line('Interrupted: stopping what the demo started (again to kill it at once).');
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
