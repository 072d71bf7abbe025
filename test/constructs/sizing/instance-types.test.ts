import {
  INSTANCE_TYPE_SOURCES,
  instanceTypeFacts,
  knownInstanceTypes,
  maxDataVolumes,
  placementGroupSupport,
  SERVICE_LIMITS,
  typesWithInstanceStore,
} from '../../../constructs/sizing';

const DATE = /^20\d\d-\d\d-\d\d$/;

describe('the table of instance types', () => {
  const all = knownInstanceTypes();

  test('has every type once', () => {
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(250);
  });

  test('is plausible in every line', () => {
    const implausible = all.flatMap((facts) => {
      const { name, vcpus, cores, memoryGiB, ebs, instanceStore } = facts;
      const checks = {
        name: /^[a-z][a-z0-9]+\.(nano|micro|small|medium|large|metal|\d*xlarge)$/.test(name),
        vcpus: Number.isInteger(vcpus) && vcpus > 0,
        cores: Number.isInteger(cores) && cores > 0 && cores <= vcpus,
        memory: memoryGiB > 0 && memoryGiB / vcpus <= 8,
        interfaces: facts.maxNetworkInterfaces >= 2,
        ebs: !ebs || (ebs.baselineMbps > 0 && ebs.maximumMbps >= ebs.baselineMbps),
        network: facts.networkBaselineMbps === undefined || facts.networkBaselineMbps > 0,
        disks: !instanceStore || (instanceStore.disks >= 1 && instanceStore.disks <= 24),
        diskSize: !instanceStore || instanceStore.diskSizeGB > 0,
        diskKind: !instanceStore || ['nvme-ssd', 'ssd', 'hdd'].includes(instanceStore.kind),
        placement: !(facts.burstable && facts.clusterPlacementGroup),
        attachments: maxDataVolumes(name)! > 0,
      };
      return Object.entries(checks).flatMap(([what, holds]) => (holds ? [] : [`${name}: ${what}`]));
    });
    expect(implausible).toEqual([]);
  });

  test('a larger size of a family has no less of anything', () => {
    for (const [index, facts] of all.entries()) {
      const before = all[index - 1];
      if (before?.family !== facts.family) continue;
      expect(facts.vcpus).toBeGreaterThanOrEqual(before.vcpus);
      expect(facts.memoryGiB).toBeGreaterThanOrEqual(before.memoryGiB);
      const storage = (f: typeof facts) => (f.instanceStore?.disks ?? 0) * (f.instanceStore?.diskSizeGB ?? 0);
      expect(storage(facts)).toBeGreaterThanOrEqual(storage(before));
      if (facts.ebs && before.ebs)
        expect(facts.ebs.maximumMbps).toBeGreaterThanOrEqual(before.ebs.maximumMbps);
    }
  });

  test('says where it is from and when that was read', () => {
    expect(INSTANCE_TYPE_SOURCES.length).toBeGreaterThan(0);
    for (const source of INSTANCE_TYPE_SOURCES) {
      expect(source.checked).toMatch(DATE);
      expect(source.reference).toMatch(/^https:\/\//);
    }
    for (const { source, value } of Object.values(SERVICE_LIMITS)) {
      expect(source.checked).toMatch(DATE);
      expect(value).toBeGreaterThan(0);
    }
  });
});

describe('the papers’ machines', () => {
  test('i2.8xlarge: 16 cores, 8 disks of 800 GB, EBS on the network (papers 001, 002)', () => {
    expect(instanceTypeFacts('i2.8xlarge')).toMatchObject({
      vcpus: 32,
      cores: 16,
      instanceStore: { disks: 8, diskSizeGB: 800, kind: 'ssd' },
      ebs: undefined,
      networkBaselineMbps: 10_000,
      clusterPlacementGroup: true,
    });
  });

  test.each([
    ['d2.xlarge', 3],
    ['d2.2xlarge', 6],
    ['d2.4xlarge', 12],
    ['d2.8xlarge', 24],
  ])('%s has %i disks (paper 003)', (name, disks) => {
    expect(instanceTypeFacts(name)?.instanceStore?.disks).toBe(disks);
  });

  // MB/s of paper 004, table of r5b.
  test.each([
    ['r5b.large', 1250],
    ['r5b.4xlarge', 1250],
    ['r5b.8xlarge', 2500],
    ['r5b.12xlarge', 3750],
    ['r5b.16xlarge', 5000],
    ['r5b.24xlarge', 7500],
    ['r5b.metal', 7500],
  ])('%s moves %i MB/s to EBS (paper 004)', (name, throughput) => {
    expect(instanceTypeFacts(name)!.ebs!.maximumMbps / 8).toBe(throughput);
  });

  test('c4.8xlarge has no disks, whatever paper 000 says', () => {
    expect(instanceTypeFacts('c4.8xlarge')?.instanceStore).toBeUndefined();
    expect(instanceTypeFacts('c4.8xlarge')).toBeDefined();
  });
});

describe('lookups', () => {
  test('a type that is not in the table is undefined, not an error', () => {
    expect(instanceTypeFacts('z99.large')).toBeUndefined();
    expect(placementGroupSupport('z99.large')).toBeUndefined();
    expect(maxDataVolumes('z99.large')).toBeUndefined();
  });

  test('cluster placement groups take no burstable types and no M3', () => {
    expect(placementGroupSupport('t3.large')).toBe(false);
    expect(placementGroupSupport('m3.medium')).toBe(false);
    expect(placementGroupSupport('c3.8xlarge')).toBe(true);
  });

  test('interfaces and NVMe disks take attachments away where the limit is shared', () => {
    // 28 = root + 2 interfaces + 2 disks + 23.
    expect(maxDataVolumes('i4i.8xlarge', 2)).toBe(23);
    expect(maxDataVolumes('m6in.8xlarge', 2)).toBe(25);
    expect(maxDataVolumes('m7i.8xlarge', 2)).toBe(31);
    expect(maxDataVolumes('m7i.48xlarge', 2)).toBe(127);
    // AWS: 31 volumes with the root volume on bare metal with one interface.
    expect(maxDataVolumes('r5b.metal', 1)).toBe(30);
    expect(maxDataVolumes('c3.8xlarge', 2)).toBe(39);
  });

  test('suggests types of the same size, made for disks first', () => {
    expect(typesWithInstanceStore('r5b.8xlarge', 2)).toEqual(['i4i.8xlarge', 'i7i.8xlarge']);
    expect(typesWithInstanceStore('m8g.8xlarge', 1)).toEqual(['i8g.8xlarge']);
    // Not in the table: the size in its name has to do.
    expect(typesWithInstanceStore('z99.24xlarge', 3)).toContain('i7ie.24xlarge');
    for (const name of typesWithInstanceStore())
      expect(instanceTypeFacts(name)?.instanceStore?.kind).toBe('nvme-ssd');
  });
});
