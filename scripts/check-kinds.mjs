// Kinds of checks: how one of each is run, and how what it ran is counted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counted, ofBats, ofJest, ofPytest } from './reports.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const logs = join(root, 'out', 'test');
export const bin = (name) => join('node_modules', '.bin', name);
export const venv = (name) => join('.venv', 'bin', name);

/** A check that runs tests which jest leaves out otherwise, since they take a minute or more. */
export function longTest(name, ...tests) {
  const report = join(logs, `${name}.json`);
  const files = tests.map((test) => `test/${test}.long.test.ts`);
  const command = [bin('jest'), '--ci', '--json', `--outputFile=${report}`, ...files];
  return { name, command, counts: counted(report, ofJest), phase: 2 };
}

/** A check that runs the Python tests of a folder, but for a part of it, in the folder's own configuration. */
export function pytest(name, folder, without = []) {
  const report = join(logs, `${name}.xml`);
  const counts = counted(report, ofPytest);
  const ignored = without.map((part) => `--ignore=${part}`);
  const command = [venv('python'), '-m', 'pytest', '-q', folder, ...ignored, `--junitxml=${report}`];
  return { name, command, counts };
}

/** A check that runs the tests of shell programs in these files. */
export function bats(name, files) {
  const counts = counted(join(logs, `${name}.log`), ofBats);
  const command = ['bash', 'node_modules/bats/bin/bats', '--formatter', 'tap', ...files];
  return { name, command, counts };
}

// sysexits.h, EX_UNAVAILABLE: the lab says on its last line why this machine cannot run it.
const LAB_CANNOT_RUN = 69;
export const labReport = join(root, 'out', 'lab', 'report.json');

/** Scenarios of the lab: those that could not run are told, and count neither way. */
export function labCounts(code, log) {
  if (code === LAB_CANNOT_RUN) {
    const reason = readFileSync(log, 'utf8').trimEnd().split('\n').pop();
    return { passed: 0, failed: 0, remark: `not run: ${reason}` };
  }
  return counted(labReport, (text) => {
    const verdicts = JSON.parse(text).scenarios.map((scenario) => scenario.verdict);
    const count = (verdict) => verdicts.filter((one) => one === verdict).length;
    return { passed: count('passed'), failed: count('failed') };
  })(code);
}

const docsReport = join(logs, 'docs', 'report.json');

/** The blocks of commands of the docs: those that a page says cannot run are told, and count neither way. */
export function docsCounts(code, log) {
  if (code === LAB_CANNOT_RUN) {
    const reason = /^The run stopped: (.*)$/m.exec(readFileSync(log, 'utf8'));
    return { passed: 0, failed: 0, remark: `not run: ${reason?.[1]}` };
  }
  let remark;
  const counts = counted(docsReport, (text) => {
    const { results, notRun, error } = JSON.parse(text);
    const names = results.flatMap(({ block, problem }) => (problem ? [`${block}: ${problem}`] : []));
    remark = `${notRun.length} blocks are marked as not run`;
    return { passed: results.length - names.length, failed: names.length + (error ? 1 : 0), names };
  })(code);
  return { ...counts, remark };
}

const machinesReport = join(logs, 'machines', 'report.json');

/** A demo on virtual machines: what it verified; where there can be none, that is told, and counts neither way. */
export function machinesCounts(code, log) {
  if (code === LAB_CANNOT_RUN) {
    const reason = /^cannot start the embedded AWS: (.*)$|^the lab cannot run here: (.*)$/m.exec(
      readFileSync(log, 'utf8'),
    );
    return { passed: 0, failed: 0, remark: `not run: ${reason?.[1] ?? reason?.[2]}` };
  }
  return counted(machinesReport, (text) => {
    const { deploymentChecks, failures, teardownChecks, passed } = JSON.parse(text);
    const checks = [...deploymentChecks, ...failures.flatMap((one) => one.checks), ...teardownChecks];
    const held = [...checks.map((one) => one.passed), passed];
    return { passed: held.filter(Boolean).length, failed: held.filter((one) => !one).length };
  })(code);
}
