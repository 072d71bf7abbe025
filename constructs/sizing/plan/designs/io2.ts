import { maxDataVolumes } from '../../attachments';
import { instanceTypeFacts } from '../../instance-types';
import { IO2_VOLUME_MBPS, MULTI_ATTACH_NODES } from '../../io2-block-express';
import type { Choice, DesignRule } from '../design';
import type { PriceBook } from '../price-book';
import { mbpsText } from '../text';
import type { Need } from '../wish';
import { largestVolume, volumeFor } from './volumes';

/** As few volumes as deliver and hold it, 4000 MB/s each (004). */
function choose(need: Need, book: PriceBook, kind: 'xfs' | 'gfs2'): Choice | string {
  const facts = need.nodeType === undefined ? undefined : instanceTypeFacts(need.nodeType);
  if (!facts)
    return 'The type of the nodes is not known: io2 is attached to them, and their EBS bandwidth decides.';
  if (facts.hypervisor === 'xen' || !facts.ebs)
    return `io2 Block Express needs a Nitro type; ${facts.name} is none.`;
  const mbps = (need.nodes * facts.ebs.baselineMbps) / 8;
  if (mbps < need.sharedMBps) {
    return `EBS carries ${mbpsText(mbps)} to ${need.nodes} ${facts.name}; ${mbpsText(need.sharedMBps)} are wanted.`;
  }
  const count = Math.max(
    1,
    Math.ceil(need.sharedMBps / IO2_VOLUME_MBPS),
    Math.ceil(need.capacityGiB / largestVolume('io2')),
  );
  const most = maxDataVolumes(facts.name) ?? 0;
  if (count > most) return `${count} volumes are needed; ${facts.name} takes ${most}.`;
  const volume = volumeFor('io2', need.capacityGiB / count, need.sharedMBps / count)!;
  return {
    storage: { kind, servers: 0, devices: [{ count, ...volume }] },
    items: [book.volumes(count, volume)],
    capacityGiB: count * volume.sizeGiB!,
  };
}

const singleHost: DesignRule = {
  id: 'io2-single-host',
  title: 'io2 Block Express on a single host',
  durability: 'zone',
  availability: 'replaced',
  recovery: 'The host is replaced; its volumes and its address go to the new one. Work on it is lost.',
  overNetwork: false,
  choose: (need, book) =>
    need.clients > 1
      ? `One host has the volumes; ${need.clients} are to use them. GFS2 or a server shares them.`
      : choose(need, book, 'xfs'),
};

const gfs2: DesignRule = {
  id: 'io2-gfs2',
  title: 'io2 Block Express and GFS2 on the nodes',
  durability: 'zone',
  availability: 'standby',
  recovery: 'A node that fails is fenced; the others go on once its journal is replayed, and it is replaced.',
  overNetwork: false,
  choose: (need, book) => {
    const { min, max } = MULTI_ATTACH_NODES;
    if (need.nodes < min || need.nodes > max)
      return `GFS2 is for ${min} to ${max} nodes; there are ${need.nodes}.`;
    if (need.clients > need.nodes) {
      return `Only the nodes have the volumes; ${need.clients} clients are to use them.`;
    }
    return choose(need, book, 'gfs2');
  },
};

export const IO2_RULES: readonly DesignRule[] = [singleHost, gfs2];
