import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import { assessConfiguration } from '../../cli/planner/compare';
import { configurationOf } from '../../cli/planner/configuration';
import { deployedOf } from '../../cli/planner/deployed';
import { LustrePreset } from '../../constructs/intel-lustre/preset';
import { checkedCluster as io2Plan } from '../../constructs/io2-block-express-gfs2/checks';
import { ebsServer, localServer } from '../../constructs/nfs-storage-server/sizes';
import { plan } from '../../constructs/sizing/plan';
import { loadConfig, parseConfig } from '../../lib/config';
import type { NfsConfig } from '../../lib/config-types';
import { io2Props } from '../../lib/file-systems/io2';
import { nfsProps } from '../../lib/file-systems/nfs';
import { testStack } from '../helpers/app';
import { maybe } from '../helpers/arbitraries';
import fc from '../helpers/fast-check';
import { REFERENCES } from '../helpers/reference-deployments';
import { anyWish, run } from './terminal';

const LUSTRE = 'config/sas-grid-lustre.yaml';
const FSX = 'config/sas-grid-fsx.yaml';

test.each([80, 120])('two deployments side by side on %d columns', (columns) => {
  const { code, out, err } = run(`compare ${LUSTRE} ${FSX}`, { columns });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchSnapshot();
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
});

test('what both have is the same', () => {
  const { out } = run(`compare ${FSX} ${FSX}`);
  expect(out.match(/the same/g)).toHaveLength(10);
});

test('every reference deployment is predicted, and its comment agrees', () => {
  const perCore = Object.fromEntries(
    REFERENCES.map((name) => {
      const { perCoreMBps, prediction } = assessConfiguration(name, loadConfig(name), 0.5, {});
      expect(prediction.unknown.filter((text) => !text.startsWith('The network of the hosts'))).toEqual([]);
      return [name, perCoreMBps && Math.floor(perCoreMBps)];
    }),
  );
  expect(perCore).toEqual({
    'nfs-storage-server': undefined,
    'sas-grid-fsx': 75,
    'sas-grid-gfs2': 156,
    'sas-grid-lustre': 146,
    // Three of the papers' four hosts: the fourth is the control server, which is no node here.
    'sas-grid-lustre-2015': 31,
    'sas-grid-nfs': 65,
    'sas-server-io2': 156,
  });
});

test('the JSON has both and what the second has more', () => {
  const { out } = run(`compare ${LUSTRE} ${FSX} --json`);
  const { configurations, differences } = JSON.parse(out);
  expect(configurations.map(({ file }: { file: string }) => file)).toEqual([LUSTRE, FSX]);
  expect(differences).toMatchObject({ readMBps: -4575, writeMBps: -4575, capacityGiB: -8400, nodesUsd: 0 });
});

test('a region without prices is compared without costs', () => {
  const { code, out } = run(`compare ${LUSTRE} ${FSX} --region eu-west-3`);
  expect(code).toBe(0);
  expect(out).toMatch(/together, USD\/month +not known +not known\n/);
  expect(out).toContain('A: the price is not known of 3 x m6in.8xlarge (OSS); ');
});

