import type { Plan, Ports } from './ports';
import type { BackedCluster } from './settings';

/**
 * The plan of volumes that the nodes of a cluster share, and that are in no volume map: as one slot, whose server is
 * the first node. One node has EC2 begin the snapshots of all volumes at one moment, and holds for all.
 *
 * @returns the plan, or why there is none now
 */
export async function clusterPlanOf(ports: Ports, cluster: BackedCluster): Promise<Plan | string> {
  const { tier, slot, nodes } = cluster;
  const volumes = await ports.sharedVolumes(cluster.stack);
  if (volumes.length === 0) return `The stack ${cluster.stack} does not say which volumes its nodes share.`;
  const running = await ports.nodes(nodes.map(({ group }) => group));
  if (nodes.every(({ group }) => (running.get(group) ?? []).length === 0))
    return 'No node of the cluster runs: the deployment sleeps, or all are lost. Start it first: start';
  const instances: string[] = [];
  let others: string[] = [];
  for (const { name, group } of nodes) {
    const [instanceId, second] = running.get(group) ?? [];
    const wait = 'Wait until the cluster has all of its nodes, or mend it first (status says what to do).';
    if (instanceId === undefined) return `No instance runs as node ${name}. ${wait}`;
    if (second !== undefined) return `${instanceId} and ${second} run as node ${name}. ${wait}`;
    const attached = await ports.snapshots.attachedTo(instanceId);
    const missing = volumes.filter((id) => !attached.includes(id));
    if (missing.length > 0) return `Node ${name} (${instanceId}) lacks ${missing.join(', ')}. ${wait}`;
    if (instances.length === 0) others = attached.filter((id) => !volumes.includes(id));
    instances.push(instanceId);
  }
  const [instanceId, ...peers] = instances;
  // No map counts owners of volumes that all have.
  const server = { tier, slot, instanceId: instanceId!, epoch: 0, address: '', volumes, others };
  return { servers: [server], peers };
}

/** @returns why the cluster is not what was planned; undefined when it is */
export async function clusterChangedSince(
  plan: Plan,
  ports: Ports,
  cluster: BackedCluster,
): Promise<string | undefined> {
  const now = await clusterPlanOf(ports, cluster);
  if (typeof now === 'string') return now;
  const whatOf = ({ servers, peers = [] }: Plan) =>
    [servers[0]!.instanceId, ...peers, ...servers[0]!.volumes].join();
  return whatOf(now) === whatOf(plan)
    ? undefined
    : 'the cluster has other nodes, or other volumes, than when it began';
}
