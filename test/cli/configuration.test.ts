import { configurationOf, type PlannedConfiguration } from '../../cli/planner/configuration';
import { AVAILABILITY, type Design, DURABILITY, plan, type Wish } from '../../constructs/sizing/plan';
import { parseConfig } from '../../lib/config';
import { createDeployment } from '../../lib/deployment';
import { testApp } from '../helpers/app';
import { check, constant, constantFrom, integer, oneof, property, record } from '../helpers/fast-check';

const LARGE: Wish = {
  nodes: 4,
  nodeType: 'i4i.8xlarge',
  sharedMBpsPerCore: 75,
  capacityTB: 50,
};
const SMALL: Wish = { ...LARGE, nodes: 2, nodeType: 'i4i.4xlarge', sharedMBpsPerCore: 50, capacityTB: 8 };
const ONE: Wish = { ...LARGE, nodes: 1, nodeType: 'r5b.12xlarge', capacityTB: 20 };
const SCRATCH = { durability: 'scratch', availability: 'restore' } as const;

function of(wish: Wish, id: string): { design: Design; planned: PlannedConfiguration | string } {
  const { designs, need } = plan(wish);
  const design = designs.find((one) => one.id === id)!;
  return { design, planned: configurationOf(design, need!) };
}

/** The resources of all stacks of a deployment. */
function resourcesOf({ name, yaml }: PlannedConfiguration): { Type: string; Properties: never }[] {
  const app = testApp();
  createDeployment(app, name, parseConfig(yaml, `${name}.yaml`), '/nonexistent/no-record.json');
  return app.synth().stacks.flatMap((stack) => Object.values(stack.template.Resources)) as never;
}

const count = <T>(items: T[]): Record<string, number> =>
  items.reduce<Record<string, number>>((sum, item) => {
    const key = JSON.stringify(item);
    sum[key] = (sum[key] ?? 0) + 1;
    return sum;
  }, {});

describe('what cdk deploys from a configuration is what was planned', () => {
  const SERVED: [id: string, wish: Wish][] = [
    ['lustre-gp3', LARGE],
    ['lustre-io2', LARGE],
    ['nfs-ebs', SMALL],
    ['io2-single-host', ONE],
    ['io2-gfs2', { ...LARGE, nodeType: 'r5b.8xlarge' }],
  ];
  test.each(SERVED)('%s: its volumes', (id, wish) => {
    const { design, planned } = of(wish, id);
    const { servers, devices } = design.storage!;
    const { count: each, type, sizeGiB, iops, throughputMiBps } = devices[0]!;
    const volumes = resourcesOf(planned as PlannedConfiguration)
      .filter(({ Type }) => Type === 'AWS::EC2::Volume')
      .map(({ Properties: { VolumeType, Size, Iops, Throughput } }) => ({
        VolumeType,
        Size,
        Iops,
        Throughput,
      }));
    const expected = { VolumeType: type, Size: sizeGiB, Iops: iops, Throughput: throughputMiBps };
    expect(count(volumes)[JSON.stringify(expected)]).toBe(Math.max(1, servers) * each);
  });

  test.each(SERVED.filter(([id]) => !id.startsWith('io2')))('%s: the type of its servers', (id, wish) => {
    const { design, planned } = of(wish, id);
    const text = JSON.stringify(resourcesOf(planned as PlannedConfiguration));
    expect(text).toContain(`"InstanceType":"${design.storage!.serverType}"`);
    expect(text).toContain(`"InstanceType":"${wish.nodeType}"`);
  });

  test('nfs-instance-store: the type of its server', () => {
    const { design, planned } = of({ ...SMALL, ...SCRATCH }, 'nfs-instance-store');
    const text = JSON.stringify(resourcesOf(planned as PlannedConfiguration));
    expect(text).toContain(`"InstanceType":"${design.storage!.serverType}"`);
  });

  test.each(['125', '250', '500', '1000'])('fsx-lustre-ssd-%s: size and tier', (tier) => {
    const { planned } = of(LARGE, `fsx-lustre-ssd-${tier}`);
    const [fileSystem] = resourcesOf(planned as PlannedConfiguration).filter(
      ({ Type }) => Type === 'AWS::FSx::FileSystem',
    );
    expect(fileSystem!.Properties).toMatchObject({
      StorageCapacity: 48000,
      LustreConfiguration: { PerUnitStorageThroughput: Number(tier) },
    });
  });

  test('fsx-lustre-intelligent-tiering: the throughput', () => {
    const { design, planned } = of(LARGE, 'fsx-lustre-intelligent-tiering');
    const [fileSystem] = resourcesOf(planned as PlannedConfiguration).filter(
      ({ Type }) => Type === 'AWS::FSx::FileSystem',
    );
    expect(fileSystem!.Properties).toMatchObject({
      LustreConfiguration: { ThroughputCapacity: design.storage!.provisionedMBps },
    });
  });
});

