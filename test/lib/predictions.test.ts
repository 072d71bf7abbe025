import { loadConfig, parseConfig } from '../../lib/config';
import type { DeploymentConfig } from '../../lib/config-types';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';

interface Made {
  readonly outputs: { readonly [stack: string]: { readonly [name: string]: string } };
  readonly tagged: { readonly type: string; readonly tags: { readonly [key: string]: string } }[];
  readonly warnings: string;
}

/** A deployment's outputs, and which of its resources have tags of a prediction. */
function made(name: string, more: Partial<DeploymentConfig> = {}): Made {
  const app = testApp();
  createDeployment(app, name, { ...loadConfig(name), ...more }, '/nonexistent/no-record.json');
  const { stacks } = app.synth();
  const outputs: Record<string, Record<string, string>> = {};
  const tagged: { type: string; tags: Record<string, string> }[] = [];
  for (const { stackName, template } of stacks) {
    const all = Object.entries((template.Outputs ?? {}) as Record<string, { Value: string }>);
    outputs[stackName.slice(name.length + 1)] = Object.fromEntries(
      all.map(([key, { Value }]) => [key, Value]),
    );
    for (const { Type, Properties } of Object.values(template.Resources as Record<string, Resource>)) {
      const tags = Array.isArray(Properties?.Tags) ? Properties.Tags : [];
      const ours = tags.filter(({ Key }) => Key.startsWith('cdk-sas-grid:predicted'));
      if (ours.length) {
        tagged.push({ type: Type, tags: Object.fromEntries(ours.map(({ Key, Value }) => [Key, Value])) });
      }
    }
  }
  const warnings = stacks
    .flatMap(({ messages }) => messages.map(({ entry }) => String(entry.data)))
    .join('\n');
  return { outputs, tagged, warnings };
}

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Tags?: { readonly Key: string; readonly Value: string }[] };
}

describe('the Lustre deployment', () => {
  const { outputs, tagged, warnings } = made('sas-grid-lustre');

  test('tells what the file system and the grid will deliver, and what limits it', () => {
    expect(outputs.storage!.PredictedThroughput).toBe(
      '3 servers give 9.4 GB/s (3 servers x 3125 MB/s: EBS bandwidth of m6in.8xlarge).',
    );
    expect(outputs.grid!.PredictedThroughput).toMatch(
      /^Shared: 3 servers give 9.4 GB\/s = 117 MB\/s per core for 80 cores .* Temporary: .* = 145 MB\/s per core/,
    );
  });

  test('tells what it costs, by item, with the day of the prices', () => {
    const cost = outputs.storage!.PredictedMonthlyCost!;
    // 3 x 8 x 0.27846 x 730; 24 x (750 x 0.08 + 250 x 0.04).
    expect(cost).toContain('3 x m6in.8xlarge $4,879');
    expect(cost).toContain('24 x gp3 750 GiB, 3000 IOPS, 375 MiB/s $1,680');
    expect(cost).toMatch(
      /^\$7,535 a month: .*us-east-1 \(the region is known at deployment\): servers of 2026-01-19/,
    );
    expect(outputs.grid!.PredictedMonthlyCost).toContain('5 x i4i.8xlarge');
  });

  test('has both as tags on the volume map, and on nothing whose change would touch a server', () => {
    expect(tagged).toEqual([
      {
        type: 'AWS::DynamoDB::Table',
        tags: { 'cdk-sas-grid:predictedMBps': '9375', 'cdk-sas-grid:predictedUSD': '7535' },
      },
    ]);
  });

  test('meets what its configuration wants', () => {
    expect(loadConfig('sas-grid-lustre').grid).toMatchObject({
      sharedMBpsPerCore: 75,
      temporaryMBpsPerCore: 100,
    });
    expect(warnings).not.toMatch(/too slow|cannot be compared/);
  });
});

