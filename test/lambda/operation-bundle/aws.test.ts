import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DeploymentHosts } from '../../../lambda/operation-bundle/aws-hosts';
import { S3Store } from '../../../lambda/operation-bundle/aws-store';
import { Newest } from '../../../lambda/operation-bundle/newest';
import { sourceOf } from '../../../lambda/operation-bundle/plan';

const OFFLINE = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'AKIAX', secretAccessKey: 'x', sessionToken: 't' },
};

describe('a signed address', () => {
  const client = new S3Client({ ...OFFLINE, requestChecksumCalculation: 'WHEN_REQUIRED' });

  test('is for one object, ten minutes, and any body', async () => {
    const address = new URL(await new S3Store(client, 'mine-bundles').address('bundles/1/hosts/i-1.tar.gz'));
    expect(address.hostname).toBe('mine-bundles.s3.eu-west-1.amazonaws.com');
    expect(address.pathname).toBe('/bundles/1/hosts/i-1.tar.gz');
    expect(address.searchParams.get('X-Amz-Expires')).toBe('600');
    expect(address.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect([...address.searchParams.keys()].filter((key) => /checksum/i.test(key))).toEqual([]);
  });
});

describe('a host', () => {
  test('gets its address in base 64', async () => {
    const sent: { Parameters: { [name: string]: string[] } }[] = [];
    const client = Object.assign(new SSMClient(OFFLINE), {
      send: async ({ input }: { input: (typeof sent)[number] }) => {
        sent.push(input);
        return { Command: { CommandId: 'c' } };
      },
    });
    const tag = { key: 'k', value: 'v' };
    const hosts = new DeploymentHosts(new EC2Client(OFFLINE), client, tag, 'document');
    expect(await hosts.ask('i-1', "https://b/k?a=1&b='$(x)'", 5)).toBe('c');
    const { Address, Since } = sent[0]!.Parameters;
    expect(Address![0]).toMatch(/^[A-Za-z0-9+/=]+$/);
    expect(Since).toEqual(['5']);
  });
});

test('of many lines the newest are kept', () => {
  const kept = new Newest(10);
  for (const line of ['aaaa\n', 'bbbb\n', 'cccc\n']) kept.add(line);
  expect([kept.text(), kept.cut]).toEqual(['bbbb\ncccc\n', true]);
  kept.add('one that is longer\n');
  expect(kept.text()).toBe('one that is longer\n');
});

test.each([
  ['LustreOssReconcilerLogs5A7511FD', 'lustre-oss-reconciler'],
  ['NfsServerHealthProbeProberLogs0A1B2C3D', 'nfs-server-health-probe-prober'],
  ['NetworkVpcFlowLogs12345678', 'network-vpc-flow'],
  ['GridNodeHealthFunctionLogsABCDEF01', 'grid-node-health-function'],
  ['Logs12345678', 'Logs12345678'.toLowerCase()],
])('the log %s is called %s', (logicalId, name) => expect(sourceOf(logicalId)).toBe(name));
