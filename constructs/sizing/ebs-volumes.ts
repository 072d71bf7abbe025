import type { Problem, Source } from './facts';

/** What one EBS volume type allows. Throughput in MiB/s, sizes in GiB. */
export interface EbsVolumeLimits {
  readonly type: string;
  readonly minSizeGiB: number;
  readonly maxSizeGiB: number;
  /** IOPS that a user sets; undefined when the type takes none. */
  readonly iops?: {
    readonly min: number;
    readonly max: number;
    readonly perGiB: number;
    readonly required: boolean;
  };
  /** Throughput that a user sets; undefined when the type takes none. */
  readonly throughput?: { readonly min: number; readonly max: number; readonly perIops: number };
  /** The most that one volume delivers. */
  readonly maxThroughputMiBps: number;
  /** Whether several instances may attach it at once (Multi-Attach). */
  readonly multiAttach: boolean;
}

export const EBS_VOLUME_SOURCES: readonly Source[] = [
  {
    title: 'Amazon EBS volume types (sizes, IOPS, throughput, Multi-Attach)',
    reference: 'https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html',
    checked: '2026-11-20',
  },
  {
    title: 'AWS re:Invent 2025, STG320: gp3 goes to 64 TiB and 80,000 IOPS (and 2,000 MiB/s)',
    reference:
      'https://dev.to/kazuya_dev/aws-reinvent-2025-optimizing-price-performance-with-enhanced-amazon-ebs-gp3-volumes-stg320-3825',
    checked: '2026-11-20',
  },
];

const TIB = 1024;

const LIMITS: readonly EbsVolumeLimits[] = [
  { type: 'gp2', minSizeGiB: 1, maxSizeGiB: 16 * TIB, maxThroughputMiBps: 250, multiAttach: false },
  {
    type: 'gp3',
    minSizeGiB: 1,
    maxSizeGiB: 64 * TIB,
    iops: { min: 3000, max: 80_000, perGiB: 500, required: false },
    throughput: { min: 125, max: 2000, perIops: 0.25 },
    maxThroughputMiBps: 2000,
    multiAttach: false,
  },
  {
    type: 'io1',
    minSizeGiB: 4,
    maxSizeGiB: 16 * TIB,
    iops: { min: 100, max: 64_000, perGiB: 50, required: true },
    maxThroughputMiBps: 1000,
    multiAttach: true,
  },
  {
    type: 'io2',
    minSizeGiB: 4,
    maxSizeGiB: 64 * TIB,
    iops: { min: 100, max: 256_000, perGiB: 1000, required: true },
    maxThroughputMiBps: 4000,
    multiAttach: true,
  },
  { type: 'st1', minSizeGiB: 125, maxSizeGiB: 16 * TIB, maxThroughputMiBps: 500, multiAttach: false },
  { type: 'sc1', minSizeGiB: 125, maxSizeGiB: 16 * TIB, maxThroughputMiBps: 250, multiAttach: false },
];

/** gp3 delivers this without asking for more. */
export const GP3_BASELINE = { iops: 3000, throughputMiBps: 125 } as const;

/** The limits of a volume type, `gp3` for example; undefined when there is no such type here. */
export function ebsVolumeLimits(type: string): EbsVolumeLimits | undefined {
  return LIMITS.find((limits) => limits.type === type);
}

/** A volume as a user asks for it. Leave out what is not known at synthesis: it is then not checked. */
export interface EbsVolumeSpec {
  readonly type: string;
  readonly sizeGiB?: number;
  readonly iops?: number;
  readonly throughputMiBps?: number;
}

/**
 * Compares a volume with the limits of its type.
 *
 * @returns what is wrong with it, nothing when all is well
 */
export function ebsVolumeProblems(spec: EbsVolumeSpec): Problem[] {
  const limits = ebsVolumeLimits(spec.type);
  if (!limits) {
    const known = LIMITS.map(({ type }) => type).join(', ');
    return [{ what: 'volume type', value: spec.type, allowed: known, fix: 'Choose one of these types.' }];
  }
  return [...sizeProblems(spec, limits), ...iopsProblems(spec, limits), ...throughputProblems(spec, limits)];
}

