import { Annotations, SizeRoundingBehavior, Token } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import { requireMountPoint } from '../shared-file-system/mount-point';
import {
  ebsVolumeLimits,
  ebsVolumeProblems,
  IO2_ADJUSTMENT_PERCENT,
  instanceTypeFacts,
  io2Layout,
  MEMORY_PER_CORE_GIB,
  MULTI_ATTACH_NODES,
  maxDataVolumes,
} from '../sizing';
import { checkCluster } from './cluster-checks';
import type { Io2BlockExpressGfs2Props, Io2Volumes } from './props';

/** Everything about the volumes, checked. */
export interface CheckedCluster {
  readonly nodeCount: number;
  readonly instanceType: ec2.InstanceType;
  readonly throughputMBps: number;
  readonly volumes: Io2Volumes;
  readonly mountPoint: string;
  readonly stripeKiB: number;
  readonly readAheadKiB: number;
}

/** The host's own interface and the one with the fixed address. */
const INTERFACES = 2;

/** What hosts find by the names /dev/sdf to /dev/sdp; more volumes than this deliver more than any instance takes. */
const MAX_VOLUMES = 11;

/** Checks what no other construct checks, and fills in the defaults. */
export function checkedCluster(
  scope: IConstruct,
  props: Io2BlockExpressGfs2Props,
  instanceType: ec2.InstanceType,
): CheckedCluster {
  const nodeCount = props.nodeCount ?? 1;
  if (Token.isUnresolved(nodeCount)) {
    throw invalid(
      scope,
      'nodeCount',
      'a token',
      'a number known at synthesis',
      'It decides which file system it is.',
    );
  }
  requireInteger(
    scope,
    'nodeCount',
    nodeCount,
    1,
    MULTI_ATTACH_NODES.max,
    'One host has XFS, 2 to 16 share GFS2; for more use IntelLustre.',
  );
  const mountPoint = props.mountPoint ?? '/sasdata';
  requireMountPoint(scope, 'mountPoint', mountPoint);
  requireInteger(
    scope,
    'iopsAdjustment in percent',
    props.iopsAdjustment,
    -IO2_ADJUSTMENT_PERCENT,
    IO2_ADJUSTMENT_PERCENT,
    'Paper 004 re-tests with up to 10 percent more or less; for more change throughputMBps.',
  );
  checkType(scope, instanceType, nodeCount);
  const throughputMBps = throughput(scope, props, instanceType, nodeCount);
  const volumes = checkedVolumes(scope, props, instanceType, throughputMBps);
  if (nodeCount === 1) refuseForOne(scope, props);
  else checkCluster(scope, props, volumes);
  return {
    nodeCount,
    instanceType,
    throughputMBps,
    volumes,
    mountPoint,
    stripeKiB: stripe(scope, props),
    readAheadKiB: readAhead(scope, props, nodeCount),
  };
}

function checkType(scope: IConstruct, instanceType: ec2.InstanceType, nodeCount: number): void {
  const name = instanceType.toString();
  const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
  if (!facts) return;
  if (facts.hypervisor === 'xen') {
    const why =
      nodeCount > 1
        ? 'Multi-Attach and the identity of volumes need Nitro'
        : 'hosts know volumes by their NVMe identity';
    throw invalid(scope, 'instanceType', name, 'a Nitro type', `Use R5b or newer: ${why}.`);
  }
  const perCore = facts.memoryGiB / facts.cores;
  if (perCore >= MEMORY_PER_CORE_GIB) return;
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:littleMemory',
    `${name} has ${perCore} GiB of memory for each physical core; SAS wants ${MEMORY_PER_CORE_GIB} or more ` +
      '(paper 004).',
  );
}

