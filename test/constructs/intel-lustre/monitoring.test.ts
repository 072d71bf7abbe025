import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { lustreStack } from './stack';

const ARN = 'arn:aws:acm:us-east-1:111122223333:certificate/01234567-89ab-cdef-0123-456789abcdef';

describe('a monitoring page with a certificate and a range', () => {
  const { stack, lustre } = lustreStack((scope) => ({
    monitoring: {
      allowedRanges: ['10.0.0.0/8'],
      certificate: Certificate.fromCertificateArn(scope, 'Certificate', ARN),
      deletionProtection: true,
    },
  }));
  const template = Template.fromStack(stack);

  test('is served by TLS on port 443 and by nothing else', () => {
    template.resourceCountIs('AWS::ElasticLoadBalancingV2::Listener', 1);
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::Listener', {
      Port: 443,
      Protocol: 'TLS',
      Certificates: [{ CertificateArn: ARN }],
    });
    expect(stack.resolve(lustre.monitoringUrl)).toMatchObject({
      'Fn::Join': ['', ['https://', expect.anything(), '/']],
    });
  });

  test('is open to the range on that port', () => {
    const open = Object.values(template.findResources('AWS::EC2::SecurityGroup')).flatMap(
      ({ Properties }) => Properties.SecurityGroupIngress ?? [],
    );
    expect(open.filter(({ Description }) => Description === 'Monitoring page')).toEqual([
      { CidrIp: '10.0.0.0/8', Description: 'Monitoring page', FromPort: 443, IpProtocol: 'tcp', ToPort: 443 },
    ]);
  });

  test('has a load balancer that refuses to be deleted, as asked', () => {
    const [balancer] = Object.values(template.findResources('AWS::ElasticLoadBalancingV2::LoadBalancer'));
    expect(balancer!.Properties.LoadBalancerAttributes).toContainEqual({
      Key: 'deletion_protection.enabled',
      Value: 'true',
    });
  });
});
