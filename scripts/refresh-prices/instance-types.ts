import { instanceTypeFacts } from '../../constructs/sizing/instance-types';

/** The answer of `aws ec2 describe-instance-types`, as far as it is used here. */
export interface DescribedTypes {
  readonly InstanceTypes: readonly {
    readonly InstanceType: string;
    readonly VCpuInfo?: { readonly DefaultVCpus?: number; readonly DefaultCores?: number };
    readonly MemoryInfo?: { readonly SizeInMiB?: number };
    readonly EbsInfo?: {
      readonly EbsOptimizedInfo?: {
        readonly BaselineBandwidthInMbps?: number;
        readonly MaximumBandwidthInMbps?: number;
      };
    };
    readonly NetworkInfo?: {
      readonly NetworkCards?: readonly { readonly BaselineBandwidthInGbps?: number }[];
    };
    readonly InstanceStorageInfo?: {
      readonly Disks?: readonly { readonly SizeInGB?: number; readonly Count?: number }[];
    };
  }[];
}

const MIB_PER_GIB = 1024;
const MBPS_PER_GBPS = 1000;

/** Where the tables differ from what AWS describes, one line each; types that are not in the tables are left out. */
export function differences({ InstanceTypes }: DescribedTypes): string[] {
  return InstanceTypes.flatMap((type) => {
    const facts = instanceTypeFacts(type.InstanceType);
    if (!facts) return [];
    const cards = type.NetworkInfo?.NetworkCards ?? [];
    const gbps = cards.reduce((sum, card) => sum + (card.BaselineBandwidthInGbps ?? 0), 0);
    const [disk] = type.InstanceStorageInfo?.Disks ?? [];
    const ebs = type.EbsInfo?.EbsOptimizedInfo;
    const pairs: [string, number | undefined, number | undefined][] = [
      ['vCPUs', facts.vcpus, type.VCpuInfo?.DefaultVCpus],
      ['cores', facts.cores, type.VCpuInfo?.DefaultCores],
      ['GiB of memory', facts.memoryGiB, scaled(type.MemoryInfo?.SizeInMiB, 1 / MIB_PER_GIB)],
      ['Mbps to EBS, baseline', facts.ebs?.baselineMbps, ebs?.BaselineBandwidthInMbps],
      ['Mbps to EBS, maximum', facts.ebs?.maximumMbps, ebs?.MaximumBandwidthInMbps],
      ['Mbps of network, baseline', facts.networkBaselineMbps, gbps ? gbps * MBPS_PER_GBPS : undefined],
      ['disks', facts.instanceStore?.disks, disk?.Count],
      ['GB of a disk', facts.instanceStore?.diskSizeGB, disk?.SizeInGB],
    ];
    return pairs
      .filter(([, ours, theirs]) => theirs !== undefined && differs(ours, theirs))
      .map(
        ([what, ours, theirs]) => `${type.InstanceType}: ${what}: ${ours ?? 'none'} here, ${theirs} at AWS`,
      );
  });
}

function scaled(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

// The tables are in whole Mbps; AWS has fractions (1.562 Gbit/s).
function differs(ours: number | undefined, theirs: number): boolean {
  return ours === undefined || Math.abs(ours - theirs) > Math.max(1, theirs * 0.001);
}
