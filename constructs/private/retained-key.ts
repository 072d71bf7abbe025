import {
  CfnDeletionPolicy,
  CfnResource,
  Reference,
  RemovalPolicy,
  Resource,
  Tokenization,
} from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct, IConstruct } from 'constructs';
import { keepRemovalPolicies } from './last-word';
import { invalid } from './validation';

/** Something that a key encrypts. */
interface EncryptedData {
  readonly what: string;
  readonly outlives: () => boolean;
}

/** What the keys of the app encrypt. */
const ENCRYPTED = new WeakMap<CfnResource, EncryptedData[]>();

/**
 * A new key for data that is kept: it rotates, and stays when its stack is deleted, whatever aspects of the app say.
 */
export function keptKey(scope: Construct, id: string, description: string): kms.Key {
  const key = new kms.Key(scope, id, {
    description,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  keepRemovalPolicies(key);
  return key;
}

/**
 * Refuses a key of the app that CloudFormation would delete while what it encrypts is kept: nobody could ever read that
 * again. Looked at when the app is synthesized: until then, removal policies can change. A key that is not of the app
 * is its owner's.
 *
 * Plain retention, as of the data: `RetainExceptOnCreate` deletes a key with the failed update that made it, while
 * volumes of the same update are kept (docs/adr/0002-plain-retention.md).
 *
 * @param what is encrypted, for the message
 * @param stores the resources that hold it, or what they are in. When all are deleted with their stack the key may go,
 * too. 'kept' means that it is no resource of the app, and always outlives its stack.
 */
export function requireRetainedKey(key: kms.IKey, what: string, stores: IConstruct[] | 'kept'): void {
  const resource = resourceOf(key);
  if (!resource) return;
  const data = { what, outlives: () => stores === 'kept' || stores.some(outlivesStack) };
  const known = ENCRYPTED.get(resource);
  if (known) {
    known.push(data);
    return;
  }
  // One error for each key, however many constructs it was given to.
  const all = [data];
  ENCRYPTED.set(resource, all);
  const { scope } = resource.node;
  const named = scope && Resource.isResource(scope) ? scope : resource;
  named.node.addValidation({ validate: () => problemsOfKey(resource, all) });
}

function problemsOfKey({ cfnOptions }: CfnResource, all: EncryptedData[]): string[] {
  const { deletionPolicy = CfnDeletionPolicy.DELETE, updateReplacePolicy = CfnDeletionPolicy.DELETE } =
    cfnOptions;
  const retained = [deletionPolicy, updateReplacePolicy].every((each) => each === CfnDeletionPolicy.RETAIN);
  const lost = all.filter(({ outlives }) => outlives()).map(({ what }) => what);
  if (retained || lost.length === 0) return [];
  const error = invalid(
    undefined,
    'DeletionPolicy / UpdateReplacePolicy of the key',
    `${deletionPolicy} / ${updateReplacePolicy}`,
    'Retain for both, since what it encrypts is kept when its stack is deleted, and lost for ever without the key: ' +
      lost.join(', '),
    'Make the key with removalPolicy: RemovalPolicy.RETAIN, or call applyRemovalPolicy(RemovalPolicy.RETAIN) of it.',
  );
  return [error.message];
}

/** The key's resource in the app; undefined for one that is imported. */
function resourceOf(key: kms.IKey): CfnResource | undefined {
  const target = aliasTarget(key);
  if (target) return resourceOf(target);
  // Of a key that was made from an L1, or 'imported' by an attribute of one, only the ARN knows what it is.
  const named = Tokenization.reverseString(key.keyArn).tokens.map((token) =>
    Reference.isReference(token) ? token.target : undefined,
  );
  return [key.node.defaultChild, ...named].find(isKeyResource);
}

/**
 * The key that an alias stands for. That of one known by its name only is nobody's to tell, and the CDK throws when
 * asked.
 */
function aliasTarget(key: kms.IKey): kms.IKey | undefined {
  try {
    return (key as Partial<kms.IAlias>).aliasTargetKey;
  } catch {
    return undefined;
  }
}

const isKeyResource = (each: IConstruct | undefined): each is CfnResource =>
  CfnResource.isCfnResource(each) && each.cfnResourceType === kms.CfnKey.CFN_RESOURCE_TYPE_NAME;

/** Whether any of it is left, if only as a snapshot, when its stack is deleted or an update replaces it. */
function outlivesStack(store: IConstruct): boolean {
  return store.node
    .findAll()
    .filter((each) => CfnResource.isCfnResource(each))
    .flatMap(({ cfnOptions }) => [cfnOptions.deletionPolicy, cfnOptions.updateReplacePolicy])
    .some((policy) => policy !== undefined && policy !== CfnDeletionPolicy.DELETE);
}
