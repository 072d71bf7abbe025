import { ConfigError, deploymentNames, loadConfig, parseConfig } from '../../lib/config';
import { KEYS } from '../../lib/file-systems/keys';
import fc from '../helpers/fast-check';

const MINIMAL = `
description: a test
storage: { preset: current, fileSystemName: sasfs }
grid: { nodes: 2, instanceType: i4i.8xlarge }
`;

/** The message that a changed minimal configuration is rejected with. */
function messageOf(text: string): string {
  try {
    parseConfig(text, 'config/mine.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('the configuration was accepted');
}

describe('the reference configurations', () => {
  test.each(deploymentNames())('%s fits the schema', (name) => {
    expect(loadConfig(name).description).not.toBe('');
  });

  test('the papers are met to the number', () => {
    const { storage, grid, network } = loadConfig('sas-grid-lustre-2015');
    expect(storage!.oss).toEqual({
      count: 3,
      instanceType: 'c3.8xlarge',
      volumesPerServer: 8,
      volume: { type: 'gp2', sizeGiB: 750 },
    });
    expect(grid).toMatchObject({ nodes: 3, instanceType: 'i2.8xlarge' });
    expect(network).toMatchObject({ vpcCidr: '172.16.0.0/20', privateSubnetCidr: '172.16.4.0/24' });
  });
});

const ALONE = `
description: a test
existingNetwork: { subnetId: subnet-0123456789abcdef0 }
nfs: { ebs: { } }
`;

describe('an NFS server in a network that exists', () => {
  test('needs no grid', () => {
    expect(parseConfig(ALONE, 'f').existingNetwork).toEqual({ subnetId: 'subnet-0123456789abcdef0' });
  });

  test.each([
    ['a grid', 'grid: { nodes: 2, instanceType: i4i.8xlarge }', 'grid'],
    ['a network of its own', 'network: { nat: none }', 'network'],
  ])('has no %s', (_, text, key) => {
    expect(messageOf(`${ALONE}${text}\n`)).toBe(
      `config/mine.yaml: the file has existingNetwork and ${key}; allowed: existingNetwork with nfs alone, the ` +
        'server in a network that exists. For a grid with a network of its own leave existingNetwork out.',
    );
  });

  test('is the only one that can be put there', () => {
    expect(messageOf(`${MINIMAL}existingNetwork: { }\n`)).toMatch(
      /has existingNetwork and grid and storage;/,
    );
  });

  test('is not looked up by a name', () => {
    expect(messageOf(ALONE.replace('subnet-0123456789abcdef0', 'private'))).toMatch(
      /^config\/mine\.yaml:3: existingNetwork\.subnetId is "private"; allowed: .*the id of the subnet of the server/,
    );
  });
});

describe('hosts that have their own volumes', () => {
  const io2 = (text: string) => `description: a test\n${text}`;

  test('are the grid, without the key grid', () => {
    expect(parseConfig(io2('io2: { sizeGiB: 1000, nodes: 2 }'), 'f').io2).toEqual({
      sizeGiB: 1000,
      nodes: 2,
    });
  });

  test('refuse a grid beside them', () => {
    expect(messageOf(io2('io2: { sizeGiB: 1000 }\ngrid: { nodes: 2, instanceType: i4i.8xlarge }'))).toMatch(
      /^config\/mine\.yaml: the file has the keys io2 and grid; allowed: io2 without grid\. .*take grid out/,
    );
  });

  test('are what every other file system lacks', () => {
    expect(messageOf(MINIMAL.replace(/grid:.*\n/, ''))).toBe(
      "config/mine.yaml: the file lacks the key 'grid' (the hosts that mount the file system). Add it.",
    );
  });

  test.each([
    ['io2: { sizeGiB: 1000, nodes: 17 }', 'io2.nodes is 17; allowed: integer from 1 to 16'],
    ['io2: { nodes: 2 }', "io2 lacks the key 'sizeGiB'"],
    ['io2: { sizeGiB: 1000, operatingSystem: rhel-10 }', 'allowed: rhel-8, rhel-9, debian, ubuntu'],
  ])('are checked: %s', (text, words) => {
    expect(messageOf(io2(text))).toContain(words);
  });
});

describe('a rejected configuration', () => {
  test('has no grid', () => {
    expect(messageOf(MINIMAL.replace(/grid:.*\n/, ''))).toBe(
      "config/mine.yaml: the file lacks the key 'grid' (the hosts that mount the file system). Add it.",
    );
  });

  test('names no shared file system, or two', () => {
    const keys = KEYS.map(({ key }) => key).join(', ');
    expect(messageOf(MINIMAL.replace(/storage:.*\n/, ''))).toBe(
      `config/mine.yaml: the file has none of the keys ${keys}; allowed: exactly one. Add the one that you want.`,
    );
    expect(messageOf(`${MINIMAL}fsxLustre: { intelligentTiering: { throughputMBps: 4000 } }\n`)).toMatch(
      /: the file has storage and fsxLustre of the keys .*; allowed: exactly one/,
    );
  });

  test.each([
    ['fsxLustre', 'fsxLustre: { }', 'ssd, intelligentTiering'],
    ['nfs', 'nfs: { hostName: storage1 }', 'ebs, instanceStore'],
  ])('does not say where %s stores its data', (key, text, keys) => {
    expect(messageOf(MINIMAL.replace(/storage:.*/, text))).toBe(
      `config/mine.yaml: ${key} has none of the keys ${keys}; allowed: exactly one. Add the one that you want.`,
    );
  });

  test('names the file, the line, the key, the value and what is allowed', () => {
    expect(messageOf(MINIMAL.replace('nodes: 2', 'nodes: 0'))).toBe(
      'config/mine.yaml:4: grid.nodes is 0; allowed: integer from 1 to 100; number of grid nodes besides the ' +
        'control server. Correct it.',
    );
  });

  test('names an unknown key and the known ones', () => {
    expect(messageOf(MINIMAL.replace('nodes: 2', 'nodes: 2, node: 3'))).toMatch(
      /^config\/mine\.yaml:4: grid has the unknown key 'node'; allowed: nodes, plannedNodes, instanceType, /,
    );
  });

  test('names a missing key and what it is', () => {
    expect(messageOf(MINIMAL.replace('nodes: 2, ', ''))).toBe(
      "config/mine.yaml:4: grid lacks the key 'nodes' (number of grid nodes besides the control server). Add it.",
    );
  });

  test('lists the values of an enumeration', () => {
    expect(messageOf(MINIMAL.replace('preset: current', 'preset: newest'))).toBe(
      'config/mine.yaml:3: storage.preset is "newest"; allowed: papers-2015, current. Choose one of these.',
    );
  });

  test('says what a file system name may be', () => {
    expect(messageOf(MINIMAL.replace('sasfs', 'sharedsasfs'))).toContain(
      'storage.fileSystemName is "sharedsasfs"; allowed: must match',
    );
  });

  test('reports every problem at once', () => {
    const text = MINIMAL.replace('nodes: 2', 'nodes: many').replace('current', 'old');
    expect(messageOf(text).split('\n')).toHaveLength(2);
  });

  test('says where the YAML is broken', () => {
    expect(messageOf('description: [')).toContain('config/mine.yaml: ');
  });

  test('says which alias has no anchor', () => {
    expect(messageOf('description: *nothing')).toContain('config/mine.yaml: Unresolved alias');
  });

  test('an empty file is an error, not an empty deployment', () => {
    expect(messageOf('')).toContain('config/mine.yaml: the file is null; allowed: object');
  });

  test('a deployment without a file names those that have one', () => {
    expect(() => loadConfig('nothing')).toThrow(/deployment 'nothing'; there are: .*sas-grid-lustre-2015/);
    expect(() => loadConfig('../secret')).toThrow(ConfigError);
  });

  test('any text is either accepted or rejected by a ConfigError', () => {
    const yamlish = fc.stringMatching(/^[a-z:{}[\] \n&*!|>%@`'"#?,-]*$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), yamlish), (text) => {
        try {
          parseConfig(text, 'f');
        } catch (error) {
          return error instanceof ConfigError;
        }
        return true;
      }),
      { numRuns: 1000 },
    );
  });
});
