import type { DiskKind, InstanceTypeFacts } from '../facts';

/** What all types of one family have in common. */
export interface Family {
  readonly name: string;
  /** GiB of memory per vCPU; undefined when the rows give the memory. */
  readonly memoryPerVcpu?: number;
  readonly threadsPerCore: 1 | 2;
  readonly architecture: 'x86_64' | 'arm64';
  readonly hypervisor: 'nitro' | 'xen';
  readonly disks?: DiskKind;
  readonly attachments: 'shared' | 'dedicated' | 'xen';
  readonly clusterPlacementGroup: boolean;
  readonly burstable?: boolean;
  readonly previousGeneration?: boolean;
  /**
   * One line per type: `size vcpus memoryGiB instanceStore ebsMbps networkMbps interfaces`.
   * `memoryGiB` is `*` when it follows from memoryPerVcpu. `instanceStore` is `8x800` (disks x GB) or `-`.
   * `ebsMbps` is `maximum` or `baseline/maximum` or `-` (shares the network). `networkMbps` is a number or `-`.
   */
  readonly types: string;
}

// AWS, EBS volume limits: 28 in all on Nitro types with a shared limit, 32 on bare metal; on Xen more than 40
// volumes are not supported on Linux. Dedicated limits go by size.
const SHARED_LIMIT = 28;
const SHARED_LIMIT_METAL = 32;
const XEN_LIMIT = 40;

function attachmentLimit(family: Family, size: string): InstanceTypeFacts['attachments'] {
  if (family.attachments === 'xen') return { kind: 'dedicated', limit: XEN_LIMIT };
  if (family.attachments === 'shared') {
    return { kind: 'shared', limit: size === 'metal' ? SHARED_LIMIT_METAL : SHARED_LIMIT };
  }
  const multiple = size.endsWith('xlarge') ? Number(size.slice(0, -'xlarge'.length) || 1) : 0;
  const limit = multiple >= 48 ? 128 : multiple >= 24 ? 64 : multiple >= 16 ? 48 : 32;
  return { kind: 'dedicated', limit };
}

function bandwidth(text: string): InstanceTypeFacts['ebs'] {
  if (text === '-') return undefined;
  const [baseline, maximum = baseline] = text.split('/').map(Number);
  return { baselineMbps: baseline!, maximumMbps: maximum! };
}

function instanceStore(family: Family, text: string): InstanceTypeFacts['instanceStore'] {
  if (text === '-') return undefined;
  const [disks, size] = text.split('x').map(Number);
  return { disks: disks!, diskSizeGB: size!, kind: family.disks! };
}

/** The facts of every type of a family, in the order of its lines. */
export function expand(family: Family): InstanceTypeFacts[] {
  const lines = family.types.trim().split('\n');
  return lines.map((line) => {
    const [size, vcpus, memory, store, ebs, network, interfaces] = line.trim().split(/\s+/) as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return {
      name: `${family.name}.${size}`,
      family: family.name,
      vcpus: Number(vcpus),
      cores: Math.max(1, Number(vcpus) / family.threadsPerCore),
      memoryGiB: memory === '*' ? Number(vcpus) * family.memoryPerVcpu! : Number(memory),
      architecture: family.architecture,
      hypervisor: size === 'metal' ? 'none' : family.hypervisor,
      instanceStore: instanceStore(family, store),
      ebs: bandwidth(ebs),
      networkBaselineMbps: network === '-' ? undefined : Number(network),
      attachments: attachmentLimit(family, size),
      maxNetworkInterfaces: Number(interfaces),
      clusterPlacementGroup: family.clusterPlacementGroup,
      burstable: family.burstable ?? false,
      previousGeneration: family.previousGeneration ?? false,
    };
  });
}
