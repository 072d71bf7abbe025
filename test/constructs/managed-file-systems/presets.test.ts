import { FsxLustreStorage, SasRecommendation } from '../../../constructs';

test('the rows are those of table 1 of paper 004', () => {
  expect(SasRecommendation.all().map(({ workload }) => workload)).toEqual([
    'SAS 9.4',
    'SAS Grid',
    'SAS Viya',
  ]);
  const volumes = [
    { volumeType: 'st1', sizeTB: 12.5 },
    { volumeType: 'io1', sizeTB: 12, iops: 32_000 },
  ];
  expect(SasRecommendation.SAS_9_4).toMatchObject({ volumes, fsxLustreTB: undefined });
  expect(SasRecommendation.SAS_VIYA).toMatchObject({ volumes, instanceFamilies: ['i3en', 'r5n', 'm5n'] });
  expect(SasRecommendation.SAS_GRID).toMatchObject({
    volumes: [],
    fsxLustreTB: 100,
    instanceFamilies: ['i3en', 'r5n', 'r5dn', 'm5n', 'm5dn'],
  });
});

test.each([
  [undefined, undefined, 11_700],
  [156, undefined, 11_700],
  [157, undefined, 23_400],
  [936, 50, 46_800],
  [1248, 75, 93_600],
])('the storage of a grid with %s cores at %s MB/s each has %i MB/s', (cores, each, expected) => {
  const storage = SasRecommendation.SAS_GRID.fsxLustreStorage(cores, each);
  expect(storage).toBeInstanceOf(FsxLustreStorage);
  expect([storage.storageType, storage.capacityGiB, storage.throughputMBps]).toEqual([
    'SSD',
    93_600,
    expected,
  ]);
});

test('what the table does not recommend, or what is too slow, is refused', () => {
  expect(() => SasRecommendation.SAS_9_4.fsxLustreStorage()).toThrow(
    /The workload is 'SAS 9.4'; allowed: SAS Grid.*see volumes/,
  );
  expect(() => SasRecommendation.SAS_GRID.fsxLustreStorage(2000)).toThrow(
    /in MB\/s is 150000; allowed: 0 to 93600 with 93600 GiB.*more capacity/,
  );
  expect(() => SasRecommendation.SAS_GRID.fsxLustreStorage(-1)).toThrow(/is -75; allowed: 0 to/);
});