describe('a file that cannot be compared', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'planner-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each([
    [
      'is not there',
      undefined,
      'is not there. Type the path of a configuration, such as config/sas-grid-lustre.yaml',
    ],
    ['is no YAML', 'a: [', 'mine.yaml: '],
    ['is no configuration', 'description: x\n', 'allowed: exactly one'],
    ['has an unknown key', 'description: x\nstorrage: {}\n', "unknown key 'storrage'"],
  ])('%s', (_, text, message) => {
    const file = join(folder, 'mine.yaml');
    if (text !== undefined) writeFileSync(file, text);
    const { code, out, err } = run(['compare', LUSTRE, file]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('is a folder', () => {
    expect(run(['compare', LUSTRE, folder])).toMatchObject({ code: 2 });
  });
});

test('a design that is written is read back as what was planned', () => {
  fc.assert(
    fc.property(anyWish, (wish) => {
      const { designs, need } = plan(wish);
      for (const design of designs) {
        const planned = configurationOf(design, need!);
        if (typeof planned === 'string') continue;
        const config = parseConfig(planned.yaml, 'planned.yaml');
        const { storage, items } = deployedOf(config, { hoursPerMonth: need!.hoursPerMonth });
        expect(JSON.parse(JSON.stringify(storage))).toEqual(JSON.parse(JSON.stringify(design.storage)));
        const usd = items.reduce((sum, item) => sum + (item.usd ?? 0), 0);
        expect(usd).toBeCloseTo(design.cost!.knownUsd, 4);
      }
    }),
    { numRuns: 40 },
  );
});

describe('a configuration is read as the constructs read it', () => {
  const volume = fc.constantFrom(
    { type: 'gp3', sizeGiB: 2000, iops: 4000, throughputMiBps: 500 } as const,
    { type: 'gp3', sizeGiB: 500 } as const,
    { type: 'st1', sizeGiB: 8000 } as const,
  );
  const ebs = fc.record({
    preset: maybe(fc.constantFrom('Small-2TB', 'Medium-5TB', 'Large-10TB', 'XLarge-15TB')),
    papers: maybe(fc.boolean()),
    volume: maybe(volume),
    volumeCount: maybe(fc.integer({ min: 1, max: 8 })),
    throughputMBps: maybe(fc.integer({ min: 50, max: 3000 })),
    instanceType: maybe(fc.constantFrom('m6in.8xlarge', 'r6i.4xlarge')),
  });
  const described = (nfs: NfsConfig) =>
    deployedOf({ description: 'x', nfs, grid: { nodes: 1, instanceType: 'i4i.8xlarge' } }).storage;

  test('NFS on volumes', () => {
    const stack = testStack();
    fc.assert(
      fc.property(ebs, (config) => {
        const { storage } = nfsProps(stack, { ebs: config });
        const server = ebsServer(stack, storage!._ebs!);
        const { serverType, devices } = described({ ebs: config });
        const [{ count, type, sizeGiB, iops }] = devices as [(typeof devices)[0]];
        expect(serverType).toBe(server.instanceType.toString());
        expect(count).toBe(server.volumes.length);
        const [first] = server.volumes;
        expect({ type, sizeGiB, iops }).toEqual({
          type: first!.volumeType,
          sizeGiB: first!.size.toGibibytes(),
          iops: first!.iops,
        });
      }),
    );
  });

  test.each([{}, { capacityGiB: 20_000 }, { throughputMBps: 2000 }, { instanceType: 'i3en.6xlarge' }])(
    'NFS on instance store, %j',
    (config) => {
      const stack = testStack();
      const instanceStore = { dataLossAcceptableBecause: 'test', ...config };
      const { storage } = nfsProps(stack, { instanceStore });
      const { instanceType, store } = localServer(stack, storage!._instanceStore!);
      expect(described({ instanceStore })).toMatchObject({
        serverType: instanceType.toString(),
        devices: [{ count: store.disks, type: 'instance-store' }],
      });
    },
  );

  test('io2', () => {
    const stack = testStack();
    const io2 = fc.record({
      sizeGiB: fc.integer({ min: 200, max: 40_000 }),
      nodes: maybe(fc.integer({ min: 1, max: 4 })),
      throughputMBps: maybe(fc.integer({ min: 100, max: 9000 })),
      iopsAdjustment: maybe(fc.integer({ min: -10, max: 10 })),
    });
    fc.assert(
      fc.property(io2, (config) => {
        const props = io2Props(stack, { ...config, instanceType: 'r5b.8xlarge' });
        const type = new InstanceType('r5b.8xlarge');
        const { volumes } = io2Plan(stack, { ...props } as Parameters<typeof io2Plan>[1], type);
        const { storage } = deployedOf({ description: 'x', io2: { ...config, instanceType: 'r5b.8xlarge' } });
        expect(storage.devices).toEqual([{ type: 'io2', ...volumes }]);
      }),
      { numRuns: 50 },
    );
  });

  test('Lustre, with hot spares in the bill', () => {
    const { storage, items } = deployedOf({
      description: 'x',
      storage: { preset: 'current', fileSystemName: 'sasfs', oss: { count: 5, hotSpares: 2 } },
      grid: { nodes: 1, instanceType: 'i4i.8xlarge' },
    });
    const { oss } = LustrePreset.current();
    expect(storage).toEqual({
      kind: 'lustre',
      servers: 5,
      serverType: oss.instanceType.toString(),
      devices: [{ count: 8, type: EbsDeviceVolumeType.GP3, sizeGiB: 750, iops: 3000, throughputMiBps: 375 }],
    });
    expect(items.map(({ what }) => what)).toContain('2 x m6in.8xlarge (OSS, hot spare)');
  });
});
