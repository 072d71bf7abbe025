import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { checkArguments } from '../private/inputs/check';
import { requireRange } from './checks';

/** How hosts get through to a file system that exists already. */
export class FileSystemAccess {
  /**
   * The file system is in this security group: `mountOn` opens its ports to each host, and the host's to it. An
   * imported group must be mutable for that, which is the default.
   */
  static fromSecurityGroup(group: ec2.ISecurityGroup): FileSystemAccess {
    checkArguments('FileSystemAccess.fromSecurityGroup', { group });
    return new FileSystemAccess(new ec2.Connections({ securityGroups: [group] }));
  }

  /**
   * The file system answers in this IPv4 range, for example `10.20.0.0/24`: `mountOn` opens the way out of each host.
   * The way in is opened where the file system is, by whoever owns it.
   *
   * @throws when the range is none, or wider than /8
   */
  static fromRange(cidr: string): FileSystemAccess {
    ({ cidr } = checkArguments('FileSystemAccess.fromRange', { cidr }));
    requireRange(undefined, 'The range of a file system', cidr);
    return new FileSystemAccess(new ec2.Connections({ peer: ec2.Peer.ipv4(cidr) }));
  }

  /** The ways in and out are open already: `mountOn` touches no security group. */
  static alreadyOpen(): FileSystemAccess {
    return new FileSystemAccess(undefined);
  }

  private constructor(
    /** What hosts connect to; undefined when nothing is to be opened. */
    readonly connections: ec2.Connections | undefined,
  ) {}
}
