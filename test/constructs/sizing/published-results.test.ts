import { instanceTypeFacts } from '../../../constructs/sizing/instance-types';
import { NFS_SERVER_SIZES } from '../../../constructs/sizing/nfs-server';
import {
  nearestPublished,
  PUBLISHED_GRID,
  PUBLISHED_IO2,
  PUBLISHED_IOZONE,
  PUBLISHED_RESULTS_SOURCES,
  tableOfPaper003,
  WANTED_MBPS_PER_CORE,
} from '../../../constructs/sizing/published-results';

test('the papers measured types that are in the tables, with the cores that they say', () => {
  for (const { serverType } of PUBLISHED_IOZONE) expect(instanceTypeFacts(serverType)).toBeDefined();
  for (const { hostType, cores } of PUBLISHED_IO2) expect(instanceTypeFacts(hostType)!.cores).toBe(cores);
  expect(instanceTypeFacts(PUBLISHED_GRID.hostType)!.cores).toBe(PUBLISHED_GRID.coresOfHost);
  for (const { checked } of PUBLISHED_RESULTS_SOURCES) expect(checked).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test('the figures of the sizes of NFS servers are those of paper 003', () => {
  for (const { paperType, measuredMBps } of NFS_SERVER_SIZES) {
    const { writeKiBps, rewriteKiBps, readKiBps, rereadKiBps } = PUBLISHED_IOZONE.find(
      ({ serverType }) => serverType === paperType,
    )!;
    // Its tables leave the fraction out; for rewrite and reread it has none.
    expect(measuredMBps).toEqual([
      tableOfPaper003(writeKiBps),
      Math.round(rewriteKiBps / 1000),
      tableOfPaper003(readKiBps),
      Math.round(rereadKiBps / 1000),
    ]);
  }
});

test('what SAS wants of io2 is what its test reached and more', () => {
  for (const { readMBpsPerCore, writeMBpsPerCore } of PUBLISHED_IO2)
    expect(Math.min(readMBpsPerCore, writeMBpsPerCore)).toBeGreaterThan(WANTED_MBPS_PER_CORE.io2.comfortable);
});

describe('the nearest configuration', () => {
  const wish = { kind: 'xfs', servers: 0, coresOfHost: 16, MBps: 1000 };
  const names = (found: ReturnType<typeof nearestPublished>) => [
    ...new Set(found.map(({ paper, configuration }) => `${paper} ${configuration}`)),
  ];

  test.each([
    [{ kind: 'lustre', servers: 2 }, '002 3 OSS c3.8xlarge'],
    [{ kind: 'lustre', servers: 12 }, '002 6 OSS c3.8xlarge'],
    [{ kind: 'fsx-lustre', servers: 0, MBps: 2900 }, '002 6 OSS c3.8xlarge'],
    [
      { kind: 'nfs', servers: 1, serverType: 'm6in.2xlarge', deviceType: 'st1' },
      '003 NFS server m4.2xlarge with one st1 volume',
    ],
    [
      { kind: 'nfs', servers: 1, serverType: 'i3en.12xlarge', deviceType: 'instance-store' },
      '003 NFS server d2.8xlarge with 24 disks',
    ],
    [{ kind: 'efs', servers: 0, MBps: 100 }, '003 NFS server m4.xlarge with one st1 volume'],
    [{ kind: 'xfs', servers: 0, deviceType: 'io2', coresOfHost: 20 }, '004 r5b.12xlarge'],
    [{ kind: 'gfs2', servers: 0, deviceType: 'io2', coresOfHost: 8 }, '004 r5b.4xlarge'],
    [
      { kind: 'xfs', servers: 0, deviceType: 'instance-store' },
      '002 i2.8xlarge, RAID 0 over 8 instance-store disks',
    ],
  ])('%j', (given, name) => {
    const found = names(nearestPublished({ ...wish, ...given }));
    expect(found).toHaveLength(1);
    expect(found[0]!.startsWith(name)).toBe(true);
  });

  test('is none for what no paper measured', () => {
    expect(nearestPublished({ ...wish, deviceType: 'gp3' })).toEqual([]);
  });

  test('is in MB/s of 10^6 bytes', () => {
    const found = nearestPublished({
      ...wish,
      kind: 'nfs',
      servers: 1,
      serverType: 'd2.xlarge',
      deviceType: 'instance-store',
    });
    expect(found.find(({ phase }) => phase === 'write')!.MBps).toBeCloseTo(151.263, 3);
  });
});
