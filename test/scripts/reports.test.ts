import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

// The reports of the real programs, about tests of which some fail.
const ROOT = join(__dirname, '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'reports.mjs');
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'reports-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** The program ends, and fails, since tests do; its output. */
const output = (command: string, args: string[]) =>
  run(command, args, { cwd: folder }).then(
    () => Promise.reject(new Error(`${command} passed`)),
    (error) => error.stdout as string,
  );

async function read(reader: string, report: string) {
  const program = `
    import { readFileSync } from 'node:fs';
    import { ${reader} } from ${JSON.stringify(SCRIPT)};
    console.log(JSON.stringify(${reader}(readFileSync(${JSON.stringify(report)}, 'utf8'))));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

test('of jest: the tests that failed with their first line, and the files that could not be loaded', async () => {
  write('jest.config.js', 'module.exports = { testMatch: ["**/*.test.js"] };');
  write(
    'one.test.js',
    'test("holds", () => {}); describe("of two", () => test("fails", () => expect(1).toBe(2)));',
  );
  write('two.test.js', 'require("./nowhere");');
  const report = join(folder, 'jest.json');
  await output(process.execPath, [
    join(ROOT, 'node_modules', '.bin', 'jest'),
    '--ci',
    '--json',
    '--colors',
    `--outputFile=${report}`,
  ]);
  const { passed, failed, names } = await read('ofJest', report);
  expect({ passed, failed }).toEqual({ passed: 1, failed: 2 });
  expect([...names].sort()).toEqual([
    expect.stringMatching(/one\.test\.js: of two fails: Error: expect\(received\)\.toBe\(expected\)/),
    expect.stringMatching(/two\.test\.js: .+/),
  ]);
});

test('of pytest: failures, and errors of what a test needs', async () => {
  write(
    'test_one.py',
    `import pytest
@pytest.fixture
def needed(): raise OSError("no room")
def test_holds(): pass
def test_fails(): assert 1 == 2, "one is not two"
def test_has_not(needed): pass
@pytest.mark.skip
def test_later(): pass
`,
  );
  const report = join(folder, 'pytest.xml');
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${report}`, 'test_one.py'];
  await output(join(ROOT, '.venv', 'bin', 'python'), args);
  expect(await read('ofPytest', report)).toEqual({
    passed: 1,
    failed: 2,
    skipped: 1,
    names: [
      'test_one: test_fails: AssertionError: one is not two',
      expect.stringMatching(/^test_one: test_has_not: .*no room/),
    ],
  });
});

test('of bats: the tests that failed', async () => {
  const file = write(
    'one.bats',
    '@test "holds" { true; }\n@test "fails" { false; }\n@test "later" { skip; }\n',
  );
  const printed = await output('bash', [
    join(ROOT, 'node_modules', 'bats', 'bin', 'bats'),
    '--formatter',
    'tap',
    file,
  ]);
  const log = write('bats.log', printed);
  expect(await read('ofBats', log)).toEqual({ passed: 1, failed: 1, skipped: 1, names: ['fails'] });
});

test('a report of nothing but skipped tests counts neither way, and says so; an empty one is a failure', async () => {
  const counts = async (name: string, tests: string) => {
    if (tests) write(`${name}.test.js`, tests);
    const report = join(folder, `${name}.json`);
    const jest = join(ROOT, 'node_modules', '.bin', 'jest');
    const args = [jest, '--ci', '--json', '--passWithNoTests', `--outputFile=${report}`, name];
    await run(process.execPath, args, { cwd: folder });
    const program = `
      import { counted, ofJest } from ${JSON.stringify(SCRIPT)};
      console.log(JSON.stringify(counted(${JSON.stringify(report)}, ofJest)(0)));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    return JSON.parse(stdout);
  };
  expect(
    await counts('skipped', 'describe.skip("there is no browser", () => test("shows", () => {}));'),
  ).toEqual({
    passed: 0,
    failed: 0,
    remark: 'not run: 1 tests were skipped; its log says why',
  });
  expect(await counts('none', '')).toMatchObject({ passed: 0, failed: 1 });
});
