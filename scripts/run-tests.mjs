// Runs every check of the project and counts over all of them: the last line is 'N passed, N failed'.
// With names as arguments it runs only those checks: node scripts/run-tests.mjs jest pytest
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const logs = join(root, 'out', 'test');
const bin = (name) => join('node_modules', '.bin', name);
const venv = (name) => join('.venv', 'bin', name);

/** One test for a check that either holds or not. */
const asOne = (code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 });

/** Counts out of a report file. A missing or empty report is a failure: the runner died before it tested anything. */
function counted(file, count) {
  return (code) => {
    if (!existsSync(file)) return { passed: 0, failed: 1 };
    const { passed, failed } = count(readFileSync(file, 'utf8'));
    return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed };
  };
}

const jestReport = join(logs, 'jest.json');
const jestCounts = counted(jestReport, (text) => {
  const report = JSON.parse(text);
  return { passed: report.numPassedTests, failed: report.numFailedTests + report.numRuntimeErrorTestSuites };
});

const pytestReport = join(logs, 'pytest.xml');
const pytestCounts = counted(pytestReport, (text) => {
  const sum = (name) =>
    [...text.matchAll(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`, 'g'))].reduce(
      (total, match) => total + Number(match[1]),
      0,
    );
  const failed = sum('failures') + sum('errors');
  return { passed: sum('tests') - failed - sum('skipped'), failed };
});

const batsCounts = counted(join(logs, 'bats.log'), (text) => ({
  passed: (text.match(/^ok (?!.*# skip)/gm) ?? []).length,
  failed: (text.match(/^not ok /gm) ?? []).length,
}));

const shellFiles = `git ls-files -co --exclude-standard '*.sh' '*.bash' 'constructs/host/bin/*' .ci/run`;

/** The checks in the order of their start; those marked alone run with nothing beside them. */
const checks = [
  {
    name: 'jest',
    command: [bin('jest'), '--ci', '--json', `--outputFile=${jestReport}`],
    counts: jestCounts,
  },
  {
    name: 'pytest',
    command: [venv('python'), '-m', 'pytest', '-q', 'localcloud', `--junitxml=${pytestReport}`],
    counts: pytestCounts,
  },
  { name: 'typecheck', command: [bin('tsc'), '--noEmit'] },
  { name: 'lint', command: [bin('biome'), 'ci', '--colors=off', '--error-on-warnings', '.'] },
  { name: 'jsii', command: ['npm', 'run', '--silent', 'jsii'] },
  {
    name: 'bats',
    command: ['bash', 'node_modules/bats/bin/bats', '--formatter', 'tap', 'test/host'],
    counts: batsCounts,
  },
  { name: 'shellcheck', shell: `${shellFiles} | xargs ${venv('shellcheck')} -x` },
  { name: 'shfmt', shell: `${shellFiles} | xargs ${venv('shfmt')} -d -i 2 -ci` },
  {
    name: 'python-lint',
    shell: `${venv('ruff')} check localcloud && ${venv('ruff')} format --check localcloud`,
  },
  {
    name: 'python-types',
    command: [venv('mypy'), '--config-file', 'localcloud/pyproject.toml', 'localcloud/sas_grid_localcloud'],
  },
  { name: 'package', command: [bin('tsx'), 'test/package/run.ts'], alone: true },
  { name: 'demo', command: [bin('tsx'), 'demo/run.ts', '--short'], alone: true },
];

const secondsSince = (start) => ((Date.now() - start) / 1000).toFixed(1).padStart(6);

function run(check) {
  const start = Date.now();
  const [command, ...args] = check.shell ? ['bash', '-euo', 'pipefail', '-c', check.shell] : check.command;
  const logFile = join(logs, `${check.name}.log`);
  return new Promise((resolve) => {
    const log = createWriteStream(logFile);
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, PYTHONPATH: 'localcloud', CI: process.env.CI ?? 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.on('error', (error) => log.write(`${error.message}\n`));
    child.on('close', (code) => {
      log.end(() => {
        const result = { ...check, ...(check.counts ?? asOne)(code), logFile };
        const verdict = result.failed ? 'FAILED' : 'ok';
        console.log(
          `${secondsSince(start)} s  ${check.name.padEnd(14)} ${verdict.padEnd(7)} ${result.passed} passed, ${result.failed} failed`,
        );
        if (result.failed) console.log(tail(logFile, 60));
        resolve(result);
      });
    });
  });
}

function tail(file, lines) {
  const text = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines);
  return [`--- the end of ${file}`, ...text, '---'].join('\n');
}

async function main(names) {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length) {
    console.error(
      `unknown check: ${unknown.join(', ')}; there are ${checks.map((check) => check.name).join(', ')}`,
    );
    return 64;
  }
  const chosen = names.length ? checks.filter((check) => names.includes(check.name)) : checks;
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  console.log(`running ${chosen.length} checks; their output is in out/test/<name>.log`);
  const start = Date.now();
  const results = [];

  const queue = chosen.filter((check) => !check.alone);
  const worker = async () => {
    for (let check = queue.shift(); check; check = queue.shift()) results.push(await run(check));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
  for (const check of chosen.filter((one) => one.alone)) results.push(await run(check));

  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = results.filter((result) => result.failed);
  console.log(`${secondsSince(start)} s  in all`);
  if (failed.length)
    console.log(`failed: ${failed.map((result) => `${result.name} (${result.logFile})`).join(', ')}`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') || !sum('passed') ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
