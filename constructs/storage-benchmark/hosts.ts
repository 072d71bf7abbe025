import { Stack } from 'aws-cdk-lib';
import { AutoScalingGroup, type IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { Connections } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { IIo2BlockExpressGfs2 } from '../io2-block-express-gfs2';
import type { INfsStorageServer } from '../nfs-storage-server';
import type { TagSelector, WantedPerCore } from '../private/benchmark-definition';
import { checkArguments } from '../private/inputs/check';
import { addOwnTag } from '../private/last-word';
import { TIER_TAG } from '../private/tags';
import { invalid, isConcrete } from '../private/validation';
import type { ISasGridCluster } from '../sas-grid-cluster';
import type { StorageDevices } from '../shared-file-system';
import type { ThroughputPerCore } from '../throughput';
import type { IVolumeReattachment } from '../volume-reattachment';
import { checkDevices } from './device-checks';
import { hostsOfGroup, hostsOfInstances, hostsOfTier, type KnownHost } from './types-in-tree';

/** What is known of hosts that are found by a tag. */
export interface TaggedBenchmarkHostsProps {
  /**
   * The roles of the hosts. They get the right to put what a test prints into the benchmark's bucket. Without it the
   * results are cut off after 24,000 characters, which is what Systems Manager itself keeps.
   *
   * @default - none: give them the right with `StorageBenchmark.grantHost`
   */
  readonly roles?: IRole[];

  /**
   * The types of the hosts, one for each of them, such as `['m6in.8xlarge', 'm6in.8xlarge']`: for the estimate at
   * synthesis.
   *
   * @default - not known: there is no estimate before a run
   */
  readonly instanceTypes?: string[];

  /**
   * The EBS volumes of each of them besides that of its system, which `StorageTest.rawDevice()` reads: for the estimate
   * at synthesis. A run finds out itself how many there are.
   *
   * @default - not known: one is counted for each host without instance store
   */
  readonly volumes?: StorageDevices[];
}

/** Which servers of a cluster measure. */
export interface ClusterBenchmarkHostsProps {
  /**
   * Whether the control server does, too. It does no SAS work.
   *
   * @default false
   */
  readonly controlServer?: boolean;
}

/** How the hosts of a benchmark are found, each time that it runs. */
export class BenchmarkHosts {
  /**
   * The nodes of a grid. They get a tag, without interruption. What the grid wants by `sharedThroughput` and
   * `temporaryThroughput` is what its paths have to reach, unless they say otherwise.
   */
  static cluster(cluster: ISasGridCluster, props: ClusterBenchmarkHostsProps = {}): BenchmarkHosts {
    ({ cluster, props } = checkArguments('BenchmarkHosts.cluster', { cluster, props }));
    const hosts = props.controlServer ? cluster.servers : cluster.nodes;
    const known = hostsOfInstances(hosts);
    const wanted = {
      shared: mbpsOf(cluster.sharedThroughput),
      temporary: mbpsOf(cluster.temporaryThroughput),
    };
    return new BenchmarkHosts([marked(hosts)], [cluster.role], known, hosts, [cluster.connections], wanted);
  }

  /**
   * Instances of the app. They get a tag, without interruption.
   *
   * @param hosts constructs with EC2 instances in them
   * @param roles their roles, which get the right to put results into the bucket
   * @throws when no instance is in them
   */
  static instances(hosts: IConstruct[], roles: IRole[]): BenchmarkHosts {
    ({ hosts, roles } = checkArguments('BenchmarkHosts.instances', { hosts, roles }));
    const known = hostsOfInstances(hosts);
    if (known.length === 0) {
      const where = hosts.map((host) => host.node.path).join(', ');
      const fix = 'For an Auto Scaling group there is BenchmarkHosts.autoScalingGroup(...).';
      throw invalid(undefined, 'The hosts', where || [], 'constructs with EC2 instances in them', fix);
    }
    return new BenchmarkHosts([marked(hosts)], roles, known, hosts);
  }

  /**
   * The members of an Auto Scaling group.
   *
   * @param group the group; its role is known when it was made in this app
   */
  static autoScalingGroup(group: IAutoScalingGroup): BenchmarkHosts {
    checkArguments('BenchmarkHosts.autoScalingGroup', { group });
    const roles = group instanceof AutoScalingGroup ? [group.role] : [];
    return new BenchmarkHosts([inGroup(group.autoScalingGroupName)], roles, hostsOfGroup(group), [group]);
  }

  /** The servers of a tier, such as the object storage servers of Lustre: `BenchmarkHosts.tier(lustre.oss)`. */
  static tier(tier: IVolumeReattachment): BenchmarkHosts {
    checkArguments('BenchmarkHosts.tier', { tier });
    const selector: Selector = ({ scope }) => ({ key: TIER_TAG, values: [tier._tierTagIn(scope)] });
    return new BenchmarkHosts([selector], [tier.role], hostsOfTier(tier), [tier.served]);
  }

  /** An NFS server, as a storage server: it has the devices that `StorageTest.rawDevice()` reads. */
  static nfs(server: INfsStorageServer): BenchmarkHosts {
    checkArguments('BenchmarkHosts.nfs', { server });
    if (server.reattachment) return BenchmarkHosts.tier(server.reattachment);
    const selector = inGroup(server.autoScalingGroupName);
    const known = { type: server.instanceType.toString(), volumes: [] };
    return new BenchmarkHosts([selector], [server.role], [known], [server]);
  }

  /** The hosts that have io2 volumes themselves. */
  static io2(fileSystem: IIo2BlockExpressGfs2): BenchmarkHosts {
    checkArguments('BenchmarkHosts.io2', { fileSystem });
    if (fileSystem.tier) return BenchmarkHosts.tier(fileSystem.tier);
    // Each of them has all the volumes.
    const { count, sizeGiB, iops } = fileSystem.volumes;
    const volumes = [{ count, type: 'io2', sizeGiB, iops }];
    return BenchmarkHosts.all(
      ...fileSystem.hosts.map(({ autoScalingGroup }) =>
        BenchmarkHosts.autoScalingGroup(autoScalingGroup).withVolumes(volumes),
      ),
    );
  }

  /**
   * Hosts that have a tag, wherever they come from. They need the agent of Systems Manager.
   *
   * @throws when volumes are told that no host has
   */
  static tagged(key: string, value: string, props: TaggedBenchmarkHostsProps = {}): BenchmarkHosts {
    ({ key, value, props } = checkArguments('BenchmarkHosts.tagged', { key, value, props }));
    const { roles = [], instanceTypes, volumes } = props;
    checkDevices(undefined, `${key}=${value}: volumes: `, volumes);
    const known = instanceTypes?.map((type) => ({ type, volumes }));
    return new BenchmarkHosts([() => ({ key, values: [value] })], roles, known, []);
  }

  /**
   * Several kinds of hosts.
   *
   * @throws when there is none
   */
  static all(...hosts: BenchmarkHosts[]): BenchmarkHosts {
    ({ hosts } = checkArguments('BenchmarkHosts.all', { hosts }));
    if (hosts.length === 0) {
      throw invalid(undefined, 'hosts of BenchmarkHosts.all', [], 'one kind of hosts, or more', 'Name them.');
    }
    const known = hosts.map(({ _known }) => _known);
    return new BenchmarkHosts(
      hosts.flatMap(({ selectors }) => selectors),
      [...new Set(hosts.flatMap(({ _roles }) => _roles))],
      known.every((each) => each !== undefined) ? known.flat() : undefined,
      hosts.flatMap(({ _after }) => _after),
      hosts.flatMap(({ _connections }) => _connections),
      { shared: most(hosts, 'shared'), temporary: most(hosts, 'temporary') },
    );
  }

  private constructor(
    private readonly selectors: Selector[],
    /** @internal */
    readonly _roles: IRole[],
    /**
     * Each of them, as far as they are known at synthesis.
     *
     * @internal
     */
    readonly _known: readonly KnownHost[] | undefined,
    /** @internal */
    readonly _after: IConstruct[],
    /**
     * Their security groups, as far as they are known.
     *
     * @internal
     */
    readonly _connections: Connections[] = [],
    /**
     * What a path has to reach that says nothing of its own.
     *
     * @internal
     */
    readonly _wanted: WantedPerCore = {},
  ) {}

  /** The same hosts, with volumes that are attached to them after their launch. */
  private withVolumes(volumes: StorageDevices[]): BenchmarkHosts {
    const known = this._known?.map((host) => ({ ...host, volumes }));
    return new BenchmarkHosts(
      this.selectors,
      this._roles,
      known,
      this._after,
      this._connections,
      this._wanted,
    );
  }

  /**
   * Tags the hosts that have none to be found by, and says what to look for.
   *
   * @internal
   */
  _select(scope: IConstruct, part: string): TagSelector[] {
    const key = `cdk-sas-grid:benchmark-${part}-${scope.node.addr.slice(-8)}`;
    // The name of this stack wherever the tag is: AWS::StackName would be that of the hosts' own.
    const value = Stack.of(scope).stackName;
    return this.selectors.map((selector) => selector({ scope, key, value }));
  }
}

/** A wish that is known at synthesis: a token has no value that a verdict could be made by. */
const mbpsOf = (wish: ThroughputPerCore | undefined): number | undefined =>
  wish && isConcrete(wish.mbpsPerCore) ? wish.mbpsPerCore : undefined;

/** The largest wish of several kinds of hosts; undefined when none has one. */
function most(hosts: BenchmarkHosts[], use: keyof WantedPerCore): number | undefined {
  const wishes = hosts.flatMap(({ _wanted }) => _wanted[use] ?? []);
  return wishes.length ? Math.max(...wishes) : undefined;
}

type Selector = (benchmark: { scope: IConstruct; key: string; value: string }) => TagSelector;

const marked =
  (hosts: IConstruct[]): Selector =>
  ({ key, value }) => {
    for (const host of hosts) addOwnTag(host, key, value, { includeResourceTypes: ['AWS::EC2::Instance'] });
    return { key, values: [value] };
  };

/**
 * Auto Scaling itself sets this tag, on members that are there already, too: one of ours would come with the next
 * launch only.
 */
const inGroup =
  (name: string): Selector =>
  () => ({ key: 'aws:autoscaling:groupName', values: [name] });
