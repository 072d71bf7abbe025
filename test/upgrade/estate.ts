import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { Clients } from '../../proof/kit/clients';
import { readHistory } from '../../proof/kit/history';
import { readSuperblocks, type Superblock } from '../../proof/kit/superblocks';
import { stacksOf } from '../../proof/kit/teardown';

/** A resource as CloudFormation knows it. */
export interface Deployed {
  readonly type: string;
  readonly physicalId: string;
}

/** What a deployment consists of at one moment. */
export interface Estate {
  /** Of '<stack>/<logical id>'. */
  readonly resources: Readonly<Record<string, Deployed>>;
  /** Of the ids of volumes. */
  readonly superblocks: Readonly<Record<string, Superblock>>;
  /** When it was read, seconds since 1970. */
  readonly time: number;
}

/** Reads all resources of a deployment's stacks, of nested ones too, and what lies on the volumes. */
export async function readEstate(clients: Clients, deployment: string, state: string): Promise<Estate> {
  const resources: Record<string, Deployed> = {};
  for (const { StackName } of await stacksOf(clients.cloudformation, deployment))
    Object.assign(resources, await resourcesOf(clients.cloudformation, StackName!));
  return { resources, superblocks: readSuperblocks(state), time: Date.now() / 1000 };
}

async function resourcesOf(client: CloudFormationClient, stack: string): Promise<Record<string, Deployed>> {
  const found: Record<string, Deployed> = {};
  for await (const page of paginateListStackResources({ client }, { StackName: stack })) {
    for (const { LogicalResourceId, ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
      found[`${stack}/${LogicalResourceId}`] = { type: ResourceType!, physicalId: PhysicalResourceId ?? '' };
  }
  return found;
}

/** What happened to hosts and volumes in a span of time, as the embedded AWS recorded it. */
export interface Happened {
  /** Instances that were stopped. */
  readonly stopped: string[];
  /** Instances that were terminated. */
  readonly terminated: string[];
  /** Volumes and interfaces that were attached or detached. */
  readonly moved: string[];
  /** Volumes that were formatted. */
  readonly formatted: string[];
}

/**
 * Reads what happened since a moment. What is moved or ended has to have been there before: whoever builds an image
 * comes and goes meanwhile.
 */
export function happenedSince(state: string, time: number): Happened {
  const history = readHistory(state);
  const before = new Set(history.filter((each) => each.time < time).map(({ id }) => id));
  const since = history.filter(
    (each) => each.time >= time && (each.kind === 'format' || before.has(each.id)),
  );
  const ids = (kinds: string[], states?: string[]) => [
    ...new Set(
      since
        .filter(({ kind, to }) => kinds.includes(kind) && (!states || states.includes(to ?? '')))
        .map(({ id }) => id),
    ),
  ];
  return {
    stopped: ids(['instance'], ['stopping', 'stopped']),
    terminated: ids(['instance'], ['shutting-down', 'terminated']),
    moved: ids(['volume-attachment', 'interface-attachment']),
    formatted: ids(['format']),
  };
}
