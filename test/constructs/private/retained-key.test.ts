import { type App, CfnDeletionPolicy, RemovalPolicies, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnVolume } from 'aws-cdk-lib/aws-ec2';
import * as kms from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import { DataLossOnFailure, NfsStorage, VolumeMap } from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';
import { lustreStack } from '../intel-lustre/stack';
import { io2In } from '../io2-block-express-gfs2/stack';
import { efs, lustre, ontap, openZfs } from '../managed-file-systems/stack';
import { nfsStack } from '../nfs-storage-server/stack';
import { tierIn } from '../volume-reattachment/tier';

const { DESTROY, RETAIN, RETAIN_ON_UPDATE_OR_DELETE } = RemovalPolicy;

/** What synthesis would say, without a synthesis. */
function errors({ node: { root } }: IConstruct): string[] {
  return root.node
    .findAll()
    .flatMap((each) => each.node.validate().map((text) => `[${each.node.path}] ${text}`));
}

/** The error of a key of the app that does not stay. */
function refusal(key: string, policies: string, lost: string): string {
  return (
    `[${key}] DeletionPolicy / UpdateReplacePolicy of the key is '${policies}'; allowed: Retain for both, since ` +
    `what it encrypts is kept when its stack is deleted, and lost for ever without the key: ${lost}. Make the ` +
    'key with removalPolicy: RemovalPolicy.RETAIN, or call applyRemovalPolicy(RemovalPolicy.RETAIN) of it.'
  );
}

const keyIn = (scope: Stack, removalPolicy?: RemovalPolicy): kms.Key =>
  new kms.Key(scope, 'Mine', { removalPolicy });

/** What synthesis says of a volume map with a key. */
function withMap(makeKey: (stack: Stack, app: App) => kms.IKey): string[] {
  const app = testApp();
  const stack = testStack(app);
  const { encryptionKey } = new VolumeMap(stack, 'Map', { encryptionKey: makeKey(stack, app) });
  expect(encryptionKey.keyArn).toBeDefined();
  return errors(stack);
}

const MAP = 'the volume map Test/Map';
const REFUSED = [refusal('Test/Mine', 'Delete / Delete', MAP)];
const L1_REFUSED = [refusal('Test/L1', 'Delete / Delete', MAP)];
const ARN = 'arn:aws:kms:us-east-1:111122223333:key/0f1e2d3c-0000-4000-8000-000000000000';
const cfnKey = (stack: Stack): kms.CfnKey => new kms.CfnKey(stack, 'L1', { keyPolicy: { Statement: [] } });

describe('a key that encrypts what is kept', () => {
  test.each<[string, (stack: Stack, app: App) => kms.IKey]>([
    ['as kms.Key makes it', (stack) => keyIn(stack)],
    ['imported by its ARN', (stack) => kms.Key.fromKeyArn(stack, 'Mine', ARN)],
    ['known by the name of its alias only', (stack) => kms.Alias.fromAliasName(stack, 'Mine', 'alias/mine')],
    [
      'made from an L1 that is retained',
      (stack) => {
        const key = cfnKey(stack);
        key.applyRemovalPolicy(RETAIN);
        return kms.Key.fromCfnKey(key);
      },
    ],
    ['behind an alias', (stack) => keyIn(stack).addAlias('mine')],
  ])('may be one %s', (_, makeKey) => {
    expect(withMap(makeKey)).toEqual([]);
  });

  test('must not go with its stack', () => {
    expect(withMap((stack) => keyIn(stack, DESTROY))).toEqual(REFUSED);
  });

  test('must not go with the failed update that made it, while volumes of that update stay', () => {
    expect(withMap((stack) => keyIn(stack, RETAIN_ON_UPDATE_OR_DELETE))).toEqual([
      refusal('Test/Mine', 'RetainExceptOnCreate / Retain', MAP),
    ]);
  });

  test('must not go when an update replaces it', () => {
    const makeKey = (stack: Stack) => {
      const key = keyIn(stack);
      (key.node.defaultChild as kms.CfnKey).cfnOptions.updateReplacePolicy = CfnDeletionPolicy.DELETE;
      return key;
    };
    expect(withMap(makeKey)).toEqual([refusal('Test/Mine', 'Retain / Delete', MAP)]);
  });

  test.each<[string, (stack: Stack) => kms.IKey, string[]]>([
    ['an alias', (stack) => keyIn(stack, DESTROY).addAlias('mine'), REFUSED],
    [
      'an alias that is imported with its key',
      (stack) => {
        const aliasTargetKey = keyIn(stack, DESTROY);
        return kms.Alias.fromAliasAttributes(stack, 'Alias', { aliasName: 'alias/mine', aliasTargetKey });
      },
      REFUSED,
    ],
    ['a construct around its L1', (stack) => kms.Key.fromCfnKey(cfnKey(stack)), L1_REFUSED],
    [
      'an import of its own ARN',
      (stack) => kms.Key.fromKeyArn(stack, 'In', cfnKey(stack).attrArn),
      L1_REFUSED,
    ],
  ])('is found behind %s', (_, makeKey, refused) => {
    expect(withMap(makeKey)).toEqual(refused);
  });

  test('is looked at in whatever stack it is, also in another region', () => {
    for (const region of ['us-east-1', 'eu-west-1']) {
      const makeKey = (_: Stack, app: App) => {
        const keys = new Stack(app, 'Keys', { env: { ...TEST_ENV, region } });
        return new kms.Key(keys, 'Mine', { removalPolicy: DESTROY, alias: 'mine' });
      };
      expect(withMap(makeKey)).toEqual([refusal('Keys/Mine', 'Delete / Delete', MAP)]);
    }
  });

  test('is one of the construct, too', () => {
    const { encryptionKey } = new VolumeMap(testStack(), 'Map');
    expect(errors(encryptionKey)).toEqual([]);
    encryptionKey.applyRemovalPolicy(DESTROY);
    expect(errors(encryptionKey)).toEqual([refusal('Test/Map/Key', 'Delete / Delete', MAP)]);
  });
});