test('what a configuration wants is compared, and fails the synthesis where that is wanted', () => {
  const { grid } = loadConfig('sas-grid-lustre');
  const wants = (more: object) => ({ grid: { ...grid!, ...more } });
  expect(made('sas-grid-lustre', wants({ sharedMBpsPerCore: 140 })).warnings).toContain('; 140 needs 4.');
  // The hosts' own network, and not that of the servers, is why.
  expect(made('sas-grid-lustre', wants({ sharedMBpsPerCore: 200 })).warnings).toMatch(
    /200 are wanted, and more servers do not help \(5 hosts x 2344 MB\/s: network of i4i.8xlarge\)/,
  );
  expect(made('sas-grid-lustre', wants({ temporaryMBpsPerCore: 400 })).warnings).toContain(
    'scratch of the nodes is too slow',
  );
  expect(() => made('sas-grid-lustre', wants({ sharedMBpsPerCore: 200, failOnShortfall: true }))).toThrow(
    /sharedThroughput in MB\/s for each core is 200; allowed: up to 117/,
  );
});

test('a wish that makes no sense is refused by its key', () => {
  const text = (key: string) => `
description: x
nfs: { ebs: {} }
grid: { nodes: 1, instanceType: i4i.xlarge, ${key} }
`;
  expect(() => parseConfig(text('sharedMBpsPerCore: 0'), 'a.yaml')).toThrow(
    /grid.sharedMBpsPerCore is 0; allowed: number from 1 to 10000; MB\/s that each physical core/,
  );
  expect(() => parseConfig(text('failOnShortfall: maybe'), 'a.yaml')).toThrow(
    /grid.failOnShortfall is "maybe"/,
  );
});

test('a price that is not known is not invented', () => {
  // What throughput of gp3 costs in eu-central-1 could not be cited: a volume without any more of it has a price.
  const cost = made('sas-grid-lustre', { region: 'eu-central-1' }).outputs.storage!.PredictedMonthlyCost!;
  expect(cost).toMatch(/^Not known; what is known comes to \$[\d,]+ a month: .*375 MiB\/s price not known/);
  expect(cost).toMatch(/1 x gp3 20 GiB \$2;/);
  expect(cost).toMatch(
    /List prices on demand of eu-central-1: servers of 2025-03-02, gp3 volumes of 2021-07-14\./,
  );
  const { outputs, tagged } = made('sas-grid-lustre', { region: 'sa-east-1' });
  expect(outputs.storage!.PredictedMonthlyCost).toContain('There are no prices of sa-east-1 here.');
  expect(tagged[0]!.tags).toEqual({ 'cdk-sas-grid:predictedMBps': '9375' });
});

test.each([
  [
    'sas-grid-fsx',
    'AWS::FSx::FileSystem',
    /^The storage gives 4.8 GB\/s/,
    /9600 GiB at 500 MB\/s\/TiB \$3,264/,
  ],
  ['sas-grid-nfs', 'AWS::DynamoDB::Table', /^1 server gives 1 GB\/s/, /1 x m6in.4xlarge/],
  [
    'sas-server-io2',
    'AWS::DynamoDB::Table',
    /3.8 GB\/s = 156 MB\/s per core for 24 cores/,
    /14306 IOPS \$2,210/,
  ],
  ['nfs-storage-server', 'AWS::DynamoDB::Table', /^1 server gives 205 MB\/s/, /5000 GiB \$225/],
  ['sas-grid-gfs2', undefined, /7.5 GB\/s = 156 MB\/s per core for 48 cores/, /3 x r5b.8xlarge/],
])('%s has its predictions', (name, type, throughput, cost) => {
  const { outputs, tagged } = made(name);
  expect(outputs.storage!.PredictedThroughput).toMatch(throughput);
  expect(outputs.storage!.PredictedMonthlyCost).toMatch(cost);
  expect(tagged.map((each) => each.type)).toEqual(type ? [type] : []);
  for (const value of Object.values(outputs).flatMap((each) => Object.values(each))) {
    // The limit of an output's value, AWS CloudFormation User Guide, "Outputs".
    if (typeof value === 'string') expect(value.length).toBeLessThanOrEqual(1024);
  }
});
