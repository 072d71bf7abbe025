import { Stack, type StackProps } from 'aws-cdk-lib';
import { InstanceType, LaunchTemplate, MachineImage } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { HostBundle, HostRole } from '../../index';

/** Grid nodes with scratch on their instance-store disks and a shared Lustre file system. */
export class GridNodes extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const bundle = new HostBundle();
    bundle.addRole(HostRole.SCRATCH, { SASWORK_DISKS: '5', UTILLOC_DISKS: '3' });
    bundle.addRole(HostRole.LUSTRE_CLIENT, {
      FSNAME: 'sasfs',
      MGS_NID: '172.16.4.10@tcp',
      MOUNT_POINT: '/sas',
      MOUNT_OPTIONS: 'flock',
    });
    new LaunchTemplate(this, 'Node', {
      instanceType: new InstanceType('i4i.16xlarge'),
      machineImage: MachineImage.latestAmazonLinux2023(),
      requireImdsv2: true,
      userData: bundle.userData(),
    });
  }
}
