// Runs the checks of the project and counts over all of them: the last line is 'N passed, N failed'.
//
// With names as arguments it runs only those checks: node scripts/run-tests.mjs jest pytest
//
// --with-lab adds what takes minutes each, as continuous integration runs it: scenarios of the lab, where this machine
// can run them, deliberate bugs in the simulation, products of the Service Catalog, an upgrade of what is deployed,
// linters of templates, and the benchmark's programs. What tries a sample otherwise tries everything.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { logs, root } from './check-kinds.mjs';
import { checks } from './checks.mjs';
import { leftBy, watch } from './leftovers.mjs';
import { asOne } from './reports.mjs';

/**
 * How many checks of a phase run at a time. Those of the first wait for a third of their time, so one more than there
 * are processors. Of the second most compute on one processor, or wait for the embedded AWS. Those of the third run
 * alone.
 */
const WORKERS = new Map([
  [1, Math.min(3, availableParallelism() + 1)],
  [2, Math.min(2, availableParallelism())],
  [3, 1],
]);

/** All that the checks leave in a temporary folder is in this one, which is removed on whichever way out. */
const temporary = folder(tmpdir(), 'sas-grid-test-');
/** What the checks left in it, a line for each. */
const left = [];
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])
  process.once(signal, () => process.exit(code));

/** A new folder. Tests become other accounts, which have to get through it to what is theirs. */
function folder(parent, prefix) {
  const made = mkdtempSync(join(parent, prefix));
  chmodSync(made, 0o711);
  return made;
}

const GUARD = fileURLToPath(new URL('guard.mjs', import.meta.url));

const secondsSince = (start) => ((Date.now() - start) / 1000).toFixed(1).padStart(6);

function run(check) {
  const start = Date.now();
  const [command, ...args] = check.shell ? ['bash', '-euo', 'pipefail', '-c', check.shell] : check.command;
  const logFile = join(logs, `${check.name}.log`);
  const own = folder(temporary, `${check.name}-`);
  return new Promise((resolve) => {
    // When this ends, in whatever way, it ends the check with all that it started.
    const child = spawn(process.execPath, [GUARD, logFile, command, ...args], {
      cwd: root,
      env: {
        ...process.env,
        TMPDIR: own,
        PYTHONPATH: 'proof/localcloud',
        CI: process.env.CI ?? 'true',
        ...check.environment,
      },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.on('close', (code) => {
      left.push(...leftBy(check.name, own));
      rmSync(own, { recursive: true, force: true, maxRetries: 3 });
      const result = { ...check, ...(check.counts ?? asOne)(code, logFile), logFile };
      const verdict = result.failed ? 'FAILED' : 'ok';
      const text = result.remark ?? `${verdict.padEnd(7)} ${result.passed} passed, ${result.failed} failed`;
      console.log(`${secondsSince(start)} s  ${check.name.padEnd(14)} ${text}`);
      if (result.failed) console.log(tail(logFile, 60));
      resolve(result);
    });
  });
}

/** The check that nothing is left behind: of the run as a whole, so that it is at the end. */
async function nothingLeft(lookAgain) {
  const start = Date.now();
  const found = await lookAgain();
  // What is in a check's own folder goes with that: it is told, and stays nowhere.
  const lines = found.left;
  const logFile = join(logs, 'leftovers.log');
  writeFileSync(logFile, [...lines, ...[...left, ...found.remarks], ''].join('\n'));
  const verdict = lines.length ? 'FAILED ' : 'ok     ';
  const result = { name: 'leftovers', passed: lines.length ? 0 : 1, failed: lines.length, logFile };
  console.log(
    `${secondsSince(start)} s  ${result.name.padEnd(14)} ${verdict} ${result.passed} passed, ${result.failed} failed`,
  );
  if (lines.length + [...left, ...found.remarks].length) console.log(tail(logFile, 60));
  return result;
}

function tail(file, lines) {
  const text = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines);
  return [`--- the end of ${file}`, ...text, '---'].join('\n');
}

async function main(options) {
  const withLab = options.includes('--with-lab');
  const names = options.filter((option) => option !== '--with-lab');
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length) {
    console.error(
      `unknown check: ${unknown.join(', ')}; there are ${checks.map((check) => check.name).join(', ')}`,
    );
    return 64;
  }
  // Read by test/helpers/exhaustive.ts.
  if (withLab) process.env.EXHAUSTIVE = '1';
  const chosen = checks.filter((check) =>
    names.length ? names.includes(check.name) : !check.byName && (withLab || !check.onRequest),
  );
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  console.log(`running ${chosen.length} checks; their output is in out/test/<name>.log`);
  const start = Date.now();
  const results = [];
  const lookAgain = watch({ system: tmpdir(), temporary, root });

  for (const [phase, workers] of WORKERS) {
    const queue = chosen.filter((check) => (check.phase ?? 1) === phase);
    const running = new Map();
    const begin = (check) => {
      queue.splice(queue.indexOf(check), 1);
      const ended = run(check).then((result) => {
        results.push(result);
        running.delete(check.name);
      });
      running.set(check.name, ended);
    };
    while (queue.length || running.size) {
      const waits = ({ after }) => running.has(after) || queue.some(({ name }) => name === after);
      const next = running.size < workers && queue.find((check) => !waits(check));
      if (next) begin(next);
      else await Promise.race(running.values());
    }
  }

  // A phase that nobody runs would pass for one in which nothing failed.
  for (const { name } of chosen.filter((check) => !results.some((result) => result.name === check.name)))
    results.push({ name, passed: 0, failed: 1, logFile: 'it was not run' });

  results.push(await nothingLeft(lookAgain));

  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = results.filter((result) => result.failed);
  console.log(`${secondsSince(start)} s  in all`);
  for (const { name, logFile, names } of failed)
    console.log([`failed: ${name} (${logFile})`, ...(names ?? [])].join('\n  '));
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') || !sum('passed') ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
