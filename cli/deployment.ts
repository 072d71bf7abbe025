import { OptionError } from './arguments';
import type { DeploymentAws, Failure, ResourceLook, StackLook } from './deployment/port';
import { isUnchecked } from './preflight/aws/ask';

/** The stacks of a deployment by what their names end with, in the order in which they are deployed. */
export const PARTS = ['network', 'images', 'storage', 'grid', 'benchmark', 'operations'] as const;
export type Part = (typeof PARTS)[number];

const NESTED = 'AWS::CloudFormation::Stack';

/** Nested stacks that are asked for at the same time. */
const AT_ONCE = 5;

/** Something of a deployment. */
export interface FoundResource extends ResourceLook {
  /** The logical ids of the nested stacks that it lies in, then its own. */
  readonly path: readonly string[];
}

/** A stack of a deployment. */
export interface FoundStack extends StackLook {
  readonly part: Part;
  /** Also those of nested stacks. What is deleted is left out. */
  readonly resources: readonly FoundResource[];
  /** What failed in its last operation, the cause first; of nested stacks the failure inside. */
  readonly failures: readonly Failure[];
}

/** A deployment as far as it is there: also one whose first stack is being made, or has failed. */
export interface FoundDeployment {
  readonly name: string;
  /** In the order of `PARTS`; at least one. */
  readonly stacks: readonly FoundStack[];
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[];
}

/**
 * Finds a deployment by the names of its stacks, and not by outputs, which only a complete stack has.
 *
 * @throws OptionError that lists the deployments of the region when nothing of this name is there
 * @throws Unchecked when CloudFormation cannot be asked at all
 */
export async function findDeployment(name: string, aws: DeploymentAws): Promise<FoundDeployment> {
  const looks = await Promise.all(PARTS.map((part) => aws.stack(`${name}-${part}`)));
  const unread: string[] = [];
  const found = PARTS.flatMap((part, index) => {
    const look = looks[index];
    return look && look.status !== 'DELETE_COMPLETE' ? [{ part, look }] : [];
  });
  if (found.length === 0) throw new OptionError(await nothingOf(name, aws));
  const stacks = await Promise.all(
    found.map(async ({ part, look }): Promise<FoundStack> => {
      const resources = await readable(unread, [], () => resourcesOf(aws, look.id));
      const failed = isTroubled(look.status) || resources.some(({ status }) => /_FAILED$/.test(status));
      const failures = failed ? await readable(unread, [], () => failuresOf(aws, look.id)) : [];
      return { ...look, part, resources, failures };
    }),
  );
  return { name, stacks, unread: [...new Set(unread)] };
}

/** The stack of a part; undefined where the deployment has none. */
export const stackOf = ({ stacks }: FoundDeployment, part: Part): FoundStack | undefined =>
  stacks.find((stack) => stack.part === part);

/** An output of whichever stack has it; undefined until that stack is complete. */
export function outputOf({ stacks }: FoundDeployment, key: string): string | undefined {
  return stacks.map(({ outputs }) => outputs[key]).find((value) => value !== undefined);
}

/** What is there of a type in all stacks, or in that of a part: with physical ids. */
export function resourcesOfType(
  { stacks }: FoundDeployment,
  type: string,
  part?: Part,
): (FoundResource & { readonly physicalId: string })[] {
  return stacks
    .filter((stack) => part === undefined || stack.part === part)
    .flatMap(({ resources }) => resources)
    .filter((one): one is FoundResource & { physicalId: string } => one.type === type && !!one.physicalId);
}

/** Whether an operation of CloudFormation runs. A stack that was only begun to be described waits for a person. */
export const isUnderWay = (status: string): boolean =>
  /_IN_PROGRESS$/.test(status) && status !== 'REVIEW_IN_PROGRESS';

/** Whether its last operation failed, or was taken back. */
export const isTroubled = (status: string): boolean => /FAILED|ROLLBACK/.test(status);

async function resourcesOf(
  aws: DeploymentAws,
  stackId: string,
  above: readonly string[] = [],
): Promise<FoundResource[]> {
  const own = (await aws.resources(stackId))
    .filter(({ status }) => status !== 'DELETE_COMPLETE')
    .map((one) => ({ ...one, path: [...above, one.logicalId] }));
  const nested = own.filter(({ type, physicalId }) => type === NESTED && physicalId);
  const found: FoundResource[] = [...own];
  for (let start = 0; start < nested.length; start += AT_ONCE) {
    const some = nested.slice(start, start + AT_ONCE);
    const inside = await Promise.all(some.map((one) => resourcesOf(aws, one.physicalId!, one.path)));
    found.push(...inside.flat());
  }
  return found;
}

/** That a nested stack failed says nothing: what failed in it does. */
async function failuresOf(aws: DeploymentAws, stackId: string): Promise<Failure[]> {
  const own = await aws.failures(stackId);
  const found = await Promise.all(
    own.map(async (failure) => {
      if (!failure.physicalId) return [failure];
      const inside = await failuresOf(aws, failure.physicalId);
      return inside.length > 0 ? inside : [failure];
    }),
  );
  return found.flat();
}

/** What cannot be read is told, and stands in the way of nothing else. */
export async function readable<T>(unread: string[], otherwise: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    unread.push(isUnchecked(error) ? error.message : `${(error as Error).name}: ${(error as Error).message}`);
    return otherwise;
  }
}

async function nothingOf(name: string, aws: DeploymentAws): Promise<string> {
  const looked = `There is no stack ${PARTS.map((part) => `${name}-${part}`).join(', ')} in this region and account.`;
  const there = await aws.deployments().catch(() => undefined);
  if (there === undefined) return `${looked} Name another deployment, --region or --profile.`;
  const others =
    there.length > 0 ? `There are the deployments ${there.join(', ')}` : 'No deployment is there';
  const deploy = `make deploy DEPLOYMENT=${name}`;
  return `${looked} ${others}. Name one of them, another --region or --profile; or deploy it: ${deploy}`;
}
