import { Annotations, cx_api, aws_ec2 as ec2, FeatureFlags, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { systemsManagerAgentRole } from '../private/agent-role';
import { followsParameter } from '../private/moving-image';
import { placeOfRegion, takeName } from '../private/shared-names';
import { invalid, isConcrete } from '../private/validation';
import { natSecurityGroup } from './security-groups';

/** What a NAT instance needs. */
export interface NatInstanceOptions {
  readonly vpc: ec2.IVpc;
  readonly subnet: ec2.PublicSubnet;
  readonly privateSubnetCidr: string;
  readonly instanceType?: ec2.InstanceType;
  readonly launchTemplateName?: string;
  readonly machineImage?: ec2.IMachineImage;
}

// A launch template is known by its name in its whole region (AWS::EC2::LaunchTemplate: LaunchTemplateName replaces it,
// and with it the instance). This one is what requireImdsv2 of the CDK has always made.
const LAUNCH_TEMPLATE = 'NatInstanceLaunchTemplate';

/**
 * One instance that translates addresses, and its group. It holds no data: EC2 recovers it on other hardware by itself.
 */
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
    machineImage:
      options.machineImage ??
      ec2.MachineImage.latestAmazonLinux2023({
        cpuType: arm ? ec2.AmazonLinuxCpuType.ARM_64 : ec2.AmazonLinuxCpuType.X86_64,
      }),
    securityGroup,
    role: systemsManagerAgentRole(scope, 'NatInstanceRole', 'A NAT instance: the Systems Manager agent only'),
    userData,
    associatePublicIpAddress: true,
    sourceDestCheck: false,
    requireImdsv2: options.launchTemplateName === undefined,
    detailedMonitoring: true,
    propagateTagsToVolumeOnCreation: true,
    blockDevices: [{ deviceName: '/dev/xvda', volume: ec2.BlockDeviceVolume.ebs(8, { encrypted: true }) }],
  });
  warnOfMovingImage(scope, instance);
  requireTokens(instance, options.launchTemplateName);
  Validations.of(instance).acknowledge({
    id: 'AwsSolutions-EC29',
    reason: 'The NAT instance holds no data, and CloudFormation has to be able to replace and delete it.',
  });
  return { instance, securityGroup };
}

/** Another image id means another instance, as of grid nodes. */
function warnOfMovingImage(scope: Construct, { instance }: ec2.Instance): void {
  if (!followsParameter(scope, instance.imageId!)) return;
  Annotations.of(scope).addWarningV2(
    'cdk-sas-grid:movingNatImage',
    'The image of the NAT instance follows a parameter: a deployment after a new image replaces the instance, ' +
      'and the private subnet is without the internet for some minutes. Name an image by its id in ' +
      'natMachineImage instead.',
  );
}

/**
 * The metadata service with tokens only. Without a name of its own the CDK makes the launch template, under the name
 * that it has always had.
 */
function requireTokens(instance: ec2.Instance, launchTemplateName: string | undefined): void {
  const unique = FeatureFlags.of(instance).isEnabled(cx_api.EC2_UNIQUE_IMDSV2_LAUNCH_TEMPLATE_NAME);
  if (launchTemplateName !== undefined || !unique) {
    requireOwnName(instance, launchTemplateName ?? LAUNCH_TEMPLATE);
  }
  if (launchTemplateName === undefined) return;
  const launchTemplate = new ec2.CfnLaunchTemplate(instance, 'LaunchTemplate', {
    launchTemplateName,
    launchTemplateData: { metadataOptions: { httpTokens: 'required' } },
  });
  instance.instance.launchTemplate = { launchTemplateName, version: launchTemplate.attrLatestVersionNumber };
}

function requireOwnName(instance: ec2.Instance, name: string): void {
  if (isConcrete(name) && !/^[a-zA-Z0-9().\-/_]{3,125}$/.test(name)) {
    const allowed = "3 to 125 letters, digits, '(', ')', '.', '-', '/' and '_'";
    throw invalid(instance, 'natLaunchTemplateName', name, allowed, "For example 'second-nat'.");
  }
  const other = takeName(instance, ['launch template', ...placeOfRegion(instance)], name);
  if (!other) return;
  const allowed = `a name that ${other} does not have in the region`;
  throw invalid(
    instance,
    'natLaunchTemplateName',
    name,
    allowed,
    'Name that of the network which is not deployed yet.',
  );
}
