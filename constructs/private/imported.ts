import { Annotations, type IResource, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IAlias, IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from './validation';

// What whoever uses a key on its owner's behalf needs (KMS Developer Guide, "Allowing users in other accounts to use a
// KMS key", read 2026-11).
const KEY_USE = [
  'kms:Encrypt',
  'kms:Decrypt',
  'kms:ReEncrypt*',
  'kms:GenerateDataKey*',
  'kms:DescribeKey',
  'kms:CreateGrant',
];

/** Rejects what is known to be of another region than the scope. */
export function requireSameRegion(scope: IConstruct, what: string, resource: IResource | undefined): void {
  if (resource) requireRegion(scope, what, resource.env.region);
}

/**
 * Rejects an ARN that is known to be of another region than the scope: not of everything imported the CDK reads the
 * region.
 */
export function requireArnInRegion(scope: IConstruct, what: string, arn: string | undefined): void {
  if (arn !== undefined && isConcrete(arn)) requireRegion(scope, what, arn.split(':')[3]);
}

function requireRegion(scope: IConstruct, what: string, there: string | undefined): void {
  const here = Stack.of(scope).region;
  if (!there || !isConcrete(there) || !isConcrete(here) || there === here) return;
  const allowed = `one of the region of the stack, ${here}`;
  throw invalid(scope, what, `of ${there}`, allowed, 'AWS cannot use one of another region there.');
}

/**
 * Rejects a key of another region; the owner of one of another account is told what its policy needs.
 *
 * @param key encrypts something, and no policy of ours names it
 */
export function requireUsableKey(scope: IConstruct, key: IKey | undefined, what = 'encryptionKey'): void {
  if (!key) return;
  requireSameRegion(scope, what, key);
  tellForeignOwner(scope, 'key', key, { actions: KEY_USE, resources: ['*'] });
}

/** Tells the owner of what is known to be of another account what its policy needs: ours alone allow nothing there. */
export function tellForeignOwner(
  scope: IConstruct,
  what: string,
  resource: IResource,
  use: { readonly actions: string[]; readonly resources: string[] },
): void {
  const { account } = Stack.of(scope);
  const owner = resource.env.account;
  if (!isConcrete(owner) || !isConcrete(account) || owner === account) return;
  const principals = [new iam.AccountPrincipal(account)];
  tellOwner(
    scope,
    what,
    resource,
    new iam.PolicyStatement({ principals, ...use }),
    `the account ${account} to use it`,
  );
}

/**
 * The ARN of a key in policies. That of an alias is no key's there: it would allow nothing (KMS Developer Guide, "Using
 * aliases to control access to KMS keys", read 2026-11).
 *
 * @throws when only the alias of the key is known, or when the key is of another region
 */
export function keyArnInPolicies(scope: IConstruct, key: IKey, what = 'encryptionKey'): string {
  const target = targetOf(key);
  if (!target || target.keyArn.includes(':alias/')) {
    const fix =
      'Give the key itself: Key.fromKeyArn with the ARN of the key, or Key.fromLookup with the alias.';
    throw invalid(
      scope,
      what,
      `the alias ${key.keyId}`,
      'a key; a policy that names an alias allows nothing',
      fix,
    );
  }
  requireUsableKey(scope, target, what);
  return target.keyArn;
}

/** The key behind an alias of the app, or the key; undefined for an alias whose key nobody knows. */
function targetOf(key: IKey): IKey | undefined {
  if (!('aliasName' in key)) return key;
  try {
    return (key as Partial<IAlias>).aliasTargetKey;
  } catch {
    return undefined;
  }
}

/**
 * Adds a statement to the policy of a key. That of an imported key is its owner's, and the CDK drops the statement
 * without a word: then synthesis says what it is.
 *
 * @param purpose what the statement is for, after 'for'
 */
export function addKeyStatement(
  scope: IConstruct,
  key: IKey,
  statement: iam.PolicyStatement,
  purpose: string,
): void {
  // That of an AWS managed key is nobody's to change.
  if (key.keyArn.includes(':alias/aws/')) return;
  if (!key.addToResourcePolicy(statement).statementAdded) tellOwner(scope, 'key', key, statement, purpose);
}

/** Once for each resource, however many constructs use it. */
function tellOwner(
  scope: IConstruct,
  what: string,
  resource: IResource,
  statement: iam.PolicyStatement,
  purpose: string,
): void {
  const text = JSON.stringify(Stack.of(scope).resolve(statement.toStatementJson()));
  Annotations.of(resource).addWarningV2(
    `cdk-sas-grid:${what}Policy:${purpose}`,
    `The ${what} is imported, so that its policy is its owner's. For ${purpose} it has to have the statement ${text}`,
  );
}
