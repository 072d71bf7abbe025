// The checks of the project, which run-tests.mjs runs.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  bats,
  bin,
  docsCounts,
  labCounts,
  labReport,
  logs,
  longTest,
  machinesCounts,
  pytest,
  root,
  venv,
} from './check-kinds.mjs';
import { asOne, counted, ofJest } from './reports.mjs';

const jestReport = join(logs, 'jest.json');

const KEYS = ['options/keys', 'options/keys-of-lustre'];

/** What the compiler knows of the sources that did not change. */
const TYPES = join('node_modules', '.cache', 'typecheck.tsbuildinfo');

/** They take minutes. */
const BENCHMARK_STORY = 'proof/localcloud/tests/test_storage_benchmark.py';
const STATUS = 'proof/localcloud/tests/automation/test_status.py';
const GAME_DAY = 'proof/localcloud/tests/automation/test_game_day.py';
const SLEEP = 'proof/localcloud/tests/test_sleep.py';
const SCHEDULES = 'proof/localcloud/tests/test_schedules_day_by_day.py';
const KINDS = 'proof/localcloud/tests/test_kinds_day_by_day.py';
const LUSTRE_GAME_DAY = 'proof/localcloud/tests/test_lustre_game_day.py';
const SUPPORT_BUNDLE = 'proof/localcloud/tests/test_support_bundle.py';

const batsFiles = readdirSync(join(root, 'test', 'host'))
  .filter((file) => file.endsWith('.bats'))
  .map((file) => join('test', 'host', file));
const ofBenchmark = (file) => /benchmark-[a-z-]+\.bats$/.test(file);
const ofRepair = (file) => file.endsWith('/serve-repair.bats');
const ofRealPackages = (file) => file.endsWith('/image-packages-real.bats');
const apart = (file) => ofBenchmark(file) || ofRepair(file) || ofRealPackages(file);

// scripts/facts.ts
const FACTS_OVERDUE = 3;

const shellFiles =
  `git ls-files -co --exclude-standard '*.sh' '*.bash' 'constructs/host/bin/*' ` +
  `'constructs/machine-image/scripts/bin/*' 'constructs/machine-image/scripts/debian/*' .ci/run`;

/**
 * The checks in the order of their start, the longest first; one that is after another waits for it. A phase starts
 * when all before it have ended. Phase 2 has what takes a minute or more, and phase 3 what runs alone: virtual
 * machines, and what measures. Those marked onRequest run only when they are named, or with --with-lab; those marked
 * byName only when they are named. An environment is added to that of this process.
 */
