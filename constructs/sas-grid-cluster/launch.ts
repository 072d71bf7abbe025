import type { CfnCreationPolicy } from 'aws-cdk-lib';
import type { CfnLaunchTemplate, IMachineImage, InstanceType, MachineImageConfig } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IDependable } from 'constructs';

/** How the cluster launches a server. */
export interface GridLaunch {
  readonly instanceType: InstanceType;
  readonly image: MachineImageConfig;
  /** Where the image came from: it may have the host software. */
  readonly machineImage: IMachineImage;
  /** The role of the profile: it may be given more rights until synthesis. */
  readonly role: IRole;
  readonly instanceProfileName: string;
  readonly placementGroupName: string;
  /** What says where it starts; undefined: EC2 knows. */
  readonly launchTemplate?: CfnLaunchTemplate;
  readonly rootDeviceName: string;
  readonly rootVolumeGiB: number;
  readonly kmsKeyArn?: string;
  readonly terminationProtection: boolean;
  /** How long CloudFormation waits for the server; undefined: not at all. */
  readonly creationPolicy?: CfnCreationPolicy;
  /** What has to be there first. */
  readonly after: IDependable;
}
