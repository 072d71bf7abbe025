import { Stack, Tags, Token } from 'aws-cdk-lib';
import { AutoScalingGroup, type IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnInstance, type Connections } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import type { Io2BlockExpressGfs2 } from '../io2-block-express-gfs2';
import type { NfsStorageServer } from '../nfs-storage-server';
import type { TagSelector } from '../private/benchmark-definition';
import { TIER_TAG } from '../private/tags';
import { invalid } from '../private/validation';
import type { SasGridCluster } from '../sas-grid-cluster';
import type { VolumeReattachment } from '../volume-reattachment';
import { instanceTypesOfGroup } from './types-in-tree';

/** What is known of hosts that are found by a tag. */
export interface TaggedBenchmarkHostsProps {
  /**
   * The roles of the hosts. They get the right to put what a test prints into the benchmark's bucket. Without it the results are cut off after
   * 24,000 characters, which is what Systems Manager itself keeps.
   *
   * @default - none: give them the right with `StorageBenchmark.grantHost`
   */
  readonly roles?: IRole[];

  /**
   * The types of the hosts, one for each of them, such as `['m6in.8xlarge', 'm6in.8xlarge']`: for the estimate at synthesis.
   *
   * @default - not known: there is no estimate before a run
   */
  readonly instanceTypes?: string[];
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
  /** The nodes of a grid. They get a tag, without interruption. */
  static cluster(cluster: SasGridCluster, props: ClusterBenchmarkHostsProps = {}): BenchmarkHosts {
    const hosts = props.controlServer ? cluster.servers : cluster.nodes;
    const types = typesOfInstances(hosts);
    return new BenchmarkHosts([marked(hosts)], [cluster.role], types, hosts, [cluster.connections]);
  }

  /**
   * Instances of the app. They get a tag, without interruption.
   *
   * @param hosts constructs with EC2 instances in them
   * @param roles their roles, which get the right to put results into the bucket
   * @throws when no instance is in them
   */
  static instances(hosts: IConstruct[], roles: IRole[]): BenchmarkHosts {
    const types = typesOfInstances(hosts);
    if (types.length === 0) {
      const where = hosts.map((host) => host.node.path).join(', ');
      const fix = 'For an Auto Scaling group there is BenchmarkHosts.autoScalingGroup(...).';
      throw invalid(undefined, 'The hosts', where, 'constructs with EC2 instances in them', fix);
    }
    return new BenchmarkHosts([marked(hosts)], roles, types, hosts);
  }

  /**
   * The members of an Auto Scaling group.
   *
   * @param group the group; its role is known when it was made in this app
   */
  static autoScalingGroup(group: IAutoScalingGroup): BenchmarkHosts {
    const roles = group instanceof AutoScalingGroup ? [group.role] : [];
    return new BenchmarkHosts([inGroup(group.autoScalingGroupName)], roles, instanceTypesOfGroup(group), [
      group,
    ]);
  }

  /** The servers of a tier, such as the object storage servers of Lustre: `BenchmarkHosts.tier(lustre.oss)`. */
  static tier(tier: VolumeReattachment): BenchmarkHosts {
    const types = instanceTypesOfGroup(tier.autoScalingGroup, tier.slots.length);
    const selector: Selector = ({ scope }) => ({ key: TIER_TAG, values: [tier._tierTagIn(scope)] });
    return new BenchmarkHosts([selector], [tier.role], types, [tier.served]);
  }

  /** An NFS server, as a storage server: it has the devices that `StorageTest.rawDevice()` reads. */
  static nfs(server: NfsStorageServer): BenchmarkHosts {
    if (server.reattachment) return BenchmarkHosts.tier(server.reattachment);
    const selector = inGroup(server.autoScalingGroupName);
    return new BenchmarkHosts([selector], [server.role], [server.instanceType.toString()], [server]);
  }

  /** The hosts that have io2 volumes themselves. */
  static io2(fileSystem: Io2BlockExpressGfs2): BenchmarkHosts {
    if (fileSystem.tier) return BenchmarkHosts.tier(fileSystem.tier);
    return BenchmarkHosts.all(
      ...fileSystem.hosts.map(({ autoScalingGroup }) => BenchmarkHosts.autoScalingGroup(autoScalingGroup)),
    );
  }

  /** Hosts that have a tag, wherever they come from. They need the agent of Systems Manager. */
  static tagged(key: string, value: string, props: TaggedBenchmarkHostsProps = {}): BenchmarkHosts {
    return new BenchmarkHosts([() => ({ key, values: [value] })], props.roles ?? [], props.instanceTypes, []);
  }

  /** Several kinds of hosts. */
  static all(...hosts: BenchmarkHosts[]): BenchmarkHosts {
    const types = hosts.map(({ _instanceTypes }) => _instanceTypes);
    return new BenchmarkHosts(
      hosts.flatMap(({ selectors }) => selectors),
      [...new Set(hosts.flatMap(({ _roles }) => _roles))],
      types.every((each) => each !== undefined) ? types.flat() : undefined,
      hosts.flatMap(({ _after }) => _after),
      hosts.flatMap(({ _connections }) => _connections),
    );
  }

  private constructor(
    private readonly selectors: Selector[],
    /** @internal */
    readonly _roles: IRole[],
    /** @internal */
    readonly _instanceTypes: string[] | undefined,
    /** @internal */
    readonly _after: IConstruct[],
    /**
     * Their security groups, as far as they are known.
     *
     * @internal
     */
    readonly _connections: Connections[] = [],
  ) {}

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

type Selector = (benchmark: { scope: IConstruct; key: string; value: string }) => TagSelector;

const marked =
  (hosts: IConstruct[]): Selector =>
  ({ key, value }) => {
    for (const host of hosts) Tags.of(host).add(key, value, { includeResourceTypes: ['AWS::EC2::Instance'] });
    return { key, values: [value] };
  };

/** Auto Scaling itself sets this tag, on members that are there already, too: one of ours would come with the next launch only. */
const inGroup =
  (name: string): Selector =>
  () => ({ key: 'aws:autoscaling:groupName', values: [name] });

function typesOfInstances(hosts: IConstruct[]): string[] {
  return hosts
    .flatMap((host) => host.node.findAll())
    .filter((node) => CfnInstance.isCfnInstance(node))
    .map((instance) => instance.instanceType ?? '')
    .map((type) => (Token.isUnresolved(type) ? '' : type));
}