export const checks = [
  {
    name: 'jest',
    // A larger nursery: what a synthesis makes lives longer than the default one holds, and is collected twice.
    command: [
      'node',
      '--max-semi-space-size=64',
      bin('jest'),
      '--ci',
      '--json',
      // Each takes up to 1.5 GB.
      `--maxWorkers=${Math.min(4, availableParallelism())}`,
      `--outputFile=${jestReport}`,
    ],
    counts: counted(jestReport, ofJest),
  },
  bats(
    'bats',
    batsFiles.filter((file) => !apart(file)),
  ),
  pytest('pytest', 'proof/localcloud', [
    'proof/localcloud/tests/hosts',
    BENCHMARK_STORY,
    STATUS,
    GAME_DAY,
    LUSTRE_GAME_DAY,
    SUPPORT_BUNDLE,
    SLEEP,
    SCHEDULES,
    KINDS,
  ]),
  pytest('pytest-hosts', 'proof/localcloud/tests/hosts'),
  // It waits more than it computes, and when it is short it measures nothing that others could disturb.
  { name: 'demo', command: [bin('tsx'), 'proof/demo/run.ts', '--short'] },
  {
    name: 'templates',
    command: [bin('tsx'), 'test/templates/run.ts'],
    counts: counted(join(logs, 'templates.json'), JSON.parse),
  },
  pytest('pytest-lab', 'proof/lab'),
  // A fact that is to be looked at again is a warning: a date alone never fails.
  {
    name: 'facts',
    command: [bin('tsx'), 'scripts/facts.ts', '--overdue'],
    counts: (code, log) => {
      if (code !== FACTS_OVERDUE) return asOne(code);
      const summary = readFileSync(log, 'utf8').trimEnd().split('\n').pop();
      return { ...asOne(0), remark: `WARNING ${summary}; 'make facts' says which` };
    },
  },
  { name: 'typecheck', command: [bin('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', TYPES] },
  // It has the types of a browser, which the rest must not have.
  { name: 'typecheck-page', command: [bin('tsc'), '--noEmit', '-p', 'cli/planner/page'] },
  { name: 'lint', command: [bin('biome'), 'ci', '--colors=off', '--error-on-warnings', '.'] },
  { name: 'shellcheck', shell: `${shellFiles} | xargs ${venv('shellcheck')} -x` },
  { name: 'shfmt', shell: `${shellFiles} | xargs ${venv('shfmt')} -d -i 2 -ci` },
  {
    name: 'python-lint',
    shell:
      `for folder in proof/localcloud proof/lab; do ${venv('ruff')} check $folder; ` +
      `${venv('ruff')} format --check $folder; done`,
  },
  {
    name: 'python-types',
    shell:
      `${venv('mypy')} --config-file proof/localcloud/pyproject.toml proof/localcloud/sas_grid_localcloud && ` +
      `${venv('mypy')} --config-file proof/lab/pyproject.toml proof/lab/sas_grid_lab`,
  },
  // Every deliberate bug in the code of the re-attachment, until the simulation catches it.
  { ...longTest('mutations', 'simulation/mutations', 'simulation/mutated-source'), onRequest: true },
  {
    // What was deployed on the stored day, then the code as it is. 'templates' compares the same without deploying.
    name: 'upgrade',
    command: [bin('tsx'), 'test/upgrade/run.ts', '--out', 'out/test/upgrade'],
    counts: counted(join(logs, 'upgrade', 'upgrade.json'), (text) => {
      const { results, error } = JSON.parse(text);
      const verdicts = results.flatMap(({ checks }) => checks.map((check) => check.passed));
      const passed = verdicts.filter(Boolean).length;
      return { passed, failed: verdicts.length - passed + (error ? 1 : 0) };
    }),
    phase: 2,
    onRequest: true,
  },
  {
    // cfn-lint and checkov, which take minutes.
    name: 'template-linters',
    command: [bin('tsx'), 'test/templates/linters.ts'],
    counts: counted(join(logs, 'template-linters.json'), JSON.parse),
    phase: 2,
    onRequest: true,
  },
  {
    name: 'catalog',
    command: [
      bin('tsx'),
      'proof/demo/run.ts',
      '--deployment',
      'service-catalog',
      '--short',
      '--twice',
      '--out',
      'out/test/catalog',
    ],
    counts: counted(join(logs, 'catalog', 'catalog.json'), (text) => {
      const { checks } = JSON.parse(text);
      const passed = checks.filter((check) => check.passed).length;
      return { passed, failed: checks.length - passed };
    }),
    phase: 2,
    onRequest: true,
  },
  {
    // More seeds than there is time for in jest.
    name: 'simulation',
    command: [
      bin('tsx'),
      'proof/simulation/cli.ts',
      '--runs',
      '2000',
      '--seed',
      '6000000',
      '--report',
      'out/test/simulation.json',
    ],
    phase: 2,
    onRequest: true,
  },
  // Game days and instance refreshes on a reference deployment with an NFS server; by 'pytest-game-day-lustre' on
  // Lustre.
  { ...pytest('pytest-game-day', GAME_DAY), phase: 2, onRequest: true },
  // The functions of the re-attachment die before and after every single call that they make.
  { ...longTest('deaths', 'simulation/every-crash'), onRequest: true },
  // The command 'status' on a deployment with an NFS server, from its first deployment on.
  { ...pytest('pytest-status', STATUS), phase: 2, onRequest: true },
  // Each key of the configuration switched on and off and changed, in one deployment that can have it; by 'options-all'
  // in each of them.
  { ...longTest('options', ...KEYS), onRequest: true },
  // A support bundle, logs and a game day by the command, on a reference deployment.
  { ...pytest('pytest-bundle', SUPPORT_BUNDLE), phase: 2, onRequest: true },
  // The goals of recovery-speed, and that the simulated AWS answers as the embedded one does.
  { ...longTest('recovery', 'simulation/recovery-speed', 'simulation/cross-check'), onRequest: true },
  // A deployment with an NFS server is stopped and started.
  { ...pytest('pytest-sleep', SLEEP), phase: 2, onRequest: true },
  { ...pytest('pytest-schedules', SCHEDULES), phase: 2, onRequest: true },
  // Each region, and each pair of deployment, partition and context, at least once; by 'matrix-all' everything with
  // everything.
  { ...longTest('matrix', 'matrix/matrix'), onRequest: true },
  // Packages of images with the real dnf, rpm and gpg, which it installs where it can: minutes.
  { ...bats('bats-image', batsFiles.filter(ofRealPackages)), phase: 2, onRequest: true },
  // Each property of the templates altered in turn, until the outlines show it.
  { ...longTest('outlines', 'outline/alterations'), onRequest: true },
  // Each kind of damage that is repaired after a snapshot, and many that are not, with the real e2fsck: a minute.
  { ...bats('bats-repair', batsFiles.filter(ofRepair)), phase: 2, onRequest: true },
  // The package as it is published: built by jsii, and installed in an app. To pack it makes the bundles anew, which
  // others would miss meanwhile.
  { name: 'jsii', command: ['npm', 'run', '--silent', 'jsii'], phase: 3, onRequest: true },
  { name: 'package', command: [bin('tsx'), 'test/package/run.ts'], after: 'jsii', phase: 3, onRequest: true },
  // The report of a benchmark on screens and on paper.
  { ...longTest('chromium', 'lambda/benchmark-judge/report/chromium'), onRequest: true },
  {
    // Every block of commands of the docs, against a deployment that they make.
    name: 'docs',
    command: [bin('tsx'), 'test/docs/commands/run.ts', '--out', 'out/test/docs'],
    counts: docsCounts,
    phase: 3,
    byName: true,
  },
  {
    // Its parts are tested in jest; this is a short run of the whole, and the proof that it notices a mistake.
    name: 'chaos',
    command: [
      bin('tsx'),
      'proof/chaos/run.ts',
      '--short',
      '--seconds',
      '30',
      '--seed',
      '1',
      '--prove-one',
      'release-at-shutting-down',
      '--out',
      'out/test/chaos',
    ],
    counts: counted(join(logs, 'chaos', 'report.json'), (text) => {
      const { invariants, checks, proofs, passed } = JSON.parse(text);
      const held = [...invariants.map((one) => one.passed), ...checks.map((one) => one.passed)];
      const all = [...held, ...proofs.map((one) => one.caught), passed];
      return { passed: all.filter(Boolean).length, failed: all.filter((one) => !one).length };
    }),
    phase: 3,
    byName: true,
  },
  {
    // Wrong requests to every operation of every service that the embedded AWS answers; pytest has those that the
    // deployments ask for.
    ...pytest('requests', 'proof/localcloud/tests/test_validation.py'),
    environment: { SAS_GRID_EVERY_SERVICE: '1' },
    phase: 2,
    byName: true,
  },
  { ...pytest('pytest-game-day-lustre', LUSTRE_GAME_DAY), phase: 2, byName: true },
  // Lustre, io2, GFS2 and FSx are stopped and started; what has backups is backed up and laid into a new deployment.
  { ...pytest('pytest-kinds', KINDS), phase: 2, byName: true },
  { ...longTest('matrix-all', 'matrix/matrix'), environment: { MATRIX: 'all' }, byName: true },
  { ...longTest('options-all', ...KEYS), environment: { OPTIONS: 'all' }, byName: true },
  {
    // The same keys, deployed: half an hour and more. 'options' judges by the templates.
    name: 'options-deployed',
    command: [bin('tsx'), 'test/options/deployed/run.ts', '--out', 'out/test/options-deployed'],
    counts: counted(join(logs, 'options-deployed', 'report.json'), (text) => {
      const { steps, error } = JSON.parse(text);
      const failed = steps.filter(({ problems }) => problems.length > 0).length;
      return { passed: steps.length - failed, failed: failed + (error ? 1 : 0) };
    }),
    phase: 2,
    byName: true,
  },
  {
    name: 'lab',
    // Each scenario has its own bound; this one is for building the image, too.
    shell:
      `rm -f ${labReport}; bash proof/lab/setup.sh && PYTHONPATH=proof/lab timeout --kill-after=60 40m ` +
      `${venv('python')} -m sas_grid_lab run scratch nfs`,
    counts: labCounts,
    phase: 3,
    onRequest: true,
  },
  {
    // The NFS deployment on virtual machines, whose server loses its power while clients write.
    name: 'machines',
    shell:
      `bash proof/lab/setup.sh && timeout --kill-after=60 15m ${bin('tsx')} proof/demo/run.ts ` +
      '--deployment sas-grid-nfs --harm lost-power --out out/test/machines',
    environment: { SAS_GRID_LOCALCLOUD_MACHINES: 'vm' },
    counts: machinesCounts,
    phase: 3,
    onRequest: true,
  },
  // The benchmark's programs really write and read, and its story on the embedded AWS waits for time limits: minutes,
  // for which jest and the demo stand in.
  { ...bats('bats-benchmark', batsFiles.filter(ofBenchmark)), phase: 3, onRequest: true },
  { ...pytest('pytest-benchmark', BENCHMARK_STORY), phase: 3, onRequest: true },
];
