/**
 * Synthesizes every reference deployment and catalog once. All actions of policies exist, and all types and properties
 * in all regions; launch roles of products are held against what CloudFormation's resource schemas say that it calls,
 * and all templates against those that are deployed (test/upgrade).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import { checkUpgrade } from '../upgrade/check';
import { OUT, ROOT, start, synthesizeAll, timed } from './assemblies';
import type { Templates } from './findings';
import { wrongActions } from './iam-actions';
import { cfnLintSchemas, launchedOf } from './launch-rights/catalog';
import { judgeRights, type UnneededByType } from './launch-rights/launch-rights';
import { missingInRegions } from './region-types';

const UNNEEDED = join(relative(ROOT, __dirname), 'launch-rights', 'unneeded.yaml');

/**
 * What regions lack of the templates. That it finds a type of two regions, and a property of none, shows that it
 * looked.
 */
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

/** What every template must be, by the word with which it is said: what is wrong with them, as lines for people. */
const CHECKS: readonly (readonly [string, (templates: Templates) => string[]])[] = [
  ['ACTION', (templates) => wrongActions(Object.values(templates), '.venv-templates')],
  ['REGION', regions],
];

function main(): number {
  const { folders, templates } = synthesizeAll();
  const wrong = CHECKS.flatMap(([word, find]) => {
    const found = timed(word, () => find(templates));
    for (const text of found) console.log(`${word} ${text}`);
    return found;
  });
  const rights = launchRights(Object.keys(templates));
  const upgrade = timed('upgrade', () => checkUpgrade(folders, join(OUT, 'stored')));
  const failed = rights.failed + upgrade.failed + wrong.length;
  // One test per template, of all that it must be.
  const { length } = Object.keys(templates);
  const passed = length + rights.passed + upgrade.passed;
  writeFileSync(join(OUT, 'templates.json'), JSON.stringify({ passed, failed }));
  console.log(`${length} templates of ${Object.keys(folders).join(', ')}`);
  return failed > 0 ? 1 : 0;
}

start(main);
