import type { CapacityAndThroughputPrice } from '../../data/prices';
import { FSX_ONTAP, FSX_OPENZFS } from '../../managed-file-systems';
import type { CostItem } from '../cost';
import type { DesignRule } from '../design';
import { mbpsText } from '../text';
import { AVAILABILITY, type Availability, DURABILITY, type Durability, type Need } from '../wish';

/** What a deployment type guarantees. */
interface Guarantee {
  readonly durability: Durability;
  readonly availability: Availability;
}

/** One way to buy a file system. */
interface Offer extends Guarantee {
  readonly deployment: string;
  readonly capacityGiB: number;
  readonly throughputMBps: number;
  readonly pairs: number;
}

// FSx guides: one file server that is replaced; two in one zone, of which one takes over; two in two zones.
const OPENZFS: { readonly [deployment: string]: Guarantee } = {
  SINGLE_AZ_1: { durability: 'zone', availability: 'replaced' },
  SINGLE_AZ_2: { durability: 'zone', availability: 'replaced' },
  SINGLE_AZ_HA_1: { durability: 'zone', availability: 'standby' },
  SINGLE_AZ_HA_2: { durability: 'zone', availability: 'standby' },
  MULTI_AZ_1: { durability: 'region', availability: 'multi-zone' },
};

function ontapGuarantee(deployment: string): Guarantee {
  return deployment.startsWith('MULTI')
    ? { durability: 'region', availability: 'multi-zone' }
    : { durability: 'zone', availability: 'standby' };
}

function enough({ durability, availability }: Guarantee, need: Need): boolean {
  return (
    DURABILITY.indexOf(durability) >= DURABILITY.indexOf(need.durability) &&
    AVAILABILITY.indexOf(availability) >= AVAILABILITY.indexOf(need.availability)
  );
}

function openZfsOffers(need: Need): Offer[] {
  const capacityGiB = Math.max(FSX_OPENZFS.minCapacityGiB, need.capacityGiB);
  if (capacityGiB > FSX_OPENZFS.maxCapacityGiB) return [];
  return Object.entries(FSX_OPENZFS.throughputMBps).flatMap(([deployment, speeds]) => {
    const throughputMBps = speeds.find((speed) => speed >= need.sharedMBps);
    return throughputMBps === undefined
      ? []
      : [{ deployment, capacityGiB, throughputMBps, pairs: 1, ...OPENZFS[deployment]! }];
  });
}

function ontapOffers(need: Need): Offer[] {
  return Object.entries(FSX_ONTAP.deployments).flatMap(([deployment, limits]) => {
    const offers: Offer[] = [];
    for (let pairs = 1; pairs <= limits.maxHaPairs; pairs++) {
      const capacityGiB = Math.max(need.capacityGiB, pairs * FSX_ONTAP.minCapacityGiBPerPair);
      const most = Math.min(pairs * limits.maxCapacityGiBPerPair, FSX_ONTAP.maxCapacityGiB);
      const speed = limits.throughputMBps.find((one) => one * pairs >= need.sharedMBps);
      if (speed === undefined || capacityGiB > most) continue;
      const throughputMBps = speed * pairs;
      offers.push({ deployment, capacityGiB, throughputMBps, pairs, ...ontapGuarantee(deployment) });
    }
    return offers;
  });
}

type Prices = { readonly [deployment: string]: CapacityAndThroughputPrice } | undefined;

function itemsOf({ deployment, capacityGiB, throughputMBps }: Offer, prices: Prices): CostItem[] {
  const price = prices?.[deployment];
  return [
    { what: `${capacityGiB} GiB SSD, ${deployment}`, usd: price && capacityGiB * price.gbMonth },
    { what: `${throughputMBps} MB/s`, usd: price && throughputMBps * price.mbpsMonth },
  ];
}

function monthly(offer: Offer, prices: Prices): number {
  return itemsOf(offer, prices).reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

const HEADLINE =
  'AWS names one number for its throughput. What is not in its cache is bounded by disks and IOPS as well: ' +
  'measure before you rely on it.';

function rule(
  about: Pick<DesignRule, 'id' | 'title' | 'recovery'>,
  kind: string,
  offersFor: (need: Need) => Offer[],
  pricesIn: 'fsxOpenZfs' | 'fsxOntap',
): DesignRule {
  return {
    ...about,
    durability: 'region',
    availability: 'multi-zone',
    overNetwork: true,
    choose: (need, book) => {
      const ranking = book.forChoice().managed[pricesIn]?.deployments;
      const offers = offersFor(need).filter((offer) => enough(offer, need));
      const [best] = offers
        .map((offer) => ({ offer, usd: monthly(offer, ranking) }))
        .sort((a, b) => a.usd - b.usd || a.offer.throughputMBps - b.offer.throughputMBps);
      if (!best) {
        return (
          `No deployment type has ${mbpsText(need.sharedMBps)} and ${need.capacityTB} TB at '${need.durability}', ` +
          `'${need.availability}'.`
        );
      }
      const { deployment, capacityGiB, throughputMBps, pairs, durability, availability } = best.offer;
      return {
        storage: { kind, servers: 0, devices: [], provisionedMBps: throughputMBps },
        managed: [
          deployment,
          ...(pairs > 1 ? [`${pairs} HA pairs`] : []),
          `${capacityGiB} GiB`,
          `${throughputMBps} MB/s`,
        ].join(', '),
        items: itemsOf(best.offer, book.managed[pricesIn]?.deployments),
        capacityGiB,
        durability,
        availability,
        notes: [HEADLINE],
      };
    },
  };
}

export const MANAGED_RULES: readonly DesignRule[] = [
  rule(
    {
      id: 'fsx-openzfs',
      title: 'FSx for OpenZFS',
      recovery: 'AWS replaces the file server, or its partner takes over; hosts wait and go on.',
    },
    'fsx-openzfs',
    openZfsOffers,
    'fsxOpenZfs',
  ),
  rule(
    {
      id: 'fsx-ontap',
      title: 'FSx for NetApp ONTAP',
      recovery: 'The partner of a file server takes over within a minute; hosts wait and go on.',
    },
    'fsx-ontap',
    ontapOffers,
    'fsxOntap',
  ),
];
