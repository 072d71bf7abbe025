import { readEfsOffer } from '../../scripts/refresh-prices/efs';
import { readEc2Offer } from '../../scripts/refresh-prices/offer';
import { hour, line, offerFile, VOLUMES, volume } from './refresh-prices/offer-file';

const REGION = 'eu-central-1';
const ec2 = (...rows: string[]) => readEc2Offer(offerFile('AmazonEC2', rows).split('\n'), REGION);
const efs = (...rows: string[]) => readEfsOffer(offerFile('AmazonEFS', rows).split('\n'), REGION);

test('units: GB-Mo, GB-month, IOPS, and throughput for each GiB/s or MiB/s', async () => {
  const { ebs, published } = await ec2(...VOLUMES);
  expect(published).toBe('2026-11-20');
  expect(ebs).toEqual({
    gp3: { gbMonth: 0.0952, iopsMonth: 0.006, mibpsMonth: 0.0476 },
    io2: {
      gbMonth: 0.149,
      iopsMonth: [{ upTo: 32_000, usd: 0.078 }, { upTo: 64_000, usd: 0.0546 }, { usd: 0.03822 }],
    },
  });
  const byMiB = await ec2(...VOLUMES.slice(0, 2), volume('VolumeP-Throughput.gp3', '0.0476', 'MiBps-Mo'));
  expect(byMiB.ebs.gp3).toEqual({ gbMonth: 0.0952, iopsMonth: 0.006, mibpsMonth: 0.0476 });
});

test('a unit that is not understood stops it', async () => {
  const rows = [...VOLUMES.slice(0, 2), volume('VolumeP-Throughput.gp3', '48.7', 'TiBps-mo')];
  await expect(ec2(...rows)).rejects.toThrow("VolumeP-Throughput.gp3 by 'TiBps-mo'");
});

test('reserved terms, other tenancies, systems, software, blocks and reservations are not the price', async () => {
  const type = 'm6in.xlarge';
  const { hours, left } = await ec2(
    hour(type, '0.33432'),
    hour(type, '0.2', { TermType: 'Reserved', LeaseContractLength: '1yr', PurchaseOption: 'No Upfront' }),
    hour(type, '1161', { TermType: 'Reserved', Unit: 'Quantity', LeaseContractLength: '3yr' }),
    hour(type, '0.35', { Tenancy: 'Dedicated' }),
    hour(type, '0.0', { Tenancy: 'Host' }),
    hour(type, '0.51', { 'Operating System': 'Windows', 'License Model': 'License Included' }),
    hour(type, '0.41', { 'Operating System': 'RHEL' }),
    hour(type, '0.8', { 'Pre Installed S/W': 'SQL Std' }),
    hour(type, '0.33', { CapacityStatus: 'UnusedCapacityReservation' }),
    hour(type, '0.0', { CapacityStatus: 'AllocatedCapacityReservation' }),
    hour(type, '0.1', { MarketOption: 'CapacityBlock' }),
  );
  expect([...hours]).toEqual([[type, 0.33432]]);
  expect(left).toEqual([]);
});

test('the local zones, wavelength zones and outposts of a region have other prices', async () => {
  const zone = { 'Location Type': 'AWS Local Zone', 'Region Code': 'eu-central-1-ham-1' };
  const { hours, ebs } = await ec2(
    hour('m6in.xlarge', '0.33432'),
    hour('m6in.xlarge', '0.41', { ...zone, usageType: 'EUC1-HAM1-BoxUsage:m6in.xlarge' }),
    hour('m6in.xlarge', '0.42', { 'Location Type': 'AWS Wavelength Zone' }),
    ...VOLUMES,
    volume('VolumeUsage.gp3', '0.12', 'GB-Mo', { ...zone, usageType: 'EUC1-HAM1-EBS:VolumeUsage.gp3' }),
    volume('VolumeUsage.gp3', '0.13', 'GB-Mo', { 'Location Type': 'AWS Outposts' }),
    volume('VolumeUsage.gp3', '0.14', 'GB-Mo', { usageType: 'EUC1-OTP1-EBS:VolumeUsage.gp3' }),
  );
  expect(hours.get('m6in.xlarge')).toBe(0.33432);
  expect(ebs.gp3!.gbMonth).toBe(0.0952);
});