describe('what counts is the app as it is synthesized', () => {
  /** A map and its key, changed after they were made; synthesized. */
  function synthesized(policy: RemovalPolicy, change: (stack: Stack, key: kms.Key) => void): void {
    const stack = testStack();
    const key = keyIn(stack, policy);
    new VolumeMap(stack, 'Map', { encryptionKey: key });
    change(stack, key);
    (stack.node.root as App).synth();
  }

  test.each<[string, RemovalPolicy, (stack: Stack, key: kms.Key) => void]>([
    ['a key that is retained later', DESTROY, (_, key) => key.applyRemovalPolicy(RETAIN)],
    ['an aspect that retains', DESTROY, (stack) => RemovalPolicies.of(stack).retain()],
  ])('%s is accepted', (_, policy, change) => {
    expect(() => synthesized(policy, change)).not.toThrow();
  });

  test.each<[string, (stack: Stack, key: kms.Key) => void]>([
    ['a key that is given up later', (_, key) => key.applyRemovalPolicy(DESTROY)],
    // It does not reach the map.
    ['an aspect that destroys everything', (stack) => RemovalPolicies.of(stack).destroy()],
    [
      'an aspect that destroys keys',
      (stack) =>
        RemovalPolicies.of(stack).destroy({ applyToResourceTypes: [kms.CfnKey.CFN_RESOURCE_TYPE_NAME] }),
    ],
  ])('%s is refused', (_, change) => {
    expect(() => synthesized(RETAIN, change)).toThrow(REFUSED[0]);
  });
});

describe('a key that is given up is refused with', () => {
  const given = (stack: IConstruct) => ({ encryptionKey: keyIn(Stack.of(stack), DESTROY) });
  const lostWith = (stack: IConstruct) =>
    /for ever without the key: (.*?)\. Make/.exec(errors(stack).join('\n'))?.[1];

  test('a tier', () => {
    const stack = testStack();
    const tier = tierIn(stack, given(stack));
    expect(errors(stack)).toEqual([refusal('Test/Mine', 'Delete / Delete', 'the volumes of Test/Oss')]);
    for (const each of tier.node.findAll().filter((one) => CfnVolume.isCfnVolume(one))) {
      each.applyRemovalPolicy(DESTROY);
    }
    expect(errors(stack)).toEqual([]);
  });

  test('a tier whose volumes are kept ones', () => {
    const stack = testStack();
    const existingVolumes = [1, 2, 3, 4].map((number) => `vol-0123456789abcdef${number}`);
    tierIn(stack, { ...given(stack), existingVolumes });
    expect(lostWith(stack)).toBe('the volumes of Test/Oss');
  });

  test('a tier whose volumes are all in nested stacks', () => {
    const stack = testStack();
    tierIn(stack, { ...given(stack), resourcesInStack: 0 });
    expect(lostWith(stack)).toBe('the volumes of Test/Oss');
  });

  test('IntelLustre, in one error', () => {
    const tiers = ['ManagementServer', 'MetadataServer', 'ObjectStorageServers'];
    const lost = tiers.map((tier) => `the volumes of Test/SasData/${tier}`);
    expect(errors(lustreStack(given).stack)).toEqual([
      refusal('Test/Mine', 'Delete / Delete', ['the volume map Test/SasData/VolumeMap', ...lost].join(', ')),
    ]);
  });

  test('NfsStorageServer on volumes, with snapshots and an archive', () => {
    const storage = NfsStorage.ebs({ backup: {} });
    expect(lostWith(nfsStack((stack) => ({ ...given(stack), storage, archive: {} })).stack)).toBe(
      'the volume map Test/Storage/VolumeMap, the volumes of Test/Storage/Server, the snapshots of Test/Storage, ' +
        'the archive Test/Storage/Archive',
    );
  });

  test('NfsStorageServer on instance store for its archive, and not without one', () => {
    const storage = NfsStorage.instanceStore({ dataLossOnFailure: DataLossOnFailure.acceptable('Scratch.') });
    const made = (more: object) => nfsStack((stack) => ({ ...given(stack), storage, ...more })).stack;
    expect(lostWith(made({ archive: {} }))).toBe('the archive Test/Storage/Archive');
    expect(errors(made({}))).toEqual([]);
  });

  test('Io2BlockExpressGfs2 with one host', () => {
    const stack = testStack();
    io2In(stack, given(stack));
    expect(lostWith(stack)).toBe(
      'the volume map Test/SasData/Host/VolumeMap, the volumes of Test/SasData/Host/Slot',
    );
  });

  test.each([undefined, ['vol-0123456789abcdef1', 'vol-0123456789abcdef2']])(
    'Io2BlockExpressGfs2 with a cluster (existingVolumes: %j)',
    (existingVolumes) => {
      const stack = testStack();
      io2In(stack, { ...given(stack), nodeCount: 3, existingVolumes });
      expect(lostWith(stack)).toBe('the volumes of Test/SasData/Cluster');
    },
  );

  test.each([
    ['FsxLustre', lustre, 'SasData'],
    ['FsxOpenZfs', openZfs, 'SasData'],
    ['FsxOntap', ontap, 'SasData'],
    ['EfsSharedFileSystem', efs, 'SasConfig'],
  ])('%s, unless its data is to go, too', (_, make, id) => {
    expect(lostWith(make(given).stack)).toBe(`the data of Test/${id}`);
    expect(errors(make((scope) => ({ ...given(scope), removalPolicy: DESTROY })).stack)).toEqual([]);
  });
});
