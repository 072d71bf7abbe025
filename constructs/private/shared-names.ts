import { Stack, Stage, Token } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';

/** What a VPC look-up gives before it was made (aws-cdk-lib, VpcContextProviderPlugin): of any VPC. */
const NOT_LOOKED_UP = 'vpc-12345';

const taken = new WeakMap<IConstruct, Map<string, IConstruct>>();

/**
 * Takes a name that only one thing of an app may have in some place, for as long as the app lives.
 *
 * @param scope whose it is
 * @param place where the name has to be the only one, as text
 * @returns the path of the one that has it already; undefined when the name was free
 */
export function takeName(scope: IConstruct, place: readonly string[], name: string): string | undefined {
  const names = taken.get(scope.node.root) ?? new Map<string, IConstruct>();
  taken.set(scope.node.root, names);
  const key = JSON.stringify([...place, name]);
  const holder = names.get(key);
  if (holder && holder !== scope && isThere(holder)) return holder.node.path;
  names.set(key, scope);
  return undefined;
}

/** Whether a construct was not taken out of its tree again. */
const isThere = ({ node }: IConstruct): boolean =>
  node.scopes.every((each) => !each.node.scope || each.node.scope.node.tryFindChild(each.node.id) === each);

/** A VPC as a place of names; undefined while nobody knows which one it is. */
export function placeOfVpc(scope: IConstruct, { vpcId }: IVpc): string[] | undefined {
  if (vpcId === NOT_LOOKED_UP) return undefined;
  if (Token.isUnresolved(vpcId)) return ['vpc', vpcId];
  const { account, region } = Stack.of(scope);
  return ['vpc', vpcId, account, region];
}

/** The account as a place of names; while it is not known, what is deployed together. */
export function placeOfAccount(scope: IConstruct): string[] {
  const { account } = Stack.of(scope);
  return Token.isUnresolved(account) ? ['stage', Stage.of(scope)?.node.path ?? ''] : ['account', account];
}

/** The region of an account as a place of names. */
export const placeOfRegion = (scope: IConstruct): string[] => [
  ...placeOfAccount(scope),
  Stack.of(scope).region,
];
