import { aws_ec2 as ec2, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { systemsManagerAgentRole } from '../private/agent-role';
import { natSecurityGroup } from './security-groups';

/** What a NAT instance needs. */
export interface NatInstanceOptions {
  readonly vpc: ec2.IVpc;
  readonly subnet: ec2.PublicSubnet;
  readonly privateSubnetCidr: string;
  readonly instanceType?: ec2.InstanceType;
}

/** One instance that translates addresses, and its group. It holds no data: EC2 recovers it on other hardware by itself. */
export function natInstance(
  scope: Construct,
  options: NatInstanceOptions,
): { instance: ec2.Instance; securityGroup: ec2.SecurityGroup } {
  const { vpc, subnet, privateSubnetCidr } = options;
  const instanceType = options.instanceType ?? new ec2.InstanceType('t4g.small');
  const securityGroup = natSecurityGroup(scope, vpc, privateSubnetCidr);
  const arm = instanceType.architecture === ec2.InstanceArchitecture.ARM_64;
  const userData = ec2.UserData.forLinux();
  userData.addCommands(
    'set -eu',
    'dnf install -y iptables-services',
    'systemctl enable --now iptables',
    "echo 'net.ipv4.ip_forward = 1' > /etc/sysctl.d/90-nat.conf",
    'sysctl -p /etc/sysctl.d/90-nat.conf',
    "interface=$(ip -o -4 route show default | awk '{ print $5; exit }')",
    'iptables -F FORWARD',
    `iptables -t nat -A POSTROUTING -s ${privateSubnetCidr} -o "$interface" -j MASQUERADE`,
    'iptables-save > /etc/sysconfig/iptables',
  );
  const instance = new ec2.Instance(scope, 'NatInstance', {
    vpc,
    vpcSubnets: { subnets: [subnet] },
    instanceType,
    machineImage: ec2.MachineImage.latestAmazonLinux2023({
      cpuType: arm ? ec2.AmazonLinuxCpuType.ARM_64 : ec2.AmazonLinuxCpuType.X86_64,
    }),
    securityGroup,
    role: systemsManagerAgentRole(scope, 'NatInstanceRole', 'A NAT instance: the Systems Manager agent only'),
    userData,
    associatePublicIpAddress: true,
    sourceDestCheck: false,
    requireImdsv2: true,
    detailedMonitoring: true,
    blockDevices: [{ deviceName: '/dev/xvda', volume: ec2.BlockDeviceVolume.ebs(8, { encrypted: true }) }],
  });
  Validations.of(instance).acknowledge({
    id: 'AwsSolutions-EC29',
    reason: 'The NAT instance holds no data, and CloudFormation has to be able to replace and delete it.',
  });
  return { instance, securityGroup };
}
