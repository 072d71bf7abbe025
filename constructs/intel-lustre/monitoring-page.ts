import { Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as elbv2 from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { IpTarget } from 'aws-cdk-lib/aws-elasticloadbalancingv2-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { IGridNetwork } from '../grid-network';
import { WIDEST_ACCESS_PREFIX } from '../grid-network/checks';
import { parseCidr, prefixLength } from '../grid-network/cidr';
import { requireArnInRegion } from '../private/imported';
import { invalid, requireKnownList } from '../private/validation';
import type { LustreMonitoring } from './monitoring';

/** Where the management server serves its page. */
export const MONITORING_PORT = 80;

/** What the load balancer in front of the page needs to know. */
export interface MonitoringPageProps extends LustreMonitoring {
  readonly network: IGridNetwork;
  /** The management server's fixed address: it stays when the server is replaced. */
  readonly address: string;
}

/**
 * The load balancer through which alone the management server's page is reached.
 *
 * A Network Load Balancer, because an Application Load Balancer insists on two Availability Zones and everything here
 * lives in one.
 */
export class MonitoringPage extends Construct {
  readonly loadBalancer: elbv2.NetworkLoadBalancer;
  readonly url: string;

  constructor(scope: Construct, id: string, props: MonitoringPageProps) {
    super(scope, id);
    const { network } = props;
    requireArnInRegion(this, 'monitoring.certificate', props.certificate?.certificateArn);
    const port = props.certificate ? 443 : 80;
    requireKnownList(this, 'monitoring.allowedRanges', props.allowedRanges);
    for (const range of props.allowedRanges ?? []) {
      requireClosedRange(this, range);
      network.loadBalancerSecurityGroup.addIngressRule(
        ec2.Peer.ipv4(range),
        ec2.Port.tcp(port),
        'Monitoring page',
      );
    }
    if (props.internetFacing && network.publicSubnets.length === 0) {
      throw invalid(
        this,
        'monitoring.internetFacing',
        true,
        'false where the network has no public subnet',
        'Leave it out, or give the network a public subnet.',
      );
    }
    network.storageSecurityGroup.connections.allowFrom(
      network.loadBalancerSecurityGroup,
      ec2.Port.tcp(MONITORING_PORT),
      'Monitoring page',
    );

    this.loadBalancer = new elbv2.NetworkLoadBalancer(this, 'LoadBalancer', {
      vpc: network.vpc,
      vpcSubnets: {
        subnets: [(props.internetFacing ? network.publicSubnets : network.privateSubnets)[0]!],
      },
      internetFacing: props.internetFacing ?? false,
      securityGroups: [network.loadBalancerSecurityGroup],
      deletionProtection: props.deletionProtection ?? false,
    });
    this.loadBalancer.node.addDependency(network.addressesReserved);
    this.recordAccess();
    const targetGroup = new elbv2.NetworkTargetGroup(this, 'ManagementServer', {
      vpc: network.vpc,
      port: MONITORING_PORT,
      protocol: elbv2.Protocol.TCP,
      targetType: elbv2.TargetType.IP,
      targets: [new IpTarget(props.address, MONITORING_PORT)],
      deregistrationDelay: Duration.seconds(30),
      healthCheck: { protocol: elbv2.Protocol.HTTP, path: '/' },
    });
    this.loadBalancer.addListener('Listener', {
      port,
      protocol: props.certificate ? elbv2.Protocol.TLS : elbv2.Protocol.TCP,
      ...(props.certificate && {
        certificates: [elbv2.ListenerCertificate.fromCertificateManager(props.certificate)],
        sslPolicy: elbv2.SslPolicy.TLS13_RES,
      }),
      defaultTargetGroups: [targetGroup],
    });
    this.url = `${props.certificate ? 'https' : 'http'}://${this.loadBalancer.loadBalancerDnsName}/`;
  }

  /** The library's own `logAccessLogs` wants a region known at synthesis, for a principal that only others need. */
  private recordAccess(): void {
    const bucket = new s3.Bucket(this, 'AccessLogs', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(365) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It is itself the bucket of access logs; logging its own access would grow it for ever.',
    });
    const stack = Stack.of(this);
    const fromHere = {
      StringEquals: { 'aws:SourceAccount': stack.account },
      ArnLike: {
        'aws:SourceArn': stack.formatArn({ service: 'logs', resource: '*' }),
      },
    };
    const delivery = new iam.ServicePrincipal('delivery.logs.amazonaws.com');
    bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        principals: [delivery],
        actions: ['s3:GetBucketAcl'],
        resources: [bucket.bucketArn],
        conditions: fromHere,
      }),
    );
    bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        principals: [delivery],
        actions: ['s3:PutObject'],
        resources: [bucket.arnForObjects(`AWSLogs/${stack.account}/*`)],
        conditions: {
          ...fromHere,
          StringEquals: { ...fromHere.StringEquals, 's3:x-amz-acl': 'bucket-owner-full-control' },
        },
      }),
    );
    this.loadBalancer.setAttribute('access_logs.s3.enabled', 'true');
    this.loadBalancer.setAttribute('access_logs.s3.bucket', bucket.bucketName);
    // The load balancer writes a test object when logging is turned on.
    this.loadBalancer.node.addDependency(bucket.policy!);
  }
}

function requireClosedRange(scope: Construct, range: string): void {
  if (Token.isUnresolved(range)) return;
  const parsed = parseCidr(range);
  if (!parsed || prefixLength(parsed) < WIDEST_ACCESS_PREFIX) {
    throw invalid(
      scope,
      'monitoring.allowedRanges',
      range,
      `an IPv4 range from /${WIDEST_ACCESS_PREFIX} to /32 that starts at its first address, such as 10.0.0.0/8, ` +
        'never 0.0.0.0/0',
      "Name your company's range; the page shows the inside of the file system.",
    );
  }
}
