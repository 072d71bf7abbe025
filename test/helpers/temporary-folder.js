// All tests have one temporary folder, which is removed at their end, and also when they are interrupted: an App
// without an 'outdir' leaves a folder behind, and there are more than a thousand.
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

module.exports = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sas-grid-jest-'));
  // Workers start after this, and take it over.
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.once(signal, () => process.exit(code));
  }
};
