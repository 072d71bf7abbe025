import { CfnMapping, type CfnParameter, aws_ec2 as ec2, type Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  type EbsVolumeSpec,
  ebsVolumeLimits,
  GP3_BASELINE,
  instanceTypeFacts,
  interchangeableTypes,
  sustainedServerMBps,
} from '../../constructs/sizing';
import type { DeploymentConfig } from '../config-types';
import type { FileSystemKey } from '../file-systems/keys';
import type { SizableServers } from '../file-systems/made';
import { ROOT_DEVICES } from './grid-parameters';
import type { ProductParameter, ProductRule } from './parameter';

const MIB = 1024 * 1024;

/** The server's own interface and the slot's. */
const INTERFACES = 2;

// What a gp3 volume is offered with, besides what the configuration has; MiB/s.
const THROUGHPUTS = [125, 250, 500, 1000, 2000];

/** Servers with volumes, of which a product lets the size and the speed be chosen. */
export interface SizedTier {
  /** What holds the volumes and the launch templates. */
  readonly roots: readonly IConstruct[];
  /** What becomes of another size: volumes that several hosts share keep theirs. */
  readonly sizeChange: 'grows' | 'refused';
  /** What the console calls its servers. */
  readonly servers: string;
  readonly instanceType: string;
  readonly volume: EbsVolumeSpec & { readonly sizeGiB: number };
  readonly volumesPerServer: number;
}

/** The servers as the constructs have made them; undefined when they have no volumes of their own. */
export function sizedTier(product: Stack, sizable: SizableServers): SizedTier | undefined {
  const { servers } = sizable;
  const root = 'tier' in sizable ? sizable.tier : sizable.cluster;
  const [volume] = volumesOf([root]);
  const [template] = templatesOf([root]);
  if (!volume || !template) return undefined;
  const { volumeType, size, iops, throughput } = product.resolve({
    volumeType: volume.volumeType,
    size: volume.size,
    iops: volume.iops,
    throughput: volume.throughput,
  });
  const volumeIds = 'tier' in sizable ? sizable.tier.slots[0]!.volumeIds : sizable.cluster.volumeIds;
  return {
    roots: [root],
    servers,
    sizeChange: 'tier' in sizable ? 'grows' : 'refused',
    volumesPerServer: volumeIds.length,
    instanceType: product.resolve(template.launchTemplateData).instanceType,
    volume: { type: volumeType, sizeGiB: size, iops, throughputMiBps: throughput },
  };
}

/** Size, speed and server of a tier. Its counts are loops of the template: another count is another product. */
export function tierParameters(tier: SizedTier): ProductParameter[] {
  return [
    volumeSize(tier),
    ...(throughputs(tier).length > 1 ? [throughput(tier)] : []),
    ...(serverTypes(tier).length > 1 ? [serverType(tier)] : []),
  ];
}

/** Volumes are no faster than what their server passes on. */
export function tierRules(tier: SizedTier): ProductRule[] {
  const types = serverTypes(tier);
  return throughputs(tier)
    .map((value) => ({ value, fit: typesFor(tier, value) }))
    .filter(({ fit }) => fit.length > 0 && fit.length < types.length)
    .map(({ value, fit }) => ({
      name: `ServerPassesOn${value}`,
      when: { parameter: 'VolumeThroughput', value: String(value) },
      needs: { parameter: 'ServerInstanceType', oneOf: fit },
      description:
        `${tier.volumesPerServer} volumes of ${value} MiB/s need a server that passes on ` +
        `${Math.round(needed(tier, value))} MB/s all day, such as ${fit[0]}`,
    }));
}

function volumeSize({ volume, servers, volumesPerServer, roots, sizeChange }: SizedTier): ProductParameter {
  const limits = ebsVolumeLimits(volume.type)!;
  // Whatever the speed that is chosen with it, the volume is large enough for it.
  const fastest = Math.max(...throughputsOf(volume).map((value) => iopsFor(volume, value)));
  const forIops = limits.iops ? Math.ceil(Math.max(fastest, volume.iops ?? 0) / limits.iops.perGiB) : 0;
  return {
    name: 'VolumeGiB',
    group: 'Storage',
    label: 'Size of each volume in GiB',
    change: sizeChange,
    definition: {
      type: 'Number',
      default: volume.sizeGiB,
      minValue: Math.max(limits.minSizeGiB, forIops),
      maxValue: limits.maxSizeGiB,
      description:
        `The ${servers} have ${volumesPerServer} ${volumesPerServer === 1 ? 'volume' : 'volumes'} ` +
        (sizeChange === 'grows'
          ? `each (${volume.type}). The file system follows when its server is started or serves anew.`
          : `together (${volume.type}).`),
    },
    apply: (product, { valueAsNumber }) => {
      for (const each of volumesOf(roots)) {
        each.addPropertyOverride('Size', product.resolve(valueAsNumber));
      }
    },
  };
}

function throughput(tier: SizedTier): ProductParameter {
  const { volume } = tier;
  const values = throughputs(tier);
  return {
    name: 'VolumeThroughput',
    group: 'Storage',
    label: 'Throughput of each volume in MiB/s',
    change: 'in-place',
    definition: {
      type: 'String',
      default: String(defaultThroughput(volume)),
      allowedValues: values.map(String),
      description:
        `For each of the ${tier.volumesPerServer} of a server; the operations a second that it takes ` +
        'come with it.',
    },
    apply: (product, parameter) => applyThroughput(product, tier, values, parameter),
  };
}

