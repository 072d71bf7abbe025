import {
  PUBLISHED_GRID,
  PUBLISHED_IO2,
  PUBLISHED_IOZONE,
  PUBLISHED_IOZONE_CLIENTS,
} from '../data/published-results';
import { NFS_SERVER_SIZES } from '../nfs-server';
import { cachedRead } from './cached';
import type { KnownStorage, Load, Prediction } from './configuration';
import { predict } from './predict';

/** A figure of the papers and what the model says of its configuration. */
export interface Comparison {
  readonly paper: string;
  readonly configuration: string;
  readonly phase: 'write' | 'read' | 'both';
  /** MB/s (10^6 bytes) of all hosts together. */
  readonly measuredMBps: number;
  readonly predictedMBps: number;
  /** The limit that decides. */
  readonly limit: string;
  /** Part of what was measured, below 0 when less is predicted. Undefined: it was read from memory. */
  readonly error?: number;
  /** The model takes a figure from this measurement: that it meets it proves nothing. */
  readonly calibrates: boolean;
}

const KIB_IN_MB = 1024 / 1e6;

/** Every throughput of the papers against the model. Volumes were fresh: they had their credits. */
export function compareWithPapers(): Comparison[] {
  return [...nfs(), ...io2(), ...lustre(), scratch()];
}

function nfs(): Comparison[] {
  const load: Load = {
    hosts: PUBLISHED_IOZONE_CLIENTS.count,
    hostType: PUBLISHED_IOZONE_CLIENTS.type,
    credits: 'full',
  };
  return PUBLISHED_IOZONE.flatMap(({ serverType, devices, count, writeKiBps, readKiBps }) => {
    const sizeGiB = NFS_SERVER_SIZES.find(({ paperType }) => paperType === serverType)?.volumeGiB;
    const group = devices === 'instance-store' ? { count, type: devices } : { count, type: devices, sizeGiB };
    const storage = { kind: 'nfs', servers: 1, serverType, devices: [group] };
    const about = { paper: '003', configuration: `NFS, ${serverType}, ${count} ${devices}`, storage, load };
    // What a disk of D2 delivers is the median of these figures.
    const calibrates = devices === 'instance-store';
    return [
      compare({ ...about, phase: 'write', measuredMBps: writeKiBps * KIB_IN_MB, calibrates }),
      compare({ ...about, phase: 'read', measuredMBps: readKiBps * KIB_IN_MB, calibrates }),
    ];
  });
}

function io2(): Comparison[] {
  return PUBLISHED_IO2.flatMap(({ hostType, cores, terabytes, iops, readMBpsPerCore, writeMBpsPerCore }) => {
    const devices = [{ count: 1, type: 'io2', sizeGiB: terabytes * 1000, iops }];
    const about = {
      paper: '004',
      configuration: `${hostType}, io2, ${iops} IOPS`,
      storage: { kind: 'xfs', servers: 0, devices },
      load: { hosts: 1, hostType },
      calibrates: false,
    };
    return [
      compare({ ...about, phase: 'write', measuredMBps: writeMBpsPerCore * cores }),
      compare({ ...about, phase: 'read', measuredMBps: readMBpsPerCore * cores }),
    ];
  });
}

function lustre(): Comparison[] {
  return PUBLISHED_GRID.shared.map(({ servers, serverType, MBps, hosts }) =>
    compare({
      paper: '002',
      configuration: `Lustre, ${servers} OSS ${serverType}, 8 gp2 each`,
      phase: 'both',
      storage: {
        kind: 'lustre',
        servers,
        serverType,
        devices: [{ count: 8, type: 'gp2', sizeGiB: 750 }],
      },
      load: { hosts, hostType: PUBLISHED_GRID.hostType },
      measuredMBps: MBps,
      // What an interface that carries both is worth is the 500 MB/s of paper 001, which these two bear out.
      calibrates: true,
    }),
  );
}

function scratch(): Comparison {
  const { hostType, temporary } = PUBLISHED_GRID;
  return compare({
    paper: '002',
    configuration: `${hostType}, RAID 0 over ${temporary.disks} disks`,
    phase: 'both',
    storage: {
      kind: 'xfs',
      servers: 0,
      devices: [{ count: temporary.disks, type: 'instance-store' }],
    },
    load: { hosts: 1, hostType },
    measuredMBps: temporary.MBps,
    calibrates: true,
  });
}

interface Measurement
  extends Pick<Comparison, 'paper' | 'configuration' | 'phase' | 'measuredMBps' | 'calibrates'> {
  readonly storage: KnownStorage;
  readonly load: Load;
}

function compare({ storage, load, ...about }: Measurement): Comparison {
  const prediction = predict(storage, load);
  const side = about.phase === 'write' ? 'write' : 'read';
  const predictedMBps = speed(prediction, side);
  const cached = side === 'read' && cachedRead(about.measuredMBps, prediction) !== undefined;
  return {
    ...about,
    predictedMBps,
    limit: prediction.binding[side]?.name ?? '',
    error: cached ? undefined : predictedMBps / about.measuredMBps - 1,
  };
}

function speed({ readMBps, writeMBps }: Prediction, side: 'read' | 'write'): number {
  return (side === 'read' ? readMBps : writeMBps) ?? 0;
}