function sizeProblems(
  { type, sizeGiB }: EbsVolumeSpec,
  { minSizeGiB, maxSizeGiB }: EbsVolumeLimits,
): Problem[] {
  if (
    sizeGiB === undefined ||
    (Number.isInteger(sizeGiB) && sizeGiB >= minSizeGiB && sizeGiB <= maxSizeGiB)
  ) {
    return [];
  }
  const roomier = LIMITS.filter((other) => other.maxSizeGiB >= sizeGiB && other.minSizeGiB <= sizeGiB);
  const others = roomier.map((other) => other.type).join(', ');
  return [
    {
      what: `size of a ${type} volume in GiB`,
      value: sizeGiB,
      allowed: `a whole number from ${minSizeGiB} to ${maxSizeGiB}`,
      fix: others && Number.isInteger(sizeGiB) ? `Change the size, or use ${others}.` : 'Change the size.',
    },
  ];
}

function iopsProblems({ type, sizeGiB, iops }: EbsVolumeSpec, limits: EbsVolumeLimits): Problem[] {
  const what = `IOPS of a ${type} volume`;
  const rule = limits.iops;
  if (!rule) {
    const fix = `Leave the IOPS out: those of ${type} follow from its size. gp3, io1 and io2 take a number.`;
    return iops === undefined ? [] : [{ what, value: iops, allowed: 'none', fix }];
  }
  if (iops === undefined) {
    const allowed = `a whole number from ${rule.min} to ${rule.max}`;
    return rule.required ? [{ what, value: iops, allowed, fix: `Give the IOPS: ${type} needs them.` }] : [];
  }
  if (!Number.isInteger(iops) || iops < rule.min || iops > rule.max) {
    const allowed = `a whole number from ${rule.min} to ${rule.max}`;
    return [{ what, value: iops, allowed, fix: 'Change the IOPS, or use more volumes.' }];
  }
  // Every gp3 volume has the baseline, however small it is.
  const most =
    sizeGiB === undefined ? rule.max : Math.max(sizeGiB * rule.perGiB, rule.required ? 0 : rule.min);
  if (iops <= most) return [];
  return [
    {
      what: `${what} of ${sizeGiB} GiB`,
      value: iops,
      allowed: `at most ${most} (${rule.perGiB} per GiB)`,
      fix: `Lower the IOPS, or make the volume at least ${Math.ceil(iops / rule.perGiB)} GiB.`,
    },
  ];
}

function throughputProblems(
  { type, iops, throughputMiBps }: EbsVolumeSpec,
  limits: EbsVolumeLimits,
): Problem[] {
  if (throughputMiBps === undefined) return [];
  const what = `throughput of a ${type} volume in MiB/s`;
  const rule = limits.throughput;
  if (!rule) {
    const fix = 'Leave the throughput out: only gp3 takes a number.';
    return [{ what, value: throughputMiBps, allowed: 'none', fix }];
  }
  if (!Number.isInteger(throughputMiBps) || throughputMiBps < rule.min || throughputMiBps > rule.max) {
    const allowed = `a whole number from ${rule.min} to ${rule.max}`;
    return [{ what, value: throughputMiBps, allowed, fix: 'Change the throughput, or use more volumes.' }];
  }
  const most = Math.floor((iops ?? GP3_BASELINE.iops) * rule.perIops);
  if (throughputMiBps <= most) return [];
  return [
    {
      what: `${what} with ${iops ?? GP3_BASELINE.iops} IOPS`,
      value: throughputMiBps,
      allowed: `at most ${most} (0.25 MiB/s per IOPS)`,
      fix: `Lower the throughput, or provision at least ${Math.ceil(throughputMiBps / rule.perIops)} IOPS.`,
    },
  ];
}
