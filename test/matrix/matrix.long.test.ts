import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGIONS_WITHOUT_TYPES } from '../../constructs/facts/regions';
import { allCases, type Case, NAMES, pairedCases, REGIONS } from './cases';
import { said } from './synthesize';

// MATRIX=all, as the check 'matrix' sets it, is everything with everything.
const cases = process.env.MATRIX === 'all' ? allCases() : pairedCases();

/** Warnings of the reference deployments that are right, by the beginning of their ids. */
const EXPLAINED = [
  // For the embedded AWS they name no images; whoever deploys to an account does.
  'cdk-sas-grid:serverImage',
  'cdk-sas-grid:clusterImage',
  'cdk-sas-grid:movingImage',
  'cdk-sas-grid:movingNatImage',
  // The types of 2015, as the papers have them.
  'cdk-sas-grid:volumesWithoutIdentity',
  'cdk-sas-grid:ebsBandwidthBelowVolumes',
  // The app has to choose: cdk.json of this repository does.
  '@aws-cdk/core:crossStackReferencesDefaultStrong',
];

/** The papers' types of 2015 are not in all regions: that deployment is for the embedded AWS. See docs/regions.md. */
const TYPES_OF_2015 = /Validate E3628 at (sas-grid-lustre-2015-|service-catalog\/.*2015)/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matrix-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a deployment needs that its region lacks: then synthesis says so. The CDK looks at no template of a product. */
const lacking = ({ name, region }: Case): string[] =>
  Object.entries(REGIONS_WITHOUT_TYPES.value)
    .filter(([, regions]) => regions.includes(region))
    .map(([type]) => type)
    .filter(
      (type) => type === { 'service-catalog': 'AWS::ServiceCatalog::', 'sas-grid-fsx': 'AWS::FSx::' }[name],
    );

test.each(cases)('$name in $region with the context $context', ({ ...each }) => {
  const outdir = join(folder, 'cdk.out');
  rmSync(outdir, { recursive: true, force: true });
  const open = said(each, outdir).filter(
    (text) => !EXPLAINED.some((id) => text.includes(id)) && !TYPES_OF_2015.test(text),
  );
  const lacks = lacking(each);
  expect(open.filter((text) => !lacks.some((type) => text.includes(type)))).toEqual([]);
  expect(open.length > 0).toBe(lacks.length > 0);
});

test('each region and each deployment is in it', () => {
  expect(REGIONS.length).toBeGreaterThan(35);
  expect(NAMES.length).toBeGreaterThan(7);
  expect(new Set(cases.map(({ region }) => region)).size).toBe(REGIONS.length);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(NAMES.length);
});
