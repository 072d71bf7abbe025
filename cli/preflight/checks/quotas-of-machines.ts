import { IOPS_QUOTAS, type Quota, STORAGE_QUOTAS, VCPU_QUOTAS } from '../../../constructs/facts/quotas';
import { instanceTypeFacts } from '../../../constructs/sizing/instance-types';
import { Unchecked } from '../aws/ask';
import { isOwn, type Subject } from '../findings';
import type { Demand } from './demand';

/** Processors of hosts that run, by the quota that their family counts against. */
export async function vcpuDemands(subject: Subject): Promise<Demand[]> {
  const { aws, needs } = subject;
  const hosts = needs.hosts.filter(({ count, type }) => count > 0 && type !== undefined);
  if (hosts.length === 0) return [];
  const running = (await aws.running()).filter((one) => !isOwn(one, subject));
  const types = [...new Set([...hosts.map(({ type }) => type!), ...running.map(({ type }) => type)])];
  const sizes = new Map((await aws.instanceTypes(types)).map(({ type, vcpus }) => [type, vcpus]));
  const demands = new Map<Quota, Demand>();
  const add = (type: string, needed: number, used: number) => {
    const quota = quotaOfType(type);
    const before = demands.get(quota) ?? { quota, needed: 0, used: 0, unit: 'vCPU' };
    demands.set(quota, { ...before, needed: before.needed + needed, used: before.used + used });
  };
  for (const { type, count } of hosts) add(type!, count * vcpusOf(type!, sizes), 0);
  const wanted = [...demands.keys()];
  for (const { type, vcpus } of running) {
    if (wanted.includes(knownQuota(type)!)) add(type, 0, sizes.get(type) ?? vcpus);
  }
  return [...demands.values()];
}

/** @throws Unchecked for a type that neither the region nor the tables of the project know */
function vcpusOf(type: string, sizes: ReadonlyMap<string, number>): number {
  const vcpus = sizes.get(type) ?? instanceTypeFacts(type)?.vcpus;
  if (vcpus === undefined) throw new Unchecked(`it is not known how many vCPUs ${type} has`);
  return vcpus;
}

/** @throws Unchecked for a family of which nothing is known */
function quotaOfType(type: string): Quota {
  const quota = knownQuota(type);
  if (quota) return quota;
  throw new Unchecked(`it is not known which quota of vCPUs ${type} counts against`);
}

function knownQuota(type: string): Quota | undefined {
  const [family = ''] = /^[a-z]+/.exec(type) ?? [];
  return VCPU_QUOTAS.value.find(({ families }) => families.includes(family))?.quota;
}

const GIB_PER_TIB = 1024;

/** Room and operations of volumes, by their type. */
export async function storageDemands(subject: Subject): Promise<Demand[]> {
  const { aws, needs } = subject;
  const types = [...new Set(needs.volumes.map(({ type }) => type))].sort();
  if (types.length === 0) return [];
  const others = (await aws.volumes()).filter((one) => !isOwn(one, subject));
  return types.flatMap((type) => {
    const own = needs.volumes.filter((one) => one.type === type);
    const used = others.filter((one) => one.type === type);
    const unsized = own.some(({ sizeGiB }) => sizeGiB === undefined);
    return [
      ...demand(STORAGE_QUOTAS.value[type], 'TiB', {
        needed: sum(own.map(({ count, sizeGiB = 0 }) => count * sizeGiB)) / GIB_PER_TIB,
        used: sum(used.map(({ sizeGiB }) => sizeGiB)) / GIB_PER_TIB,
        unknown: unsized ? 'volumes need whose size is known at deployment' : undefined,
      }),
      ...demand(IOPS_QUOTAS.value[type], 'IOPS', {
        needed: sum(own.map(({ count, iops = 0 }) => count * iops)),
        used: sum(used.map(({ iops }) => iops)),
      }),
    ];
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function demand(quota: Quota | undefined, unit: string, counted: Omit<Demand, 'quota' | 'unit'>): Demand[] {
  return quota ? [{ quota, unit, ...counted }] : [];
}
