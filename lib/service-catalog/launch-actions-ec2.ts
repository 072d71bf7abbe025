import { type ActionTable, actionsOf } from './type-actions';

const ec2 = (...names: string[]): string[] => actionsOf('ec2', ...names);

const TAG_EC2 = ec2('CreateTags', 'DeleteTags');

/** EC2: networks, servers and volumes. */
export const EC2_ACTIONS: ActionTable = {
  'AWS::EC2::EIP': {
    any: [...ec2('AllocateAddress'), ...TAG_EC2],
    tagged: ec2('ReleaseAddress', 'AssociateAddress', 'DisassociateAddress'),
  },
  'AWS::EC2::FlowLog': {
    any: [...ec2('CreateFlowLogs'), ...TAG_EC2, 'logs:CreateLogDelivery', 'logs:DeleteLogDelivery'],
    tagged: ec2('DeleteFlowLogs'),
  },
  'AWS::EC2::Instance': {
    any: [...ec2('RunInstances'), ...TAG_EC2],
    tagged: ec2(
      'TerminateInstances',
      'StartInstances',
      'StopInstances',
      'ModifyInstanceAttribute',
      'ModifyInstanceMetadataOptions',
      'MonitorInstances',
      'UnmonitorInstances',
      'AssociateIamInstanceProfile',
      'ReplaceIamInstanceProfileAssociation',
      'DisassociateIamInstanceProfile',
    ),
  },
  'AWS::EC2::InternetGateway': {
    any: [...ec2('CreateInternetGateway'), ...TAG_EC2],
    tagged: ec2('DeleteInternetGateway'),
  },
  'AWS::EC2::LaunchTemplate': {
    any: [...ec2('CreateLaunchTemplate'), ...TAG_EC2],
    tagged: ec2(
      'CreateLaunchTemplateVersion',
      'ModifyLaunchTemplate',
      'DeleteLaunchTemplate',
      'DeleteLaunchTemplateVersions',
    ),
  },
  'AWS::EC2::NatGateway': {
    any: [...ec2('CreateNatGateway'), ...TAG_EC2],
    tagged: ec2('DeleteNatGateway'),
  },
  'AWS::EC2::NetworkInterface': {
    any: [...ec2('CreateNetworkInterface'), ...TAG_EC2],
    tagged: ec2(
      'DeleteNetworkInterface',
      'ModifyNetworkInterfaceAttribute',
      'DetachNetworkInterface',
      'AssignPrivateIpAddresses',
      'UnassignPrivateIpAddresses',
    ),
  },
  'AWS::EC2::PlacementGroup': {
    any: [...ec2('CreatePlacementGroup'), ...TAG_EC2],
    tagged: ec2('DeletePlacementGroup'),
  },
  'AWS::EC2::Route': { tagged: ec2('CreateRoute', 'ReplaceRoute', 'DeleteRoute') },
  'AWS::EC2::RouteTable': {
    any: [...ec2('CreateRouteTable'), ...TAG_EC2],
    tagged: ec2('DeleteRouteTable'),
  },
  'AWS::EC2::SecurityGroup': {
    any: [...ec2('CreateSecurityGroup'), ...TAG_EC2],
    tagged: ec2(
      'DeleteSecurityGroup',
      'AuthorizeSecurityGroupIngress',
      'AuthorizeSecurityGroupEgress',
      'RevokeSecurityGroupIngress',
      'RevokeSecurityGroupEgress',
      'UpdateSecurityGroupRuleDescriptionsIngress',
      'UpdateSecurityGroupRuleDescriptionsEgress',
    ),
  },
  'AWS::EC2::SecurityGroupEgress': {
    tagged: ec2(
      'AuthorizeSecurityGroupEgress',
      'RevokeSecurityGroupEgress',
      'UpdateSecurityGroupRuleDescriptionsEgress',
    ),
  },
  'AWS::EC2::SecurityGroupIngress': {
    tagged: ec2(
      'AuthorizeSecurityGroupIngress',
      'RevokeSecurityGroupIngress',
      'UpdateSecurityGroupRuleDescriptionsIngress',
    ),
  },
  'AWS::EC2::Subnet': {
    any: [...ec2('CreateSubnet', 'ModifySubnetAttribute'), ...TAG_EC2],
    tagged: ec2('DeleteSubnet'),
  },
  // A reservation is of a subnet and takes its tags only when it is made.
  'AWS::EC2::SubnetCidrReservation': {
    any: [...ec2('CreateSubnetCidrReservation', 'DeleteSubnetCidrReservation', 'GetSubnetCidrReservations')],
  },
  'AWS::EC2::SubnetRouteTableAssociation': {
    tagged: ec2('AssociateRouteTable', 'DisassociateRouteTable', 'ReplaceRouteTableAssociation'),
  },
  'AWS::EC2::VPC': {
    any: [...ec2('CreateVpc', 'ModifyVpcAttribute'), ...TAG_EC2],
    tagged: ec2('DeleteVpc'),
  },
  'AWS::EC2::VPCEndpoint': {
    // Private names of an interface endpoint are a zone that it is associated with.
    any: [...ec2('CreateVpcEndpoint'), ...TAG_EC2, 'route53:AssociateVPCWithHostedZone'],
    tagged: ec2('ModifyVpcEndpoint', 'DeleteVpcEndpoints'),
  },
  'AWS::EC2::VPCGatewayAttachment': {
    tagged: ec2('AttachInternetGateway', 'DetachInternetGateway'),
  },
  'AWS::EC2::Volume': {
    any: [...ec2('CreateVolume'), ...TAG_EC2],
    tagged: ec2('ModifyVolume', 'ModifyVolumeAttribute'),
    delete: ec2('DeleteVolume'),
  },
};
