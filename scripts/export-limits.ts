// Writes the limits that the embedded AWS enforces, out of the tables of constructs/sizing, so that there is one table.
// npx tsx scripts/export-limits.ts; test/localcloud/limits.test.ts fails when it was forgotten.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_QUOTAS } from '../constructs/facts/quotas';
import { INSTANCE_TYPE_SOURCES } from '../constructs/sizing/data/sources';
import { EBS_VOLUME_SOURCES, ebsVolumeLimits } from '../constructs/sizing/ebs-volumes';
import type { InstanceTypeFacts, Source } from '../constructs/sizing/facts';
import { knownInstanceTypes } from '../constructs/sizing/instance-types';

export const LIMITS_FILE = join(__dirname, '../proof/localcloud/sas_grid_localcloud/ec2/limits.json');

/** A type that is missing here is refused by the embedded AWS as unknown. */
const VOLUME_TYPES = ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1'];

/** What the file has to say, in the format of the project's other JSON files. */
export function limitsText(): string {
  const about = 'Made by scripts/export-limits.ts from constructs/sizing and /facts. Change these.';
  const sources = [...EBS_VOLUME_SOURCES, ...INSTANCE_TYPE_SOURCES].map(cited);
  const volumes = VOLUME_TYPES.map((name) => {
    const { minSizeGiB, maxSizeGiB, multiAttach, iops, throughput } = ebsVolumeLimits(name)!;
    return entry(name, 4, { size: [minSizeGiB, maxSizeGiB], multiAttach, iops, throughput });
  });
  return [
    '{',
    `  "about": ${JSON.stringify(about)},`,
    `  "sources": [\n${sources.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ],`,
    `  "volumes": {\n${volumes.join(',\n')}\n  },`,
    `  "instanceColumns": ${inline(COLUMNS)},`,
    `  "instances": {\n${lines().join(',\n')}\n  },`,
    `  "sizeColumns": ${inline(['vcpus', 'cores', 'memoryGiB'])},`,
    `  "sizes": {\n${sizes().join(',\n')}\n  },`,
    `  "quotas": {\n${quotas().join(',\n')}\n  }`,
    '}\n',
  ].join('\n');
}

function cited({ title, reference, checked }: Source): string {
  return `${title}: ${reference} (${checked})`;
}

function entry(name: string, indent: number, facts: { [key: string]: unknown }): string {
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${' '.repeat(indent + 2)}"${key}": ${inline(value)}`);
  return `${' '.repeat(indent)}"${name}": {\n${lines.join(',\n')}\n${' '.repeat(indent)}}`;
}

const COLUMNS = ['architecture', 'attachments', 'limit', 'interfaces', 'nvmeDisks', 'placement'];

/** Types of which the same is true share a line: `"m5.large m6i.large": "x86_64 shared 28 3 0 cluster"`. */
function lines(): string[] {
  const byFacts = new Map<string, string[]>();
  for (const type of knownInstanceTypes()) {
    const facts = enforced(type).join(' ');
    byFacts.set(facts, [...(byFacts.get(facts) ?? []), type.name]);
  }
  return [...byFacts].map(([facts, names]) => `    "${names.join(' ')}": "${facts}"`);
}

/** The other way round, since one type has one size: `"2 8": "m5.large m6i.large"`. */
function sizes(): string[] {
  const bySize = new Map<string, string[]>();
  for (const { name, vcpus, cores, memoryGiB } of knownInstanceTypes()) {
    const size = `${vcpus} ${cores} ${memoryGiB}`;
    bySize.set(size, [...(bySize.get(size) ?? []), name]);
  }
  return [...bySize].map(([size, names]) => `    "${size}": "${names.join(' ')}"`);
}

/** What a new account has, by the codes of Service Quotas. */
function quotas(): string[] {
  return ALL_QUOTAS.map(({ code, ...quota }) => entry(code, 4, quota));
}

/** In the order of COLUMNS. */
function enforced({ architecture, attachments, ...type }: InstanceTypeFacts): (string | number)[] {
  // On bare metal the disks take nothing away from the shared limit.
  const nvme = type.instanceStore?.kind === 'nvme-ssd' && type.hypervisor !== 'none';
  const disks = nvme ? type.instanceStore!.disks : 0;
  const placement = type.clusterPlacementGroup ? 'cluster' : '-';
  return [architecture, attachments.kind, attachments.limit, type.maxNetworkInterfaces, disks, placement];
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `"${key}": ${inline(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}

if (require.main === module) writeFileSync(LIMITS_FILE, limitsText());
