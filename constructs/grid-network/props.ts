import type { aws_ec2 as ec2, aws_kms as kms, aws_logs as logs } from 'aws-cdk-lib';

/**
 * How the private subnet reaches the internet, for packages and licenses. Nothing reaches the private subnet from
 * there.
 */
export enum NatKind {
  /** A NAT gateway: managed, up to 100 Gbit/s, replaced by AWS when it fails. */
  GATEWAY = 'gateway',
  /** One small instance, as in SAS/Intel paper 001: cheaper, slower, and a single point of failure for downloads. */
  INSTANCE = 'instance',
  /**
   * None: everything that hosts install has to be in the images or in a mirror inside the VPC, of which synthesis
   * warns. Endpoints of the AWS services that hosts call are brought.
   */
  NONE = 'none',
}

/** A network that exists and that GridNetwork adds to: placement group and security groups, nothing else by default. */
export interface ExistingNetwork {
  /** The VPC. */
  readonly vpc: ec2.IVpc;

  /**
   * The subnet of the servers. A list because VPC look-ups give lists; all of them have to be in one Availability Zone.
   */
  readonly privateSubnets: ec2.ISubnet[];

  /**
   * Subnets that the internet can reach, in the same Availability Zone.
   *
   * @default - none: load balancers can only be internal
   */
  readonly publicSubnets?: ec2.ISubnet[];

  /**
   * Ranges inside the first private subnet to reserve for storage servers. Nothing may use an address in them yet.
   *
   * @default - none is reserved: EC2 picks the address of a storage interface, which keeps it for as long as it exists
   */
  readonly storageAddressRanges?: string[];

  /**
   * One security group for all hosts, in place of those for grid, storage and load balancers. An example is the group
   * of a cluster, whose members reach each other. Not together with `webAccessFrom` and `sshAccessFrom`.
   *
   * Imported with `mutable: false` it is used as it is, and its owner has to let through what is needed. Otherwise the
   * rules that hosts need are added to it.
   *
   * @default - new groups
   */
  readonly securityGroup?: ec2.ISecurityGroup;
}

/** Addresses reserved for storage that belong to one owner, wherever in the code it is. */
export interface StorageAddressBlock {
  /**
   * Whose they are, as the error names it: the path of the file system below its stage, and of Lustre its tier after a
   * slash, for example `Storage/Lustre/oss`. An owner that is gone may stay: nobody else gets its addresses.
   */
  readonly owner: string;

  /** The first of them, for example `172.16.4.80`. */
  readonly firstAddress: string;

  /** How many, one after the other. An owner that grows beyond them gets a second entry. */
  readonly count: number;
}

/** Properties of GridNetwork. */
export interface GridNetworkProps {
  /**
   * Use this VPC and these subnets instead of making new ones.
   *
   * @default - a new VPC
   */
  readonly existing?: ExistingNetwork;

  /**
   * Range of the new VPC, /16 to /28.
   *
   * @default '172.16.0.0/20' - SAS/Intel paper 001
   */
  readonly vpcCidr?: string;

  /**
   * Range of the public subnet: NAT, internet-facing load balancers, and grid nodes that need a public address.
   *
   * @default '172.16.0.0/22' - SAS/Intel paper 001
   */
  readonly publicSubnetCidr?: string;

  /**
   * Range of the private subnet. Half of it, the second and the third quarter, is reserved for the fixed addresses of
   * storage servers.
   *
   * @default '172.16.4.0/24' - SAS/Intel paper 001
   */
  readonly privateSubnetCidr?: string;

  /**
   * Which of the addresses reserved for storage belong to whom. Name them as soon as two file systems of one network
   * have fixed addresses: the error of synthesis has the text to copy. Then no change of the code moves anyone's
   * address.
   *
   * @default - one owner, which has the first ones
   */
  readonly storageAddressBlocks?: StorageAddressBlock[];

  /**
   * The Availability Zone, for example `us-east-1a`. One: a cluster placement group and EBS volumes live in one. Name
   * it before you deploy to an account: which zone is the first can change, and subnets cannot move.
   *
   * @default - the first one of the account in the region, with a warning
   */
  readonly availabilityZone?: string;

  /**
   * How the private subnet reaches the internet.
   *
   * @default NatKind.GATEWAY
   */
  readonly nat?: NatKind;

  /**
   * Type of the NAT instance.
   *
   * @default - t4g.small
   */
  readonly natInstanceType?: ec2.InstanceType;

  /**
   * Image of the NAT instance: an Amazon Linux 2023 for the architecture of its type. A change replaces the instance.
   *
   * @default - the newest Amazon Linux 2023 at each deployment, with a warning
   */
  readonly natMachineImage?: ec2.IMachineImage;

  /**
   * Name of the launch template of the NAT instance, the only one of that name in the region: 3 to 125 letters, digits,
   * `(`, `)`, `.`, `-`, `/` and `_`. A second network with a NAT instance in the region has to name one. A change
   * replaces the NAT instance.
   *
   * @default - the CDK's: 'NatInstanceLaunchTemplate', or one by the path with
   * `@aws-cdk/aws-ec2:uniqueImdsv2TemplateName`
   */
  readonly natLaunchTemplateName?: string;

  /**
   * Interface endpoints for what replaces a failed server: `ssm` and `ssmmessages`. With them a recovery does not
   * depend on the NAT.
   *
   * @default true - false with `existing`
   */
  readonly interfaceEndpoints?: boolean;

  /**
   * Interface endpoints besides those two, for example `ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS`.
   *
   * @default - none
   */
  readonly additionalInterfaceEndpoints?: ec2.InterfaceVpcEndpointAwsService[];

  /**
   * Record the VPC's traffic in an encrypted log group. Not for `existing`.
   *
   * @default true
   */
  readonly flowLogs?: boolean;

  /**
   * How long flow logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly flowLogRetention?: logs.RetentionDays;

  /**
   * Key of the flow logs. Its policy has to let CloudWatch Logs use it when it is imported.
   *
   * @default - a new key that rotates
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Ranges that may reach load balancers on ports 80 and 443, for example the company's. Never the whole internet.
   *
   * @default - none
   */
  readonly webAccessFrom?: string[];

  /**
   * Ranges that may reach grid nodes and servers on port 22. Session Manager needs none.
   *
   * @default - none
   */
  readonly sshAccessFrom?: string[];

  /**
   * The placement group to use.
   *
   * @default - a new cluster placement group
   */
  readonly placementGroup?: ec2.IPlacementGroup;

  /**
   * Whether storage servers have a cluster placement group of their own, apart from the grid's. Use it for new
   * networks. On a deployed one it counts for servers that are launched later, and no running one moves.
   *
   * EC2 finds places most easily for one type that is launched at once. Several types that are launched one after the
   * other end in `InsufficientInstanceCapacity` sooner. So does the replacement of a server.
   *
   * Between two groups a single flow has 5 Gbit/s, not 10 (EC2 user guide, "Network bandwidth"): clients of NFS then
   * need several connections for what one has had.
   *
   * @default false
   */
  readonly separatePlacementGroups?: boolean;
}
