import { LUSTRE_CURRENT, type LustreTierNumbers } from '../../data/lustre-presets';
import type { KnownStorage } from '../configuration';
import type { CostItem } from '../cost';
import type { Choice, DesignRule } from '../design';
import type { PriceBook } from '../price-book';
import { mbpsText } from '../text';
import type { Need } from '../wish';
import { DISK_SERVERS, passesOn, VOLUME_SERVERS } from './servers';
import { largestVolume, mostOfVolume, type Volume, volumeFor } from './volumes';

/** The largest number of object storage servers that was deployed (to the embedded AWS: docs/performance.md). */
const MOST_SERVERS = 128;

// Ours: a server with several targets and hundreds of service threads wants memory, and many small servers want looking
// after.
const LEAST_MEMORY_GIB = 32;
const LARGE_VOLUME_SERVERS = VOLUME_SERVERS.filter(({ memoryGiB }) => memoryGiB >= LEAST_MEMORY_GIB);
const LARGE_DISK_SERVERS = DISK_SERVERS.filter(({ memoryGiB }) => memoryGiB >= LEAST_MEMORY_GIB);

const VOLUMES_OF_SERVER = [1, 2, 3, 4, 6, 8, 12, 16, 24];

const RECOVERY =
  'A server that fails is replaced; its volumes and its address go to the new one, and hosts wait and go on.';
const RECOVERY_EMPTY =
  'A server that fails takes the files on its disks with it: the file system is made anew and filled again.';

/** Lustre on servers of one's own, on EBS volumes. Throughput goes with the number of servers (001, 002). */
function onVolumes(volumeType: 'gp3' | 'io2'): DesignRule {
  return {
    id: `lustre-${volumeType}`,
    title: `Lustre on EC2, ${volumeType}`,
    durability: 'zone',
    availability: 'replaced',
    recovery: RECOVERY,
    overNetwork: true,
    choose: (need, book) => {
      const best = cheapest(need, book.forChoice(), volumeType);
      if (!best) return tooMany(need);
      const { servers, serverType, count, volume } = best;
      return {
        storage: lustre(servers, serverType, { count, ...volume }),
        items: [
          book.instances(servers, serverType, 'OSS'),
          book.volumes(servers * count, volume, 'OSS'),
          ...management(book),
        ],
        capacityGiB: servers * count * volume.sizeGiB!,
      };
    },
  };
}

interface Layout {
  readonly usd: number;
  readonly servers: number;
  readonly serverType: string;
  /** Volumes of one server. */
  readonly count: number;
  readonly volume: Volume;
}

/** For each type and number of volumes all numbers of servers that may be the cheapest. */
function cheapest(need: Need, book: PriceBook, type: 'gp3' | 'io2'): Layout | undefined {
  const { sharedMBps, capacityGiB } = need;
  // No layout is cheaper than its servers and what has to be stored.
  const stored = book.volumeUsd({ type, sizeGiB: capacityGiB }) ?? 0;
  let best: Layout | undefined;
  for (const server of LARGE_VOLUME_SERVERS) {
    const month = book.monthOf(server.type);
    for (const count of VOLUMES_OF_SERVER) {
      if (count > server.mostVolumes) break;
      const mbps = Math.min(server.mbps, count * mostOfVolume(type));
      const fewest = Math.max(
        1,
        Math.ceil(sharedMBps / mbps),
        Math.ceil(capacityGiB / (count * largestVolume(type))),
      );
      // Another server seldom pays: its volumes bring throughput with them that others would have to be bought with.
      for (let servers = fewest; servers <= MOST_SERVERS; servers++) {
        if (best && servers * month + stored >= best.usd) break;
        const all = servers * count;
        const volume = volumeFor(type, capacityGiB / all, sharedMBps / all);
        if (!volume) continue;
        const usd = servers * month + all * (book.volumeUsd(volume) ?? 0);
        if (!best || usd < best.usd) best = { usd, servers, serverType: server.type, count, volume };
      }
    }
  }
  return best;
}

/** Lustre on the instance store of its servers: fast and for scratch. */
const onInstanceStore: DesignRule = {
  id: 'lustre-instance-store',
  title: 'Lustre on EC2, instance store',
  durability: 'scratch',
  availability: 'restore',
  recovery: RECOVERY_EMPTY,
  overNetwork: true,
  choose: (need, book): Choice | string => {
    const prices = book.forChoice();
    let best: { usd: number; servers: number; server: (typeof LARGE_DISK_SERVERS)[number] } | undefined;
    for (const server of LARGE_DISK_SERVERS) {
      const servers = Math.max(
        1,
        Math.ceil(need.sharedMBps / passesOn(server, need.readShare)),
        Math.ceil(need.capacityGiB / server.storeGiB),
      );
      const usd = servers * prices.monthOf(server.type);
      if (servers <= MOST_SERVERS && (!best || usd < best.usd)) best = { usd, servers, server };
    }
    if (!best) return tooMany(need);
    const { servers, server } = best;
    return {
      storage: lustre(servers, server.type, { count: server.disks, type: 'instance-store' }),
      items: [book.instances(servers, server.type, 'OSS'), ...management(book)],
      capacityGiB: servers * server.storeGiB,
    };
  },
};

function lustre(servers: number, serverType: string, devices: KnownStorage['devices'][number]): KnownStorage {
  return { kind: 'lustre', servers, serverType, devices: [devices] };
}

// MGS and MDS of the preset LustrePreset.current().
function management(book: PriceBook): CostItem[] {
  const tier = (
    { servers, serverType, volumesPerServer, volume }: LustreTierNumbers,
    purpose: string,
  ): CostItem[] => [
    book.instances(servers, serverType, purpose),
    book.volumes(servers * volumesPerServer, volume, purpose),
  ];
  return [...tier(LUSTRE_CURRENT.mgs, 'MGS'), ...tier(LUSTRE_CURRENT.mds, 'MDS')];
}

function tooMany({ sharedMBps, capacityTB }: Need): string {
  return `${mbpsText(sharedMBps)} and ${capacityTB} TB take more than ${MOST_SERVERS} servers; more were never tried.`;
}

export const LUSTRE_RULES: readonly DesignRule[] = [onVolumes('gp3'), onVolumes('io2'), onInstanceStore];
