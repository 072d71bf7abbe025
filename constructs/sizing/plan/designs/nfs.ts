import { beyondOneNfsServer } from '../../nfs-server';
import type { DesignRule } from '../design';
import type { PriceBook } from '../price-book';
import { mbpsText } from '../text';
import type { Need } from '../wish';
import { DISK_SERVERS, type DiskServer, passesOn, VOLUME_SERVERS } from './servers';
import { type Volume, volumeFor } from './volumes';

const VOLUME_TYPES = ['st1', 'gp3'] as const;
const VOLUMES_OF_SERVER = [1, 2, 4, 6, 8, 12, 16];
const GIB_PER_TIB = 1024;

/** Where one server is no more the right choice: 48 TiB, 1 GB/s, 32 clients (003). */
function reasonAgainst({ capacityGiB, sharedMBps, clients }: Need): string | undefined {
  const over = beyondOneNfsServer({
    capacityTiB: capacityGiB / GIB_PER_TIB,
    throughputMBps: sharedMBps,
    clients,
  });
  return over.length ? `More than one NFS server is for (paper 003): ${over.join('; ')}.` : undefined;
}

interface Layout {
  readonly usd: number;
  readonly type: string;
  readonly count: number;
  readonly volume: Volume;
}

function cheapestVolumes(need: Need, book: PriceBook): Layout | undefined {
  let best: Layout | undefined;
  for (const server of VOLUME_SERVERS) {
    if (server.mbps < need.sharedMBps) continue;
    const month = book.monthOf(server.type);
    if (best && month >= best.usd) continue;
    for (const volumeType of VOLUME_TYPES) {
      for (const count of VOLUMES_OF_SERVER) {
        if (count > server.mostVolumes) break;
        const volume = volumeFor(volumeType, need.capacityGiB / count, need.sharedMBps / count);
        if (!volume) continue;
        const usd = month + count * (book.volumeUsd(volume) ?? 0);
        if (!best || usd < best.usd) best = { usd, type: server.type, count, volume };
      }
    }
  }
  return best;
}

const onVolumes: DesignRule = {
  id: 'nfs-ebs',
  title: 'NFS server on EC2, EBS',
  durability: 'zone',
  availability: 'replaced',
  recovery:
    'The server is replaced with its volumes and its address; hosts wait and go on. Until then nothing is served.',
  overNetwork: true,
  choose: (need, book) => {
    const reason = reasonAgainst(need);
    if (reason) return reason;
    const best = cheapestVolumes(need, book.forChoice());
    if (!best) return `No server delivers ${mbpsText(need.sharedMBps)} from ${need.capacityTB} TB.`;
    const { type, count, volume } = best;
    return {
      storage: { kind: 'nfs', servers: 1, serverType: type, devices: [{ count, ...volume }] },
      items: [book.instances(1, type, 'NFS server'), book.volumes(count, volume)],
      capacityGiB: count * volume.sizeGiB!,
    };
  },
};

const onInstanceStore: DesignRule = {
  id: 'nfs-instance-store',
  title: 'NFS server on EC2, instance store',
  durability: 'scratch',
  availability: 'restore',
  recovery:
    'The server is replaced empty, with its address: what was on its disks comes back from an archive only.',
  overNetwork: true,
  choose: (need, book) => {
    const reason = reasonAgainst(need);
    if (reason) return reason;
    const prices = book.forChoice();
    let best: { usd: number; server: DiskServer } | undefined;
    for (const server of DISK_SERVERS) {
      if (server.storeGiB < need.capacityGiB || passesOn(server, need.readShare) < need.sharedMBps) continue;
      const usd = prices.monthOf(server.type);
      if (!best || usd < best.usd) best = { usd, server };
    }
    if (!best) return `No type has ${need.capacityTB} TB of disks and delivers ${mbpsText(need.sharedMBps)}.`;
    const { type, disks, storeGiB } = best.server;
    return {
      storage: {
        kind: 'nfs',
        servers: 1,
        serverType: type,
        devices: [{ count: disks, type: 'instance-store' }],
      },
      items: [book.instances(1, type, 'NFS server')],
      capacityGiB: storeGiB,
    };
  },
};

export const NFS_RULES: readonly DesignRule[] = [onVolumes, onInstanceStore];