function applyThroughput(
  product: Stack,
  { roots, volume }: SizedTier,
  values: readonly number[],
  parameter: CfnParameter,
): void {
  const mapping = new CfnMapping(product, 'VolumeSpeeds', {
    mapping: Object.fromEntries(values.map((value) => [String(value), { Iops: iopsFor(volume, value) }])),
  });
  for (const each of volumesOf(roots)) {
    each.addPropertyOverride('Throughput', product.resolve(parameter.valueAsString));
    each.addPropertyOverride('Iops', product.resolve(mapping.findInMap(parameter.valueAsString, 'Iops')));
  }
}

function serverType(tier: SizedTier): ProductParameter {
  return {
    name: 'ServerInstanceType',
    group: 'Storage',
    label: `Type of the ${tier.servers}`,
    change: 'next-server',
    definition: {
      type: 'String',
      default: tier.instanceType,
      allowedValues: serverTypes(tier),
      constraintDescription: 'one of the types with at least the bandwidth of the first one',
      description: `The first one passes on what the volumes deliver; the others no less.`,
    },
    apply: (product, { valueAsString }) => {
      for (const template of templatesOf(tier.roots)) {
        template.addPropertyOverride('LaunchTemplateData.InstanceType', product.resolve(valueAsString));
      }
    },
  };
}

/** The kinds whose servers start from an image that a configuration names. */
type KeyWithImage = {
  [key in FileSystemKey]: 'image' extends keyof NonNullable<DeploymentConfig[key]> ? key : never;
}[FileSystemKey];

/** The image of all storage servers; as a default the one that the configuration names. */
export function serverImage(
  key: KeyWithImage,
  software: string,
  configured: string | undefined,
): ProductParameter[] {
  return [
    {
      name: 'ServerImage',
      group: 'Storage',
      label: 'Image of the storage servers',
      change: 'next-server',
      definition: { type: 'AWS::EC2::Image::Id', default: configured, description: `${software} For x86.` },
      configure: (config, { valueAsString }) => {
        const image = { amiId: valueAsString };
        return { ...config, [key]: { ...config[key], image } };
      },
    },
    {
      name: 'ServerRootDevice',
      group: 'Storage',
      label: 'Root device of that image',
      change: 'next-server',
      definition: {
        type: 'String',
        default: ROOT_DEVICES[0],
        allowedValues: ROOT_DEVICES,
        description: 'What the image calls its root device: /dev/sda1 on RHEL, /dev/xvda on Amazon Linux.',
      },
      apply: (product, { valueAsString }, { fileSystem }) => {
        for (const template of templatesOf([fileSystem])) {
          const path = 'LaunchTemplateData.BlockDeviceMappings.0.DeviceName';
          template.addPropertyOverride(path, product.resolve(valueAsString));
        }
      },
    },
  ];
}

const serverTypes = ({ instanceType, volumesPerServer }: SizedTier): string[] =>
  interchangeableTypes(instanceType, { dataVolumes: volumesPerServer, networkInterfaces: INTERFACES });

const defaultThroughput = (volume: EbsVolumeSpec): number =>
  volume.throughputMiBps ?? GP3_BASELINE.throughputMiBps;

/** Only gp3 has a throughput of its own; elsewhere it follows from size or IOPS. */
function throughputsOf(volume: EbsVolumeSpec): number[] {
  const limits = ebsVolumeLimits(volume.type)?.throughput;
  if (!limits) return [];
  const offered = THROUGHPUTS.filter((value) => value >= limits.min && value <= limits.max);
  return [...new Set([defaultThroughput(volume), ...offered])].sort((a, b) => a - b);
}

/** Those that at least one of the servers passes on; the configuration's own in any case. */
function throughputs(tier: SizedTier): number[] {
  const own = defaultThroughput(tier.volume);
  return throughputsOf(tier.volume).filter((value) => value === own || typesFor(tier, value).length > 0);
}

/** What the configuration has for its own throughput, else what the throughput takes. */
function iopsFor(volume: EbsVolumeSpec, value: number): number {
  const perIops = ebsVolumeLimits(volume.type)!.throughput!.perIops;
  if (value === defaultThroughput(volume)) return volume.iops ?? GP3_BASELINE.iops;
  return Math.max(GP3_BASELINE.iops, Math.ceil(value / perIops));
}

const needed = ({ volumesPerServer }: SizedTier, value: number): number =>
  (volumesPerServer * value * MIB) / 1e6;

/** The servers that pass on as much, or as much as the one of the configuration, which nobody has to justify again. */
function typesFor(tier: SizedTier, value: number): string[] {
  if (value <= defaultThroughput(tier.volume)) return serverTypes(tier);
  return serverTypes(tier).filter((name) => {
    const facts = instanceTypeFacts(name);
    return facts && (sustainedServerMBps(facts, true) ?? 0) >= needed(tier, value);
  });
}

const volumesOf = (roots: readonly IConstruct[]): ec2.CfnVolume[] =>
  roots.flatMap((each) => each.node.findAll().filter((node) => node instanceof ec2.CfnVolume));

const templatesOf = (roots: readonly IConstruct[]): ec2.CfnLaunchTemplate[] => [
  ...new Set(
    roots.flatMap((each) => each.node.findAll().filter((node) => node instanceof ec2.CfnLaunchTemplate)),
  ),
];