test('whatever is wished, a configuration loads and says the same as its YAML, or there is a sentence', () => {
  const kinds = new Set<string>();
  const wishes = record({
    nodes: oneof(constant(1), integer({ min: 1, max: 4 }), integer({ min: 1, max: 130 })),
    nodeType: constantFrom(
      'i4i.8xlarge',
      'r5b.8xlarge',
      'm5.xlarge',
      'm6in.16xlarge',
      'r8g.4xlarge',
      'x.#: y',
    ),
    coresPerNode: integer({ min: 1, max: 64 }),
    sharedMBpsPerCore: oneof(integer({ min: 0, max: 10 }), integer({ min: 0, max: 200 })),
    capacityTB: integer({ min: 1, max: 900 }),
    durability: constantFrom(...DURABILITY),
    availability: constantFrom(...AVAILABILITY),
    region: constantFrom('us-east-1', 'eu-west-1', 'xx-nowhere-9', 'no\nregion: at all'),
  });
  const all = property(wishes, (wish) => {
    const { designs, need } = plan(wish);
    for (const design of designs) {
      const planned = configurationOf(design, need!);
      if (typeof planned === 'string') expect(planned).toMatch(/^\S.*[.]$/s);
      else {
        kinds.add(design.id);
        expect(planned.name).toMatch(/^[a-z][a-z0-9-]{0,40}$/);
        expect(parseConfig(planned.yaml, 'planned.yaml')).toEqual(JSON.parse(JSON.stringify(planned.config)));
      }
    }
  });
  const { counterexample, errorInstance } = check(all, { numRuns: 300, seed: 7 });
  expect({ counterexample, errorInstance }).toEqual({ counterexample: null, errorInstance: null });
  expect([...kinds].sort()).toEqual([
    'fsx-lustre-intelligent-tiering',
    'fsx-lustre-ssd-1000',
    'fsx-lustre-ssd-125',
    'fsx-lustre-ssd-250',
    'fsx-lustre-ssd-500',
    'io2-gfs2',
    'io2-single-host',
    'lustre-gp3',
    'lustre-io2',
    'nfs-ebs',
    'nfs-instance-store',
  ]);
});

test.each([
  ['fsx-openzfs', LARGE, /no reference deployment with FSx for OpenZFS.*FsxOpenZfs/],
  ['fsx-ontap', LARGE, /no reference deployment with FSx for NetApp ONTAP.*FsxOntap/],
  ['efs', SMALL, /no reference deployment with Amazon EFS.*EfsSharedFileSystem/],
  ['lustre-instance-store', { ...LARGE, ...SCRATCH }, /no reference deployment of Lustre on instance store/],
  ['nfs-ebs', LARGE, /1 GB\/s/],
  ['lustre-gp3', { ...LARGE, nodeType: undefined, coresPerNode: 16 }, /type of the nodes: give it/],
  ['lustre-gp3', { ...LARGE, nodes: 101, sharedMBpsPerCore: 1 }, /at most 100 nodes/],
  ['lustre-gp3', { ...LARGE, nodeType: 'm8g.8xlarge', sharedMBpsPerCore: 10 }, /m8g.8xlarge is ARM/],
  ['io2-gfs2', { ...LARGE, sharedMBpsPerCore: 10, capacityTB: 200 }, /the capacity needs 3/],
])('%s: why there is no configuration', (id, wish, reason) => {
  expect(of(wish, id).planned).toMatch(reason);
});

test('the comment says what was wanted, predicted and what is left to do', () => {
  const { yaml } = of(LARGE, 'lustre-gp3').planned as PlannedConfiguration;
  const comment = yaml.replace(/\n# /g, ' ');
  expect(comment).toContain(
    '4 x i4i.8xlarge with 75 MB/s of shared space for each core, which is 4,800 MB/s',
  );
  expect(comment).toMatch(/Predicted: [\d,]+ MB\/s, for \$[\d,]+ a month in us-east-1/);
  expect(comment).toContain('make deploy DEPLOYMENT=planned-lustre-gp3');
});
