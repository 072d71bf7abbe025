import { Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { checkSignalTimeout } from '../private/resource-signal';
import { invalid, isConcrete } from '../private/validation';
import { checkRestoredSet } from '../volume-reattachment/volume-checks';
import { Gfs2OperatingSystem, type Io2BlockExpressGfs2Props, type Io2Volumes } from './props';

/** Checks what only a cluster has. */
export function checkCluster(scope: IConstruct, props: Io2BlockExpressGfs2Props, volumes: Io2Volumes): void {
  for (const name of ['recoveryTimeout', 'schedule'] as const) {
    if (props[name] === undefined) continue;
    throw invalid(
      scope,
      name,
      props[name]!.toHumanString(),
      'nothing for a cluster',
      'Leave it out: a node comes back by itself.',
    );
  }
  if (props.healthProbe !== undefined) {
    const fix = 'Leave it out: Pacemaker watches the nodes.';
    throw invalid(scope, 'healthProbe', props.healthProbe, 'nothing for a cluster', fix);
  }
  checkName(
    scope,
    'clusterName',
    props.clusterName,
    /^[a-z][a-z0-9_]{0,31}$/,
    "a lower-case letter, then at most 31 lower-case letters, digits or '_'",
  );
  checkName(
    scope,
    'nodeNamePrefix',
    props.nodeNamePrefix,
    /^[a-z][a-z0-9-]{0,39}$/,
    'a lower-case letter, then at most 39 lower-case letters, digits or dashes',
  );
  checkSignalTimeout(scope, 'mountTimeout', props.mountTimeout);
  checkOperatingSystem(scope, props);
  checkRestoredSet(scope, { ...props, slotCount: 1, volumes: { length: volumes.count } });
  checkLists(scope, props);
  checkDeployed(scope, props, volumes);
}

function checkName(
  scope: IConstruct,
  what: string,
  value: string | undefined,
  pattern: RegExp,
  allowed: string,
): void {
  if (value === undefined) return;
  if (Token.isUnresolved(value)) {
    throw invalid(scope, what, 'a token', 'a name known at synthesis', 'Spell it out.');
  }
  if (!pattern.test(value)) throw invalid(scope, what, value, allowed, 'Shorten or rename it.');
}

function checkLists(scope: IConstruct, props: Io2BlockExpressGfs2Props): void {
  const lists: [string, string[] | undefined, RegExp, string, number | undefined][] = [
    [
      'addresses',
      props.addresses,
      /^\d{1,3}(\.\d{1,3}){3}$/,
      'IPv4 addresses that differ, one per node',
      props.nodeCount,
    ],
    [
      'existingVolumes',
      props.existingVolumes,
      /^vol-[0-9a-f]{8,17}$/,
      'ids such as vol-0123456789abcdef0 that differ',
      undefined,
    ],
  ];
  for (const [what, list, pattern, allowed, count] of lists) {
    if (list === undefined) continue;
    if (Token.isUnresolved(list)) {
      throw invalid(
        scope,
        what,
        'a token',
        'a list whose length is known at synthesis',
        'Spell it out; what is in it may be tokens.',
      );
    }
    if (count !== undefined && list.length !== count) {
      throw invalid(
        scope,
        `The number of ${what}`,
        list.length,
        `${count}, one per node`,
        'Name them all, in order.',
      );
    }
    const known = list.filter(isConcrete);
    const bad = known.find((value, index) => !pattern.test(value) || known.indexOf(value) !== index);
    if (bad !== undefined) throw invalid(scope, what, bad, allowed, 'Correct it, or leave the list out.');
  }
}

const NO_GFS2 =
  'Amazon Linux never had GFS2 and RHEL 10 removed it. Use RHEL 8 or 9, Debian or Ubuntu; or one host (nodeCount 1).';

/** An image seldom tells what it is; what can be known at synthesis is refused here, the rest by the host. */
function checkOperatingSystem(scope: IConstruct, props: Io2BlockExpressGfs2Props): void {
  const declared = props.operatingSystem;
  const without = [Gfs2OperatingSystem.RHEL_10, Gfs2OperatingSystem.AMAZON_LINUX];
  if (declared && without.includes(declared)) {
    throw invalid(scope, 'operatingSystem', declared, 'one with GFS2', NO_GFS2);
  }
  const { name, filters } =
    (props.machineImage as { props?: { name?: unknown; filters?: unknown } }).props ?? {};
  const said = JSON.stringify([
    name,
    filters,
    Stack.of(scope).resolve(props.machineImage.getImage(scope).imageId),
  ]);
  if (/amazon-?linux|amzn|al2023/i.test(said) || /rhel[-_]?10/i.test(said)) {
    throw invalid(scope, 'machineImage', said, 'an image of a system with GFS2', NO_GFS2);
  }
}

/**
 * AWS::EC2::Volume, MultiAttachEnabled: CloudFormation changes neither size nor IOPS of such a volume, nor the flag.
 */
function checkDeployed(
  scope: IConstruct,
  { deployedVolumes, existingVolumes }: Io2BlockExpressGfs2Props,
  volumes: Io2Volumes,
): void {
  if (!deployedVolumes || existingVolumes || text(deployedVolumes) === text(volumes)) return;
  throw invalid(
    scope,
    'The set of shared volumes',
    text(volumes),
    `what is deployed, ${text(deployedVolumes)}: CloudFormation cannot change size, IOPS or Multi-Attach of a ` +
      'shared volume',
    'Keep size, throughputMBps and iopsAdjustment so that the volumes stay (name throughputMBps when the type ' +
      'or the number of hosts changes). To change the volumes themselves, name them in existingVolumes, deploy ' +
      '(they are kept, and no longer part of the stack), and use aws ec2 modify-volume; or make a second file ' +
      'system and copy.',
  );
}

const text = ({ count, sizeGiB, iops }: Io2Volumes): string => `${count} x ${sizeGiB} GiB with ${iops} IOPS`;
