import { RegionInfo } from 'aws-cdk-lib/region-info';
import { REFERENCES } from '../helpers/reference-deployments';

/** In what a deployment is synthesized. */
export interface Case {
  /** A deployment or a catalog. */
  readonly name: string;
  readonly region: string;
  /** One of `CONTEXTS`. */
  readonly context: string;
}

/** All that the library is for: the commercial regions, GovCloud and China, as the CDK knows them. */
export const REGIONS: readonly string[] = RegionInfo.regions
  .filter(({ partition }) => ['aws', 'aws-us-gov', 'aws-cn'].includes(partition ?? ''))
  .map(({ name }) => name)
  .sort();

/** The deployments and catalogs of this repository. */
export const NAMES: readonly string[] = [...REFERENCES, 'service-catalog'];

const CONTEXT_NAMES = ['none', 'init', 'recommended'] as const;

const partitionOf = (region: string): string => /^(cn|us-gov)/.exec(region)?.[0] ?? 'commercial';

/** Everything with everything. */
export const allCases = (): Case[] =>
  NAMES.flatMap((name) =>
    REGIONS.flatMap((region) => CONTEXT_NAMES.map((context) => ({ name, region, context }))),
  );

/**
 * Each region, and each pair of deployment, partition and context, at least once. Regions of a partition differ in the
 * types that CloudFormation has there, which region-types.test.ts looks at for all of them.
 */
export function pairedCases(): Case[] {
  const open = new Set(allCases().flatMap(aspects));
  const chosen: Case[] = [];
  while (open.size > 0) {
    const gain = (each: Case) => aspects(each).filter((one) => open.has(one)).length;
    // Of those that bring most the one that is synthesized fastest; the first of them, so that the choice is the same
    // everywhere.
    const weight = (each: Case) => gain(each) - 0.1 * chosen.filter(({ name }) => name === each.name).length;
    const worth = (each: Case) => weight(each) - (each.name === 'service-catalog' ? 0.9 : 0);
    const best = allCases().reduce((a, b) => (worth(b) > worth(a) ? b : a));
    for (const one of aspects(best)) open.delete(one);
    chosen.push(best);
  }
  return chosen;
}

function aspects({ name, region, context }: Case): string[] {
  const partition = partitionOf(region);
  return [region, `${name} ${partition}`, `${name} ${context}`, `${partition} ${context}`];
}
