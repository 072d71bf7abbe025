import { count } from '../../cli/terminal';
import type { Cluster } from '../kit/cluster';
import type { Check, Estate, MapSlot } from '../kit/model';
import { evidenceOf, type Evidence as Recorded } from '../kit/record/evidence';
import { formattedOnce, neverTakenFromLiving, oneServer, oneWriter } from '../kit/record/hardware';
import { allowedByRoles } from '../kit/record/permissions';
import {
  addressFaults,
  check,
  type Evidence,
  formatFaults,
  neverHappened,
  recoveryChecks,
  serviceFaults,
} from '../kit/verify';
import { type ClusterVerdict, type ClusterViolation, checkCluster } from './cluster-check';

/** Everything that must hold of a cluster after its deployment or the loss of a node. Pure: reads only the evidence. */
export function verifyCluster(evidence: Evidence, cluster: Cluster): Check[] {
  const { estate, history, calls } = evidence;
  const { volumes } = cluster;
  const verdict = checkCluster(history, volumes);
  // A cluster has no map: what its nodes share is theirs together, and an address is one node's.
  const record = evidenceOf(history, calls, {
    slotOfVolume: Object.fromEntries(volumes.map((id) => [id, 'the cluster'])),
    slotOfInterface: Object.fromEntries(cluster.nodes.map((node) => [node.networkInterface, node.name])),
    shared: volumes,
  });
  return [
    ...stateChecks(estate, cluster, verdict),
    ...mountChecks(record, verdict),
    check(
      'formatted-once',
      'Every volume was formatted once, before its first mount',
      count(volumes.length, 'volume'),
      [
        ...formattedOnce.find(record).violations.map(({ detail }) => detail),
        ...broken(verdict, 'formatted-in-use', 'mounted-before-format'),
        ...volumes.flatMap((id) => formatFaults(id, evidence.superblocks[id])),
      ],
    ),
    ...neverHappened(record, [oneWriter, neverTakenFromLiving, allowedByRoles]),
    ...(evidence.before
      ? [...lossChecks(evidence, evidence.before, verdict), ...recoveryChecks(evidence, evidence.before)]
      : []),
  ];
}

/** What the history holds against some rules of a cluster. */
function broken({ violations }: ClusterVerdict, ...rules: ClusterViolation['rule'][]): string[] {
  return violations
    .filter(({ rule }) => rules.includes(rule))
    .map(({ rule, detail }) => `${rule}: ${detail}`);
}

/** How everything has to be in the end. */
function stateChecks(estate: Estate, { nodes, volumes }: Cluster, verdict: ClusterVerdict): Check[] {
  return [
    check('nodes-run', 'Every node of the cluster runs', count(nodes.length, 'node'), [
      ...(nodes.length > 1 ? [] : ['the deployment has no cluster']),
      ...estate.slots.flatMap((slot) => serviceFaults(slot, estate)),
    ]),
    check(
      'volumes-shared',
      'Every node has all shared volumes, and nobody else has one',
      count(volumes.length, 'volume'),
      [
        ...(volumes.length > 0 ? [] : ['the cluster has no volumes']),
        ...volumes.flatMap((id) => sharingFaults(id, estate)),
      ],
    ),
    check(
      'addresses-kept',
      'Every node is reached at its own address',
      estate.slots.map(({ address }) => address).join(', '),
      estate.slots.flatMap((slot) => addressFaults(slot, estate)),
    ),
    check(
      'all-mounted',
      'Every node has the file system mounted, and nobody else',
      `${verdict.mounts} mounts seen`,
      volumes.flatMap((id) => mountFaults(id, estate.slots, verdict)),
    ),
  ];
}

/** Who may mount, and what has to come before. */
function mountChecks(record: Recorded, verdict: ClusterVerdict): Check[] {
  return [
    check(
      'members-mount',
      'Only members of the cluster ever mounted a shared volume',
      'in the whole history',
      [
        ...broken(verdict, 'mounted-by-stranger', 'mounted-without-volume', 'mounted-alone', 'node-twice'),
        ...oneServer.find(record).violations.map(({ detail }) => detail),
      ],
    ),
    check(
      'fenced-first',
      'Nobody mounted while a lost node was not fenced, and no fenced node went on',
      verdict.fenced.map(({ instance, node }) => `${instance} (${node}) fenced`).join(', ') ||
        'no node was lost',
      [
        ...broken(verdict, 'mounted-before-fence', 'fenced-alive', 'fenced-mounted', 'fenced-by-stranger'),
        ...broken(verdict, 'fenced-acts'),
        ...verdict.unfenced.map((instance) => `${instance} ended and was not fenced`),
      ],
    ),
  ];
}

/** What only the loss of a node can break. */
function lossChecks(evidence: Evidence, before: Estate, verdict: ClusterVerdict): Check[] {
  const { estate, victim } = evidence;
  const fencing = verdict.fenced.find(({ instance }) => instance === victim);
  const others = before.slots.filter(({ owner }) => owner !== victim);
  const survivors = others.map(({ owner }) => owner);
  return [
    ...(victim === undefined
      ? []
      : [
          check('fenced-by-survivor', 'The lost node was fenced by one that went on', `by ${fencing?.by}`, [
            ...(fencing ? [] : [`${victim} was not fenced`]),
            ...(fencing && !survivors.includes(fencing.by)
              ? [`${fencing.by} fenced it, which was not there before`]
              : []),
          ]),
        ]),
    check(
      'survivors-stayed',
      'The other nodes went on as they were',
      survivors.join(', '),
      others.flatMap(({ slot, owner }) => {
        const now = estate.slots.find((each) => each.slot === slot)?.owner;
        return now === owner ? [] : [`${slot} was ${owner} and is ${now ?? 'nobody'}`];
      }),
    ),
  ];
}

function sharingFaults(id: string, estate: Estate): string[] {
  const attachments = estate.volumes.find((volume) => volume.id === id)?.attachments;
  if (!attachments) return [`${id} does not exist`];
  const nodes = estate.slots.map(({ owner }) => owner);
  return [
    ...attachments
      .filter(({ instanceId, state }) => !nodes.includes(instanceId) || state !== 'attached')
      .map(({ instanceId, state }) => `${id} is ${state} to ${instanceId}`),
    ...estate.slots
      .filter(({ owner }) => !attachments.some(({ instanceId }) => instanceId === owner))
      .map(({ slot }) => `${slot} has not got ${id}`),
  ];
}

function mountFaults(id: string, slots: MapSlot[], { mounted }: ClusterVerdict): string[] {
  const by = mounted[id] ?? [];
  const nodes = slots.map(({ owner }) => owner);
  return [
    ...slots
      .filter(({ owner }) => !by.includes(owner ?? ''))
      .map(({ slot }) => `${slot} has not mounted ${id}`),
    ...by.filter((instance) => !nodes.includes(instance)).map((instance) => `${instance} has ${id} mounted`),
  ];
}
