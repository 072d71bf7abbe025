/**
 * Synthesizes every reference deployment and catalog once, as its users do and with the library's own validation, into out/test/cdk.out-<name>, and has
 * cfn-lint and checkov look at all templates. Their findings are mended, or acknowledged in acknowledged.yaml. Launch roles of products are held
 * against what CloudFormation's resource schemas say that it calls, and all templates against those that are deployed (test/upgrade).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import { checkUpgrade } from '../upgrade/check';
import {
  type Acknowledgement,
  deploymentOf,
  type Finding,
  judge,
  malformed,
  resourceOf,
  type Templates,
} from './findings';
import { wrongActions } from './iam-actions';
import { cfnLintSchemas, launchedOf } from './launch-rights/catalog';
import { judgeRights, type UnneededByType } from './launch-rights/launch-rights';
import { missingInRegions } from './region-types';
import { synthesize } from './synthesize';
import { TOOLS, type Tool } from './tools';

const ROOT = join(__dirname, '..', '..');
const OUT = join('out', 'test');
const ACKNOWLEDGED = join(relative(ROOT, __dirname), 'acknowledged.yaml');
const UNNEEDED = join(relative(ROOT, __dirname), 'launch-rights', 'unneeded.yaml');
const CANARY = join(relative(ROOT, __dirname), 'canary.template.json');

/** Runs a step, and says how long it took. */
function timed<T>(what: string, step: () => T): T {
  const start = Date.now();
  const result = step();
  console.log(`${what}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** The deployments and catalogs of this repository; a user's own file beside them is the user's. */
function deployments(): string[] {
  const files = execFileSync('git', ['ls-files', 'config/*.yaml'], { encoding: 'utf8' });
  return files
    .split('\n')
    .filter(Boolean)
    .map((file) => basename(file, '.yaml'));
}

/** A tool's findings in the templates. That it finds the canary shows that it looked. */
function findings(tool: Tool, files: readonly string[]): Finding[] {
  const all = timed(tool.name, () => tool.check([...files, CANARY]));
  if (!all.some(({ file, rule }) => file === CANARY && rule === tool.canary)) {
    throw new Error(`${tool.name} does not find ${tool.canary} in ${CANARY}: what else does it not find?`);
  }
  return all.filter(({ file }) => file !== CANARY);
}

function describe(finding: Finding, templates: Templates): string {
  const { tool, rule, message, file, logicalId } = finding;
  const resource = logicalId
    ? `${logicalId} [${resourceOf(finding, templates) ?? 'unknown'}]`
    : 'the template';
  return `FOUND ${deploymentOf(file)}: ${basename(file)}: ${resource}: ${tool} ${rule}: ${message}`;
}

/** What regions lack of the templates. That it finds a type of two regions, and a property of none, shows that it looked. */
function regions(templates: Templates): string[] {
  const Resources = {
    Type: { Type: 'AWS::EC2::SubnetCidrReservation' },
    Property: { Type: 'AWS::EC2::Volume', Properties: { Tags: [{ Kye: 'a' }] } },
  };
  const canaries = missingInRegions([{ Resources }], '.venv-templates').join();
  for (const text of [
    'eu-central-1 lacks AWS::EC2::SubnetCidrReservation',
    'AWS::EC2::Volume has no property Tags.Kye',
  ])
    if (!canaries.includes(text)) throw new Error(`regions are not looked at: '${text}' was not found`);
  return missingInRegions(Object.values(templates), '.venv-templates');
}

/** Whether launch roles allow what launching, updating and terminating their products takes. One test per product. */
function launchRights(files: readonly string[]): { passed: number; failed: number } {
  const catalogs = files.filter((file) => basename(file) === 'service-catalog.template.json');
  const launched = catalogs.flatMap((file) => launchedOf(file));
  if (launched.length === 0)
    throw new Error('there is no catalog with products: whose launch roles are looked at?');
  const unneeded = parse(readFileSync(UNNEEDED, 'utf8')) as UnneededByType;
  const { missing, unused, withoutHandlers } = judgeRights(
    launched,
    cfnLintSchemas('.venv-templates'),
    unneeded,
  );
  for (const text of missing)
    console.log(`MISSING ${text}; allow it, or say in ${UNNEEDED} why it is not needed`);
  for (const text of unused) console.log(`UNUSED ${UNNEEDED}: ${text}: take the line out`);
  console.log(`launch roles: schemas say nothing of ${withoutHandlers.join(', ')}`);
  const failing = new Set(missing.map((text) => text.split(':')[0]));
  return { passed: launched.length - failing.size, failed: failing.size + unused.length };
}

function main(): number {
  if (!existsSync(join('.venv-templates', 'bin', 'checkov'))) {
    console.error('cfn-lint and checkov are not installed; run: bash scripts/setup.sh --template-checks');
    return 1;
  }
  mkdirSync(OUT, { recursive: true });
  // As the CDK's command sets it: the name of a catalog's bucket has it, in the stored templates too.
  process.env.CDK_DEFAULT_REGION = 'us-east-1';
  const names = deployments();
  const assemblies = Object.fromEntries(names.map((name) => [name, join(OUT, `cdk.out-${name}`)]));
  const files = names.flatMap((name) => timed(name, () => synthesize(name, assemblies[name]!)));
  const templates: Templates = Object.fromEntries(
    files.map((file) => [file, JSON.parse(readFileSync(file, 'utf8')) as Templates[string]]),
  );
  const acknowledgements = parse(readFileSync(ACKNOWLEDGED, 'utf8')) as Acknowledgement[];
  const wrong = malformed(acknowledgements);
  const all = TOOLS.flatMap((tool) => findings(tool, files));
  const { open, acknowledged, unused } = judge(all, wrong.length > 0 ? [] : acknowledgements, templates);

  for (const finding of open) console.log(describe(finding, templates));
  for (const text of wrong) console.log(`WRONG ${ACKNOWLEDGED}: ${text}`);
  for (const { rule, resource } of unused) {
    console.log(
      `UNUSED ${ACKNOWLEDGED}: nothing has finding ${rule} at '${resource}' any more: take the line out`,
    );
  }
  if (open.length > 0) {
    console.log(
      `Mend what was found; if it is right as it is, say why in ${ACKNOWLEDGED}, for its resource only.`,
    );
  }
  const actions = timed('actions', () => wrongActions(Object.values(templates), '.venv-templates'));
  for (const text of actions) console.log(`ACTION ${text}`);
  const lacking = timed('regions', () => regions(templates));
  for (const text of lacking) console.log(`REGION ${text}`);
  const rights = launchRights(files);
  const upgrade = timed('upgrade', () => checkUpgrade(assemblies, join(OUT, 'stored')));
  const failed =
    open.length +
    wrong.length +
    unused.length +
    rights.failed +
    upgrade.failed +
    lacking.length +
    actions.length;
  // One test per template and tool.
  const passed =
    TOOLS.length * files.length -
    new Set(open.map(({ tool, file }) => tool + file)).size +
    rights.passed +
    upgrade.passed;
  writeFileSync(join(OUT, 'templates.json'), JSON.stringify({ passed, failed }));
  console.log(
    `${files.length} templates of ${names.join(', ')}; ${acknowledged.length} findings acknowledged, ${open.length} open`,
  );
  return failed > 0 ? 1 : 0;
}

process.chdir(ROOT);
try {
  process.exitCode = main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
