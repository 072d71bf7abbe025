import { FSX_LUSTRE, fsxLustreCapacityFor } from '../../managed-file-systems';
import type { CostItem } from '../cost';
import type { DesignRule } from '../design';
import { mbpsText } from '../text';
import type { Need } from '../wish';

const { throughputTiers, intelligentTiering } = FSX_LUSTRE;
const RECOVERY = 'AWS replaces a file server within minutes; hosts wait and go on.';
const GIB_PER_THROUGHPUT_TIB = 1000;

function reasonAgainst({ sharedMBps }: Need): string | undefined {
  const most = intelligentTiering.maxThroughputMBps;
  return sharedMBps > most
    ? `${mbpsText(sharedMBps)} are more than ${mbpsText(most)}, the most that FSx for Lustre names.`
    : undefined;
}

/** PERSISTENT_2 on SSD: throughput goes with the size, so many MB/s for each TiB. */
function ssd(tier: number): DesignRule {
  return {
    id: `fsx-lustre-ssd-${tier}`,
    title: `FSx for Lustre, SSD, ${tier} MB/s/TiB`,
    durability: 'zone',
    availability: 'replaced',
    recovery: RECOVERY,
    overNetwork: true,
    choose: (need, book) => {
      const reason = reasonAgainst(need);
      if (reason) return reason;
      const wanted = Math.max(need.capacityGiB, (need.sharedMBps / tier) * GIB_PER_THROUGHPUT_TIB);
      const capacityGiB = fsxLustreCapacityFor(wanted);
      const price = book.managed.fsxLustre?.ssdGbMonth[tier];
      const provisionedMBps = (capacityGiB / GIB_PER_THROUGHPUT_TIB) * tier;
      return {
        storage: { kind: 'fsx-lustre', servers: 0, devices: [], provisionedMBps },
        managed: `PERSISTENT_2, SSD, ${capacityGiB} GiB, ${tier} MB/s/TiB`,
        items: [
          {
            what: `${capacityGiB} GiB at ${tier} MB/s/TiB`,
            usd: price === undefined ? undefined : price * capacityGiB,
          },
        ],
        capacityGiB,
      };
    },
  };
}

const tiering: DesignRule = {
  id: 'fsx-lustre-intelligent-tiering',
  title: 'FSx for Lustre, Intelligent-Tiering',
  durability: 'region',
  availability: 'replaced',
  recovery: `${RECOVERY} The data lies in several zones, the servers in one.`,
  overNetwork: true,
  choose: (need, book) => {
    const reason = reasonAgainst(need);
    if (reason) return reason;
    const step = intelligentTiering.throughputStepMBps;
    const provisionedMBps = Math.max(1, Math.ceil(need.sharedMBps / step)) * step;
    const metadata = intelligentTiering.metadataIops[0];
    const price = book.managed.fsxLustre?.intelligentTiering;
    const items: CostItem[] = [
      { what: `${provisionedMBps} MB/s`, usd: price && provisionedMBps * price.mbpsMonth },
      { what: `${metadata} metadata IOPS`, usd: price && metadata * price.metadataIopsMonth },
      { what: `${need.capacityTB} TB in its tiers, requests, and the read cache` },
    ];
    return {
      storage: { kind: 'fsx-lustre', servers: 0, devices: [], provisionedMBps },
      managed: `PERSISTENT_2, INTELLIGENT_TIERING, ${provisionedMBps} MB/s, ${metadata} metadata IOPS`,
      items,
      capacityGiB: need.capacityGiB,
      notes: [
        'What has not been read for long comes with tens of milliseconds of delay and costs by request.',
      ],
    };
  },
};

export const FSX_LUSTRE_RULES: readonly DesignRule[] = [...throughputTiers.map(ssd), tiering];