function throughput(
  scope: IConstruct,
  props: Io2BlockExpressGfs2Props,
  instanceType: ec2.InstanceType,
  nodeCount: number,
): number {
  const most = (ebsVolumeLimits('io2')?.maxThroughputMiBps ?? 0) * MAX_VOLUMES;
  const name = instanceType.toString();
  if (props.throughputMBps !== undefined) {
    if (Token.isUnresolved(props.throughputMBps)) {
      const fix = 'It decides how many volumes there are.';
      throw invalid(scope, 'throughputMBps', 'a token', 'a number known at synthesis', fix);
    }
    requireInteger(scope, 'throughputMBps', props.throughputMBps, 26, most, 'Give MB/s, for example 3750.');
    return props.throughputMBps;
  }
  const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
  if (!facts?.ebs) {
    throw invalid(
      scope,
      'throughputMBps',
      undefined,
      `a number where the EBS throughput of the instance type is not known, as of ${name}`,
      'Name what EBS gives the type, in MB/s (Amazon EC2 User Guide, "EBS optimization").',
    );
  }
  return (facts.ebs.maximumMbps / 8) * nodeCount;
}

function checkedVolumes(
  scope: IConstruct,
  props: Io2BlockExpressGfs2Props,
  instanceType: ec2.InstanceType,
  throughputMBps: number,
): Io2Volumes {
  if (props.size.isUnresolved()) {
    throw invalid(scope, 'size', 'a token', 'a size known at synthesis', 'Volumes get equal shares of it.');
  }
  const { volumes, sizeGiB, iops } = io2Layout({
    throughputMBps,
    sizeGiB: props.size.toGibibytes({ rounding: SizeRoundingBehavior.NONE }),
    adjustmentPercent: props.iopsAdjustment,
  });
  const count = props.existingVolumes?.length ?? volumes;
  const name = instanceType.toString();
  const most = Math.min(MAX_VOLUMES, (isConcrete(name) && maxDataVolumes(name, INTERFACES)) || MAX_VOLUMES);
  requireInteger(
    scope,
    `The number of volumes for ${throughputMBps} MB/s`,
    count,
    1,
    most,
    'Ask for less throughput, or use IntelLustre, which adds servers.',
  );
  const [problem] = ebsVolumeProblems({ type: 'io2', sizeGiB, iops });
  if (problem) {
    const shares = volumes > 1 ? ` (${volumes} equal shares of size)` : '';
    throw invalid(scope, `${problem.what}${shares}`, problem.value, problem.allowed, problem.fix);
  }
  return { count, sizeGiB, iops };
}

function refuseForOne(scope: IConstruct, props: Io2BlockExpressGfs2Props): void {
  const only = ['deployedVolumes', 'clusterName', 'fencing', 'nodeNamePrefix', 'mountTimeout'] as const;
  for (const name of only) {
    if (props[name] === undefined) continue;
    throw invalid(
      scope,
      name,
      name === 'mountTimeout' ? props[name]!.toHumanString() : props[name],
      'nothing for one host',
      'Leave it out, or give nodeCount 2 to 16.',
    );
  }
}

function stripe(scope: IConstruct, props: Io2BlockExpressGfs2Props): number {
  const kib = props.stripe?.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) ?? 1024;
  if (!Number.isInteger(Math.log2(kib)) || kib < 4 || kib > 4 * 1024 * 1024) {
    throw invalid(scope, 'stripe in KiB', kib, 'a power of two from 4 to 4194304', 'Paper 004 uses 1 MiB.');
  }
  return kib;
}

function readAhead(scope: IConstruct, props: Io2BlockExpressGfs2Props, nodeCount: number): number {
  if (props.readAhead && nodeCount > 1) {
    throw invalid(scope, 'readAhead', props.readAhead.toString(), 'nothing for a cluster', 'Leave it out.');
  }
  const kib = props.readAhead?.toKibibytes({ rounding: SizeRoundingBehavior.NONE }) ?? 256;
  requireInteger(scope, 'readAhead in KiB', kib, 4, 65_536, 'Paper 004 uses 256 KiB.');
  return kib;
}
