import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { EphemeralScratch } from '../ephemeral-scratch';
import { isConcrete } from '../private/validation';
import { instanceTypeFacts, type StorageConfiguration } from '../sizing';
import { storageOf, storageOfScratch } from '../storage-benchmark/storage-of';
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
 * What the nodes will get from the shared file system and from their scratch, compared with what is wanted.
 *
 * The nodes alone count: the control server hands out jobs.
 *
 * @throws when one is too slow, and `failOnShortfall` is set
 */
export function throughputOf(
  scope: IConstruct,
  props: SasGridClusterProps,
  nodeType: ec2.InstanceType,
  scratch: EphemeralScratch | undefined,
): GridThroughput {
  const { nodeCount: count, sharedFileSystem, sharedThroughput, temporaryThroughput } = props;
  const fail = props.failOnShortfall ?? false;
  const type = nodeType.toString();
  const known = isConcrete(type);
  const facts = known ? instanceTypeFacts(type) : undefined;
  const hosts: Hosts = { count, type: facts && type, cores: facts && count * facts.cores };
  const storage = storageOf(sharedFileSystem);
  const disks = scratch && allDisks(scratch);

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
      checkDemand(scope, { property, what: 'scratch of the nodes', mbpsPerCore }, disks, hosts, fail);
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
    temporary: disks ? predicted(disks, hosts) : { text: 'None: the nodes have no scratch of their own.' },
  };
}

/** The disks of SASWORK and of UTILLOC: temporary space is both. */
function allDisks(scratch: EphemeralScratch): StorageConfiguration {
  const { devices, ...same } = storageOfScratch(scratch);
  return { ...same, devices: devices.map((disk) => ({ ...disk, count: scratch.diskCount })) };
}
