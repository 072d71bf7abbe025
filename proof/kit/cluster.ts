import type { Clients } from './clients';
import { readGroups, readInstances, readInterfaces, readVolumes } from './inventory';
import type { Estate, MapSlot, Tier } from './model';

/** A node of a cluster, as the storage stack's output names it. What stays of it when its instance is replaced. */
export interface ClusterNode {
  readonly name: string;
  readonly address: string;
  readonly networkInterface: string;
  /** Name of the Auto Scaling group that keeps one instance. */
  readonly group: string;
}

/** A cluster whose nodes share the same volumes. */
export interface Cluster {
  readonly nodes: ClusterNode[];
  /** Volume ids in their order. */
  readonly volumes: string[];
}

/** Each node is a tier of one server: it has a group of its own. */
export function tiersOf(cluster: Cluster): Tier[] {
  return cluster.nodes.map(({ name, group }) => ({ tier: name, group, workflowArn: '', slots: 1 }));
}

/** A cluster has no map: who a node is, is who has its interface. */
export async function readCluster(clients: Clients, cluster: Cluster): Promise<Estate> {
  const tiers = tiersOf(cluster);
  const [instances, volumes, interfaces, groups] = await Promise.all([
    readInstances(clients),
    readVolumes(clients, cluster.volumes),
    readInterfaces(
      clients,
      cluster.nodes.map(({ networkInterface }) => networkInterface),
    ),
    readGroups(clients, tiers),
  ]);
  const slots = cluster.nodes.map(({ name, address, networkInterface }): MapSlot => {
    const attachment = interfaces.find(({ id }) => id === networkInterface)?.attachment;
    return {
      tier: name,
      slot: name,
      networkInterfaceId: networkInterface,
      address,
      volumes: cluster.volumes,
      owner: attachment?.state === 'attached' ? attachment.instanceId : undefined,
      epoch: 0,
      servedEpoch: 0,
      formatted: true,
      phase: '',
    };
  });
  return { tiers, slots, owners: [], instances, volumes, interfaces, groups };
}
