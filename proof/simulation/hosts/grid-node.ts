import type { SimulatedEc2 } from '../aws/ec2/ec2';
import type { Probed } from './health';
import type { Host } from './host';
import type { Hosts } from './hosts';

/** How full its scratch is, percent. Nothing here fills it. */
const SCRATCH_USED = 10;

/** The program names so many servers that it cannot reach, since each one takes its time (node-health.sh, reach). */
const NAMED = 2;

/**
 * What a server of the grid, a client of the tier, says of its file system: `reach` and `imports` of
 * constructs/host/documents/node-health.sh. LNet answers a ping wherever the slot's address is set up and the way to it
 * stands, whether a target is mounted or not; a target that is not served is one to which the client is not connected.
 */
export function askNode(node: Host, hosts: Hosts, ec2: SimulatedEc2): Probed {
  const unreachable: string[] = [];
  const unserved: string[] = [];
  for (const { slot, address, status, attachment } of ec2.interfaces.values()) {
    // A client knows of targets that have been there.
    const wasServed = [...ec2.volumes.values()].some((volume) => volume.slot === slot && volume.mounts > 0);
    if (status === 'deleted' || !wasServed) continue;
    const host = attachment === undefined ? undefined : hosts.all.get(attachment.instanceId);
    if (host?.way.stands !== true) unreachable.push(`unreachable: ${address}@tcp does not answer`);
    else if (!host.serving) unserved.push(`lustre: ${slot} is DISCONN`);
  }
  const reasons = [...unreachable.slice(0, NAMED), ...unserved];
  const answer = (exitCode: number, word: string, why: readonly string[]): Probed => ({
    said: `${node.instanceId} ${word} ${SCRATCH_USED} ${why.join('; ')}`.trimEnd(),
    exitCode,
    ms: 1000,
  });
  if (reasons.length === 0) return answer(0, 'healthy', []);
  if (node.health.hasJustStarted) return answer(75, 'unsure', [...reasons, 'it has just started']);
  return answer(20, 'unhealthy', reasons);
}
