import { Lazy } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { ThroughputPerCore } from '../../../constructs';

const token = () => Lazy.number({ produce: () => 50 });

test('is multiplied by physical cores, not by vCPUs', () => {
  expect(ThroughputPerCore.mbps(75).mbpsPerCore).toBe(75);
  expect(ThroughputPerCore.mbps(75).forCores(64)).toBe(4800);
  // i2.8xlarge: 32 vCPUs are 16 cores (paper 002: 0.8 GB/s of shared space for a node).
  expect(ThroughputPerCore.mbps(50).forNodes(1, new InstanceType('i2.8xlarge'))).toBe(800);
});

test.each([0, -1, 10_001])('%s MB/s for a core is refused', (value) => {
  expect(() => ThroughputPerCore.mbps(value)).toThrow(/above 0, up to 10000.*10\^6 bytes/);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is no number of MB/s for a core', (value) => {
  expect(() => ThroughputPerCore.mbps(value)).toThrow(
    `ThroughputPerCore.mbps: value is ${value}; allowed: a number that is finite. Give value one of these.`,
  );
});

test('says what it cannot multiply', () => {
  const fifty = ThroughputPerCore.mbps(50);
  expect(() => fifty.forCores(0)).toThrow(/number of cores is 0; allowed: a whole number from 1/);
  expect(() => fifty.forNodes(2.5, new InstanceType('i4i.xlarge'))).toThrow(/number of nodes is 2.5/);
  expect(() => fifty.forNodes(2, new InstanceType('m99.large'))).toThrow(/'m99.large'.*Use forCores/);
  expect(() => fifty.forCores(token())).toThrow(/known at synthesis/);
  expect(() => ThroughputPerCore.mbps(token()).forCores(4)).toThrow(/known at synthesis/);
});
