import { SHARED_INTERFACE } from '../data/throughput-rules';
import type { InstanceTypeFacts } from '../facts';
import type { Limit, LimitName, StorageDevices } from './configuration';
import { type Both, disksMBps, volumeMBps } from './devices';

/** The machines that have the devices: servers, or the hosts themselves. */
export interface Machines {
  readonly count: number;
  /** `server` or `host`, for the texts. */
  readonly noun: string;
  /** Undefined when the type is not in the tables. */
  readonly facts?: InstanceTypeFacts;
  readonly devices: readonly StorageDevices[];
  /** All machines have the same volumes: they count once. */
  readonly sharedVolumes: boolean;
  readonly credits: 'full' | 'spent';
  /** Clients reach the devices through the machines' network. */
  readonly served: boolean;
}

/** The limits of machines, and sentences about those that are not known. */
export function limitsOfMachines(machines: Machines): { limits: Limit[]; unknown: string[] } {
  const found = [...ofDevices(machines), ...ofLines(machines)];
  return {
    limits: found.filter((one): one is Limit => typeof one !== 'string'),
    unknown: found.filter((one): one is string => typeof one === 'string'),
  };
}

/** A limit of several machines (or other things), each of which has so much. */
export function limitOf(
  name: LimitName,
  line: boolean,
  count: number,
  noun: string,
  each: Both,
  what: string,
): Limit {
  return {
    name,
    line,
    readMBps: count * each.readMBps,
    writeMBps: count * each.writeMBps,
    text: `${count} ${noun}${count === 1 ? '' : 's'} x ${bothText(each)}: ${what}`,
  };
}

function bothText({ readMBps, writeMBps }: Both): string {
  const [read, write] = [Math.round(readMBps), Math.round(writeMBps)];
  return read === write ? `${read} MB/s` : `${read} MB/s read and ${write} MB/s written`;
}

function isDisk({ type }: StorageDevices): boolean {
  return type === 'instance-store';
}

function ofDevices(machines: Machines): (Limit | string)[] {
  const { count, noun, facts, credits, sharedVolumes } = machines;
  const disks = machines.devices.filter(isDisk);
  const volumes = machines.devices.filter((group) => !isDisk(group));
  const found: (Limit | string)[] = [];
  if (disks.length) {
    const number = disks.reduce((sum, group) => sum + group.count, 0);
    const each = facts && disksMBps(facts, number);
    const type = facts?.name ?? 'this type';
    found.push(
      each
        ? limitOf(
            'devices',
            false,
            count,
            noun,
            each,
            `${number} ${number === 1 ? 'disk' : 'disks'} of the instance store of ${type}`,
          )
        : `What the disks of ${type} deliver is not known.`,
    );
  }
  if (volumes.length) {
    const speeds = volumes.map((group) => [group.count, volumeMBps(group, credits)] as const);
    const what = volumes.map((group) => `${group.count} ${group.type}`).join(' and ');
    const sum = speeds.reduce((total, [number, speed]) => total + number * (speed ?? Number.NaN), 0);
    const machinesOfVolumes = sharedVolumes ? 1 : count;
    found.push(
      Number.isFinite(sum)
        ? limitOf(
            'volumes',
            false,
            machinesOfVolumes,
            sharedVolumes ? 'set of volumes' : noun,
            { readMBps: sum, writeMBps: sum },
            `volumes, ${what}`,
          )
        : `What the volumes (${what}) deliver is not known: their type, size or IOPS are not.`,
    );
  }
  return found;
}

// EBS has bandwidth of its own on all but a few old types (AWS, EBS-optimized instances); there one interface carries
// both (001).
function ofLines({ count, noun, facts, devices, served, credits }: Machines): (Limit | string)[] {
  if (!facts) return ['The bandwidth of a type that is not in the tables is not known.'];
  const withVolumes = devices.some((group) => !isDisk(group));
  const network = facts.networkBaselineMbps;
  const line = (name: LimitName, mbps: number, what: string): Limit =>
    limitOf(name, true, count, noun, { readMBps: mbps / 8, writeMBps: mbps / 8 }, what);
  if (withVolumes && !facts.ebs) {
    if (network === undefined) return [`AWS names no bandwidth for ${facts.name}.`];
    return served
      ? [
          line(
            'shared-interface',
            network * SHARED_INTERFACE.share,
            `the interface of ${facts.name}, which volumes and clients share`,
          ),
        ]
      : [line('ebs-bandwidth', network, `the interface of ${facts.name}, which its volumes use`)];
  }
  const found: (Limit | string)[] = [];
  if (withVolumes) {
    const mbps = credits === 'full' ? facts.ebs!.maximumMbps : facts.ebs!.baselineMbps;
    found.push(line('ebs-bandwidth', mbps, `EBS bandwidth of ${facts.name}`));
  }
  if (served) {
    found.push(
      network === undefined
        ? `AWS names no number for the network of ${facts.name}.`
        : line('server-network', network, `network of ${facts.name}`),
    );
  }
  return found;
}
