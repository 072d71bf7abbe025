import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { IEphemeralScratch } from '../ephemeral-scratch';
import { isConcrete } from '../private/validation';
import type { StorageDescription } from '../shared-file-system';
import { instanceTypeFacts } from '../sizing';
import type { PredictedThroughput } from '../throughput';
import { checkDemand } from '../throughput/demand';
import { type Hosts, predicted } from '../throughput/prediction';
import type { SasGridClusterProps } from './props';

/** What the nodes get from their storage. */
export interface GridThroughput {
  readonly shared: PredictedThroughput;
  readonly temporary: PredictedThroughput;
}

/**
 * What the servers of the grid will get from the shared file system and from their scratch, compared with what is
 * wanted.
 *
 * The control server counts where it is of the nodes' type, as the papers count it (four i2.8xlarge, 64 cores). One of
 * another type hands out jobs and runs none.
 *
 * @throws when one is too slow, and `failOnShortfall` is set
 */
export function throughputOf(
  scope: IConstruct,
  props: SasGridClusterProps,
  types: { readonly control: ec2.InstanceType; readonly node: ec2.InstanceType },
  scratch: { readonly control?: IEphemeralScratch; readonly node?: IEphemeralScratch },
): GridThroughput {
  const { nodeCount, sharedFileSystem, sharedThroughput, temporaryThroughput } = props;
  const fail = props.failOnShortfall ?? false;
  const type = types.node.toString();
  const same = types.control.toString() === type;
  const known = isConcrete(type);
  const facts = known ? instanceTypeFacts(type) : undefined;
  const counted = (count: number): Hosts => ({
    count,
    type: facts && type,
    cores: facts && count * facts.cores,
  });
  const hosts = counted(same ? nodeCount + 1 : nodeCount);
  const withScratch = counted(same && scratch.control ? nodeCount + 1 : nodeCount);
  const storage = sharedFileSystem.storageDescription;
  const disks = scratch.node && allDisks(scratch.node);

  // Of a type that is known only at deployment nobody can say how many cores it has.
  if (known && sharedThroughput) {
    const { mbpsPerCore } = sharedThroughput;
    checkDemand(
      scope,
      { property: 'sharedThroughput', what: 'shared file system', mbpsPerCore },
      storage,
      hosts,
      fail,
    );
  }
  if (known && temporaryThroughput) {
    const property = 'temporaryThroughput';
    const { mbpsPerCore } = temporaryThroughput;
    if (disks) {
      checkDemand(scope, { property, what: 'scratch of the nodes', mbpsPerCore }, disks, withScratch, fail);
    } else {
      // The papers' other configuration: temporary space lies beside the data, and both are used at the same time.
      const wish = sharedThroughput ? 'temporaryThroughput and sharedThroughput together' : property;
      const both = mbpsPerCore + (sharedThroughput?.mbpsPerCore ?? 0);
      const what = 'shared file system, where the temporary space is as well,';
      checkDemand(scope, { property, wish, what, mbpsPerCore: both }, storage, hosts, fail);
    }
  }
  return {
    shared: predicted(storage, hosts),
    temporary: disks
      ? predicted(disks, withScratch)
      : { text: 'None: the nodes have no scratch of their own.' },
  };
}

/** The disks of SASWORK and of UTILLOC: temporary space is both. */
const allDisks = ({ storageDescription, diskCount }: IEphemeralScratch): StorageDescription => ({
  ...storageDescription,
  devices: storageDescription.devices!.map((disk) => ({ ...disk, count: diskCount })),
});