test('the same price on several SKUs is one; what has two prices is left out and named', async () => {
  const { hours, ebs, left } = await ec2(
    hour('m6in.xlarge', '0.33432'),
    hour('m6in.xlarge', '0.3343200000'),
    hour('i4i.xlarge', '0.4'),
    hour('i4i.xlarge', '0.5'),
    ...VOLUMES,
    volume('VolumeUsage.st1', '0.054', 'GB-Mo'),
    volume('VolumeUsage.st1', '0.055', 'GB-Mo'),
  );
  expect([...hours.keys()]).toEqual(['m6in.xlarge']);
  expect(ebs.st1).toBeUndefined();
  expect(left).toEqual(['i4i.xlarge', 'VolumeUsage.st1']);
});

test('prices in CNY are not taken for USD', async () => {
  const { hours, ebs } = await ec2(
    hour('m6in.xlarge', '2.1', { Currency: 'CNY' }),
    volume('VolumeUsage.gp3', '0.5312', 'GB-Mo', { Currency: 'CNY' }),
  );
  expect(hours.size).toBe(0);
  expect(ebs).toEqual({});
});

test('GovCloud: the usage types have their own beginning', async () => {
  const where = { 'Region Code': 'us-gov-west-1', Location: 'AWS GovCloud (US-West)' };
  const rows = [
    hour('m6in.xlarge', '0.351', { ...where, usageType: 'UGW1-BoxUsage:m6in.xlarge' }),
    volume('VolumeUsage.gp2', '0.12', 'GB-Mo', { ...where, usageType: 'UGW1-EBS:VolumeUsage.gp2' }),
  ];
  const { hours, ebs } = await readEc2Offer(offerFile('AmazonEC2', rows).split('\n'), 'us-gov-west-1');
  expect(hours.get('m6in.xlarge')).toBe(0.351);
  expect(ebs).toEqual({ gp2: { gbMonth: 0.12 } });
});

test('a file that was cut off is refused, also where its last line would not have mattered', async () => {
  const whole = offerFile('AmazonEC2', [
    hour('m6in.xlarge', '0.33'),
    hour('c4.large', '9', { Tenancy: 'Host' }),
  ]);
  for (const bytes of [2, 3, 5, 40, 200]) {
    const lines = whole.slice(0, -bytes).split('\n');
    await expect(readEc2Offer(lines, REGION)).rejects.toThrow(/it was cut off/);
  }
  const about = whole.split('\n').slice(0, 4);
  await expect(readEc2Offer(about, REGION)).rejects.toThrow("no line begins with 'SKU'");
});

test('the list in JSON is named', async () => {
  const json = ['{', '  "formatVersion" : "v1.0",', '  "offerCode" : "AmazonEC2",'];
  await expect(readEc2Offer(json, REGION)).rejects.toThrow("take the file 'index.csv' beside it");
});

test('EFS: Standard of the region and provisioned throughput, none of its other classes', async () => {
  const of = (usageType: string, PricePerUnit: string, Unit: string) =>
    line({ usageType, PricePerUnit, Unit });
  const { prices } = await efs(
    of('EUC1-TimedStorage-ByteHrs', '0.3600000000', 'GB-Mo'),
    of('EUC1-TimedStorage-Z-ByteHrs', '0.19', 'GB-Mo'),
    of('EUC1-IATimedStorage-ByteHrs', '0.027', 'GB-Mo'),
    of('EUC1-ArchiveTimedStorage-ByteHrs', '0.01', 'GB-Mo'),
    of('EUC1-ProvisionedTP-MiBpsHrs', '0.0000000000', 'MiBps-Mo'),
    of('EUC1-ProvisionedTP-MiBpsHrs', '7.2000000000', 'MiBps-Mo'),
    of('EUC1-IncludedTP-MiBpsHrs', '0.0000000000', 'MiBps-Mo'),
    of('EUC1-ETDataAccess-Bytes', '0.04', 'GB'),
  );
  expect(prices).toEqual({ gbMonth: 0.36, mbpsMonth: 7.2, includedMBpsPerGB: 0.05 });
  expect((await efs(of('EUC1-TimedStorage-ByteHrs', '0.36', 'GB-Mo'))).prices).toBeUndefined();
});
