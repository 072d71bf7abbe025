import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareHostProgram } from '../../../constructs/private/command-document';

const TESTS = join(__dirname, '../../host');

/** What the tests of the host in bash have: a host made of files, with stubs of the tools. */
const PRELUDE = `
BATS_TEST_DIRNAME=${TESTS}
. ${TESTS}/helpers.bash
. ${TESTS}/server.bash
run() { status=0; output=$("$@" 2>&1) || status=$?; }
make_server
mkdir -p "$ROOT/opt" && ln -s "$REPOSITORY/constructs/host" "$ROOT/opt/cdk-sas-grid"
# As the document tells it: serve.sh runs sas-grid-serve.
tell() { run bash "$BATS_FILE_TMPDIR/serve.sh" --slot oss-00 --epoch 3 --address 172.16.4.21 --volumes vol-0a "$@"; }
# A half of a call that was left behind is waited for.
rest() { while [[ -n $(ls "$ROOT/run/sas-grid/work" 2>/dev/null) ]]; do sleep 0.1; done; }
`;

/** What a host ended with, and its last line. */
export interface Ended {
  readonly exitCode: number;
  readonly said: string;
}

/**
 * Runs commands on a host made of files with the real sas-grid-serve.
 *
 * @param script whose last `serve` or `tell` counts
 */
export function onRealHost(script: string): Ended {
  const folder = mkdtempSync(join(tmpdir(), 'exit-codes-'));
  try {
    const [BATS_TEST_TMPDIR, BATS_FILE_TMPDIR] = [join(folder, 'test'), join(folder, 'file')];
    for (const each of [BATS_TEST_TMPDIR, BATS_FILE_TMPDIR]) mkdirSync(each);
    const { interpreter, program } = bareHostProgram('serve.sh');
    writeFileSync(join(BATS_FILE_TMPDIR, 'serve.sh'), `${interpreter}\n${program}\n`);
    const text = `${PRELUDE}${script}\nrest\nprintf '%s\\n%s\\n' "$status" "\${output##*$'\\n'}"`;
    const { PATH, HOME } = process.env;
    const ended = spawnSync('bash', ['--norc', '-uc', text], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: { PATH, HOME, BATS_TEST_TMPDIR, BATS_FILE_TMPDIR } as NodeJS.ProcessEnv,
      timeout: 60_000,
    });
    const [code, said] = ended.stdout.trimEnd().split('\n').slice(-2);
    if (!/^\d+$/.test(code ?? ''))
      throw new Error(`the host did not get to its end: ${ended.stdout}${ended.stderr}`);
    return { exitCode: Number(code), said: said ?? '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
