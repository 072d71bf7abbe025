// What a check's report says: how many tests passed and failed, and which failed.
import { existsSync, readFileSync } from 'node:fs';

/** One test for a check that either holds or not. */
export const asOne = (code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 });

/**
 * Counts out of a report file. A missing or empty report is a failure: the runner died before it tested anything. One
 * whose tests were all skipped is none: they cannot run on this machine.
 */
export function counted(file, count) {
  return (code) => {
    if (!existsSync(file)) return { passed: 0, failed: 1 };
    const { passed, failed, skipped = 0, names } = count(readFileSync(file, 'utf8'));
    if (code === 0 && passed + failed === 0 && skipped > 0)
      return { passed, failed, remark: `not run: ${skipped} tests were skipped; its log says why` };
    return { passed, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed, names };
  };
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const firstLine = (text) => (text ?? '').replace(ESCAPES, '').trim().split('\n')[0];

/** The report of jest, as --json writes it. */
export function ofJest(text) {
  const report = JSON.parse(text);
  const names = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file that could not be loaded, or whose process ended, has no tests.
    if (!failed.length) return status === 'failed' ? [`${name}: ${firstLine(message)}`] : [];
    return failed.map((test) => `${name}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
  });
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
    names,
  };
}

/** The report of pytest, in JUnit's format. */
export function ofPytest(text) {
  const sum = (attribute) =>
    [...text.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, 'g'))].reduce(
      (total, match) => total + Number(match[1]),
      0,
    );
  const failed = sum('failures') + sum('errors');
  const names = [
    ...text.matchAll(
      /<testcase classname="([^"]*)" name="([^"]*)"[^>/]*>\s*<(?:failure|error) message="([^"]*)"/g,
    ),
  ].map(([, file, name, message]) => `${file}: ${name}: ${message.split('&#10;')[0]}`);
  const skipped = sum('skipped');
  return { passed: sum('tests') - failed - skipped, failed, skipped, names };
}

/** What bats prints, in the format of the Test Anything Protocol. */
export function ofBats(text) {
  const names = (text.match(/^not ok .*/gm) ?? []).map((line) => line.replace(/^not ok \d+ /, ''));
  const skipped = (text.match(/^ok .*# skip/gm) ?? []).length;
  return { passed: (text.match(/^ok (?!.*# skip)/gm) ?? []).length, failed: names.length, skipped, names };
}
