import { Duration, Fn, Lazy, Size } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { SasGridClusterProps } from '../../../constructs';
import { gridStack } from './stack';

const cases: [string, Partial<SasGridClusterProps>, RegExp][] = [
  [
    'no node',
    { nodeCount: 0 },
    /nodeCount is 0; allowed: a whole number from 1 to 100\. A grid has at least one/,
  ],
  ['half a node', { nodeCount: 1.5 }, /nodeCount is 1.5; allowed/],
  ['101 nodes', { nodeCount: 101 }, /nodeCount is 101; allowed: .*1 to 100.*second cluster/],
  [
    'fewer planned nodes than there are',
    { plannedNodeCount: 2 },
    /plannedNodeCount is 2; allowed: a whole number from 3 to 100/,
  ],
  ['a name with a dot', { controlName: 'a.b' }, /A host name is 'a.b'; allowed: .*Change controlName/],
  ['a name with capitals', { nodeNamePrefix: 'Node' }, /A host name is 'Node1'; allowed/],
  ['one name twice', { controlName: 'node2' }, /controlName is 'node2'; allowed: a name that no node has/],
  ['a domain of one label', { domainName: 'grid' }, /domainName is 'grid'; allowed: two or more/],
  [
    'too few addresses',
    { addresses: ['172.16.4.20'] },
    /The number of addresses is 1; allowed: 4, one per server/,
  ],
  [
    'one address twice',
    { addresses: ['172.16.4.20', '172.16.4.21', '172.16.4.20', '172.16.4.23'] },
    /addresses is '172.16.4.20'; allowed: a different address/,
  ],
  [
    'an address that is none',
    { addresses: ['172.16.4.300', '172.16.4.21', '172.16.4.22', '172.16.4.23'] },
    /addresses is '172.16.4.300'; allowed: IPv4/,
  ],
  [
    'nodes of which nobody knows how many',
    { nodeCount: Lazy.number({ produce: () => 3 }) },
    /nodeCount is 'a token'; allowed: .*known at synthesis.*Spell/,
  ],
  [
    'planned nodes of which nobody knows how many',
    { plannedNodeCount: Lazy.number({ produce: () => 3 }) },
    /plannedNodeCount is 'a token'; allowed: .*known at synthesis/,
  ],
  [
    'addresses of which nobody knows how many',
    { addresses: Fn.split(',', Fn.importValue('addresses')) },
    /addresses is 'a token'; allowed: a list whose length is known/,
  ],
  [
    'an address with zeros in front',
    { addresses: ['172.16.4.01', '172.16.4.21', '172.16.4.22', '172.16.4.23'] },
    /addresses is '172.16.4.01'; allowed: IPv4/,
  ],
  ['a domain of dashes', { domainName: '-.-' }, /domainName is '-.-'; allowed: two or more/],
  [
    'a domain that is too long',
    { domainName: `${'a.'.repeat(130)}b` },
    /domainName is 'a\.a.*'; allowed: .*189 characters at most/,
  ],
  [
    'a mount point where scratch is',
    { mountPoint: '/saswork/data' },
    /mountPoint is '\/saswork\/data'; allowed: a path outside the scratch space \/saswork.*For example \/sasdata/,
  ],
  [
    'a port that nobody knows',
    { additionalPorts: [Lazy.number({ produce: () => 8561 })] },
    /additionalPorts is 'a token'; allowed: .*known at synthesis/,
  ],
  [
    'a wait that no node can keep',
    { installTimeout: Duration.minutes(1) },
    /installTimeout in minutes is 1; allowed: a whole number from 5 to 720/,
  ],
  [
    'a wait longer than CloudFormation has',
    { installTimeout: Duration.hours(13) },
    /installTimeout in minutes is 780; allowed/,
  ],
  ['a root device without /dev', { rootDeviceName: 'xvda' }, /rootDeviceName is 'xvda'; allowed: '\/dev\/'/],
  [
    'a root disk of 10000 MiB',
    { rootVolumeSize: Size.mebibytes(10_000) },
    /rootVolumeSize in GiB is 9.765625; allowed: a whole number/,
  ],
  [
    'a chunk that nobody knows',
    { scratch: { chunk: Size.mebibytes(Lazy.number({ produce: () => 1 })) } },
    /chunk is 'a token'; allowed: a size known at synthesis/,
  ],
  ['a relative mount point', { mountPoint: 'sasdata' }, /mountPoint is 'sasdata'; allowed: an absolute path/],
  [
    'LSF on a local disk',
    { lsfDirectory: '/opt/lsf' },
    /lsfDirectory is '\/opt\/lsf'; allowed: a directory below \/sasdata.*It must lie on the shared file system/,
  ],
  ['the account root', { sasUid: 0 }, /sasUid is 0; allowed: a whole number from 1000 to 60000/],
  [
    'port 70000',
    { additionalPorts: [70000] },
    /additionalPorts is 70000; allowed: a whole number from 1 to 65535/,
  ],
  ['a root disk of 4 GiB', { rootVolumeSize: Size.gibibytes(4) }, /rootVolumeSize in GiB is 4; allowed/],
  [
    'nodes without instance store',
    { nodeInstanceType: new InstanceType('m6in.8xlarge') },
    /m6in\.8xlarge[\s\S]*(i3en|i4i|m6idn)/,
  ],
  [
    'a burstable control server',
    { controlInstanceType: new InstanceType('t3.large') },
    /cluster placement group is 't3.large'; allowed: no burstable/,
  ],
];

test('a type that the library does not know is refused until it is declared', () => {
  const props = { nodeInstanceType: new InstanceType('m99.large'), ephemeralScratch: false };
  expect(() => gridStack(props)).toThrow(/'m99.large'; allowed: a type in the table.*declare/);
  expect(() => gridStack({ ...props, newInstanceTypes: true })).not.toThrow();
});

test.each(cases)('%s is refused, with the range and the fix', (_, props, message) => {
  expect(() => gridStack(props)).toThrow(message);
});
