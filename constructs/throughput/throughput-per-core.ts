import { Token } from 'aws-cdk-lib';
import type { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { checkArguments } from '../private/inputs/check';
import { invalid, isConcrete, requireInteger } from '../private/validation';
import { instanceTypeFacts } from '../sizing';

// 10 GB/s for one core: what is more is a mistake in the unit.
const MOST_MBPS = 10_000;
const MOST_CORES = 1_000_000;
const MOST_NODES = 10_000;

/**
 * How much a storage is to deliver for each physical core of the hosts, all day, to large files read and written from
 * one end to the other.
 *
 * The papers ask for 50 to 75 MB/s of shared space (SASDATA) and for 100 MB/s of temporary space (SASWORK and UTILLOC),
 * paper 002. A vCPU of an Intel type is half a core.
 */
export class ThroughputPerCore {
  /**
   * So many megabytes (10^6 bytes) a second.
   *
   * @param value above 0, up to 10000. A token is taken, and not checked against anything
   * @throws when it is outside of that range
   */
  static mbps(value: number): ThroughputPerCore {
    ({ value } = checkArguments('ThroughputPerCore.mbps', { value }));
    if (isConcrete(value) && !(value > 0 && value <= MOST_MBPS)) {
      const fix = 'It is in MB/s: 10^6 bytes a second for each physical core; the papers ask for 50 to 100.';
      throw invalid(
        undefined,
        'The throughput for each core in MB/s',
        value,
        `above 0, up to ${MOST_MBPS}`,
        fix,
      );
    }
    return new ThroughputPerCore(value);
  }

  private constructor(
    /** MB/s (10^6 bytes) for each physical core. */
    readonly mbpsPerCore: number,
  ) {}

  /**
   * What that is for several cores together, in MB/s: for `throughputMBps` of a file system.
   *
   * @param cores physical cores of all hosts together, a whole number from 1
   * @throws when the cores are none of these, or when a number is a token
   */
  forCores(cores: number): number {
    ({ cores } = checkArguments('ThroughputPerCore#forCores', { cores }));
    const fix = 'Give the physical cores of all hosts together.';
    requireInteger(undefined, 'The number of cores', cores, 1, MOST_CORES, fix);
    if (Token.isUnresolved(cores) || Token.isUnresolved(this.mbpsPerCore)) {
      const what = 'The throughput for each core, or the number of cores,';
      throw invalid(undefined, what, 'a token', 'numbers known at synthesis', 'Spell them out.');
    }
    return this.mbpsPerCore * cores;
  }

  /**
   * What that is for the nodes of a grid together, in MB/s: for `throughputMBps` of a file system.
   *
   * @param nodes how many there are, from 1
   * @param instanceType their type
   * @throws when this library does not know how many cores the type has (use `forCores`), or when a number is a token
   */
  forNodes(nodes: number, instanceType: InstanceType): number {
    ({ nodes, instanceType } = checkArguments('ThroughputPerCore#forNodes', { nodes, instanceType }));
    const fix = 'Give the number of nodes.';
    requireInteger(undefined, 'The number of nodes', nodes, 1, MOST_NODES, fix);
    const name = instanceType.toString();
    const facts = isConcrete(name) ? instanceTypeFacts(name) : undefined;
    if (!facts) {
      const allowed = 'a type in the table of this library';
      throw invalid(undefined, 'The type of the nodes', name, allowed, 'Use forCores, and count its cores.');
    }
    return this.forCores(nodes * facts.cores);
  }
}
