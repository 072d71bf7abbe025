import { Template } from 'aws-cdk-lib/assertions';
import { Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, HostRole, IntelLustre } from '../../../constructs';
import { testStack } from '../../helpers/app';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { IMAGE } from './stack';

// A VPC of which only the ids are known, as in most companies: no address can be reserved at synthesis.
describe('a file system in an existing network', () => {
  const stack = testStack();
  const subnet = Subnet.fromSubnetAttributes(stack, 'Subnet', {
    subnetId: 'subnet-0123456789abcdef0',
    availabilityZone: 'us-east-1a',
  });
  const network = new GridNetwork(stack, 'Network', {
    existing: {
      vpc: Vpc.fromVpcAttributes(stack, 'Vpc', {
        vpcId: 'vpc-0123456789abcdef0',
        availabilityZones: ['us-east-1a'],
      }),
      privateSubnets: [subnet],
    },
  });
  new IntelLustre(stack, 'SasData', { network, machineImage: IMAGE });
  const template = Template.fromStack(stack);
  const interfaces = template.findResources('AWS::EC2::NetworkInterface');

  test('leaves the addresses to EC2, once per interface', () => {
    expect(Object.keys(interfaces)).toHaveLength(5);
    for (const { Properties } of Object.values(interfaces))
      expect(Properties.PrivateIpAddress).toBeUndefined();
  });

  test("tells every server and the load balancer the management server's address, whatever it will be", () => {
    const [mgs] = Object.keys(interfaces).filter((id) => id.includes('ManagementServer'));
    const address = { 'Fn::GetAtt': [mgs, 'PrimaryPrivateIpAddress'] };
    for (const role of [HostRole.LUSTRE_MGS, HostRole.LUSTRE_MDS, HostRole.LUSTRE_OSS]) {
      expect(settingsOf(userDataTexts(template), role).MGS_NID).toBe(`\${${JSON.stringify(address)}}@tcp`);
    }
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::TargetGroup', {
      Targets: [{ Id: address, Port: 80 }],
    });
  });
});
