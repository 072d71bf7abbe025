import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, CfnResource, Size, Stack } from 'aws-cdk-lib';
import { MachineImage } from 'aws-cdk-lib/aws-ec2';
import type { CfnFileSystem } from 'aws-cdk-lib/aws-fsx';
import { Key } from 'aws-cdk-lib/aws-kms';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct, DependencyGroup } from 'constructs';
import {
  DeployedData,
  EfsSharedFileSystem,
  FsxLustre,
  FsxLustreStorage,
  GridNetwork,
  IntelLustre,
  type IntelLustreProps,
  type ISharedFileSystem,
  LustreBackend,
  NfsStorage,
  NfsStorageServer,
} from '../../../constructs';
import { TEST_ENV, testApp } from '../../helpers/app';

const SCHEMAS = JSON.parse(
  readFileSync('proof/localcloud/sas_grid_localcloud/cloudformation/resource-schemas.json', 'utf8'),
) as { types: Record<string, { createOnly: string[] }> };

const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deployed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An app of somebody else, with one line of ours. */
function synthesize(fill: (stack: Stack, network: GridNetwork) => void, record = false): void {
  const app: App = testApp();
  if (record) app.node.setContext(DeployedData.RECORD_CONTEXT, 'true');
  const stack = new Stack(app, 'Theirs', { env: TEST_ENV });
  fill(stack, new GridNetwork(stack, 'Network'));
  DeployedData.protect(app, { record: join(folder, 'deployed.json') });
  app.synth();
}

type Fill = Parameters<typeof synthesize>[0];

const fsx =
  (throughputPerTiB: number): Fill =>
  (stack, network) =>
    new FsxLustre(stack, 'Fsx', {
      network,
      storage: FsxLustreStorage.ssd({ capacity: Size.gibibytes(1200), throughputPerTiB }),
    });

const lustre =
  (props: Partial<IntelLustreProps> = {}): Fill =>
  (stack, network) =>
    new IntelLustre(stack, 'Lustre', { network, machineImage, ...props });

const nfs =
  (exportName?: string): Fill =>
  (stack, network) =>
    new NfsStorageServer(stack, 'Nfs', { network, machineImage, exportName, storage: NfsStorage.ebs() });

const withOwnKey: Fill = (stack, network) =>
  lustre({ encryptionKey: Key.fromKeyArn(stack, 'Own', 'arn:aws:kms:us-east-1:123456789012:key/own') })(
    stack,
    network,
  );

/** A file system of their own. */
class Theirs extends Construct implements ISharedFileSystem {
  readonly fileSystemType = 'beegfs';
  readonly served = new DependencyGroup();
  readonly neverChanges: ISharedFileSystem['neverChanges'];

  constructor(scope: Construct, id: string, targets: number) {
    super(scope, id);
    this.neverChanges = { targets };
  }

  mountOn(): void {}
}

const overridden: Fill = (stack, network) => {
  fsx(125)(stack, network);
  const made = stack.node.findChild('Fsx').node.findChild('FileSystem') as CfnFileSystem;
  made.addPropertyOverride('LustreConfiguration.PerUnitStorageThroughput', 250);
};

const efs =
  (oneZone: boolean): Fill =>
  (stack, network) =>
    new EfsSharedFileSystem(stack, 'Efs', { network, oneZone });

describe.each<[string, Fill, Fill, RegExp]>([
  ['FSx of another throughput', fsx(125), fsx(250), /perUnitStorageThroughput changes from 125 to 250/],
  [
    'another backend',
    lustre(),
    lustre({ backend: LustreBackend.ZFS }),
    /backend changes from "ldiskfs" to "zfs"/,
  ],
  [
    'FSx whose throughput is overridden',
    fsx(125),
    overridden,
    /perUnitStorageThroughput changes from 125 to 250/,
  ],
  ['EFS in one zone', efs(false), efs(true), /availabilityZone changes from nothing/],
  ['another name', lustre(), lustre({ fileSystemName: 'other' }), /fileSystemName changes from "sasdata"/],
  ['another export', nfs(), nfs('other'), /exportPath changes from ".export.sasdata" to ".export.other"/],
  ['a key of its own', lustre(), withOwnKey, /kmsKeyId changes/],
  [
    'another file system of theirs',
    (stack) => new Theirs(stack, 'Theirs', 4),
    (stack) => new Theirs(stack, 'Theirs', 5),
    /targets changes from 4 to 5/,
  ],
])('%s', (_, before, after, message) => {
  test('is refused once it is recorded what is deployed, and is not recorded', () => {
    synthesize(before, true);
    expect(() => synthesize(before)).not.toThrow();
    expect(() => synthesize(after)).toThrow(message);
    expect(() => synthesize(after, true)).toThrow(message);
    expect(() => synthesize(before)).not.toThrow();
  });
});

test('without a record nothing is refused, and none is written', () => {
  synthesize(lustre());
  synthesize(lustre({ fileSystemName: 'other' }));
  expect(existsSync(join(folder, 'deployed.json'))).toBe(false);
});

test('what a look-up has not answered is neither refused nor recorded', () => {
  const record = join(folder, 'deployed.json');
  const named = (fileSystemName: string, recording = false) =>
    synthesize(lustre({ fileSystemName }), recording);
  named('sasdata', true);
  const before = readFileSync(record, 'utf8');
  const awaiting: Fill = (stack, network) => {
    StringParameter.valueFromLookup(stack, '/not-looked-up');
    lustre({ fileSystemName: 'other' })(stack, network);
  };
  synthesize(awaiting, true);
  expect(readFileSync(record, 'utf8')).toBe(before);
  expect(() => named('other')).toThrow(/fileSystemName changes/);
});

test('a stack that has no data may go; one of two stacks of the same name is not forgotten', () => {
  const twoStacks: Fill = (stack, network) => {
    lustre()(stack, network);
    new Stack(stack.node.root as App, 'Web', { env: { region: 'us-east-1' } });
  };
  synthesize(twoStacks, true);
  expect(() => synthesize(lustre())).not.toThrow();
  const sameName: Fill = (stack, network) => {
    lustre()(stack, network);
    const props = { env: { region: 'eu-west-1' }, stackName: 'Theirs' };
    new GridNetwork(new Stack(stack.node.root as App, 'Other', props), 'Network');
  };
  expect(() => synthesize(sameName)).toThrow(/Two stacks of the app have one name: Theirs/);
});

test('a record that cannot be read is said so, and stays', () => {
  const record = join(folder, 'deployed.json');
  writeFileSync(record, '{ "half');
  expect(() => synthesize(lustre(), true)).toThrow(
    /The record .*deployed\.json of what is deployed cannot be read/,
  );
  expect(readFileSync(record, 'utf8')).toBe('{ "half');
});

// The types of which each part that CloudFormation cannot change in place is recorded: AWS's own schemas say which.
test.each(['AWS::EFS::FileSystem', 'AWS::FSx::FileSystem'])(
  'of %s all is recorded that replaces it',
  (type) => {
    const { createOnly } = SCHEMAS.types[type]!;
    for (const property of createOnly) {
      const withValue =
        (value: string): Fill =>
        (stack) =>
          new CfnResource(stack, 'Resource', { type, properties: { [property]: value } });
      rmSync(join(folder, 'deployed.json'), { force: true });
      synthesize(withValue('one'), true);
      expect(() => synthesize(withValue('other'))).toThrow(/changes from "one" to "other"/);
    }
  },
);
