import {
  ArnFormat,
  Aws,
  aws_ec2 as ec2,
  Fn,
  aws_iam as iam,
  aws_kms as kms,
  aws_logs as logs,
  RemovalPolicy,
  Stack,
  Tags,
} from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { addKeyStatement, requireUsableKey } from '../private/imported';
import { natInstance } from './nat-instance';
import { type GridNetworkProps, NatKind } from './props';

/** Exact ranges of a new VPC. */
export interface NewVpcProps {
  readonly vpcCidr: string;
  readonly publicSubnetCidr: string;
  readonly privateSubnetCidr: string;
  readonly network: GridNetworkProps;
}

/**
 * A VPC with one public and one private subnet of exactly these ranges, in one zone.
 *
 * Not `ec2.Vpc`: that one cuts subnets out of the VPC by mask alone, and it asks the account for its Availability
 * Zones, which needs credentials at synthesis.
 */
export class NewVpc extends Construct {
  readonly vpc: ec2.IVpc;
  readonly publicSubnet: ec2.PublicSubnet;
  readonly privateSubnet: ec2.PrivateSubnet;
  readonly availabilityZone: string;
  readonly natSecurityGroup?: ec2.ISecurityGroup;

  constructor(scope: Construct, id: string, props: NewVpcProps) {
    super(scope, id);
    const { network } = props;
    this.availabilityZone = network.availabilityZone ?? Fn.select(0, Fn.getAzs());
    const resource = new ec2.CfnVPC(this, 'Resource', {
      cidrBlock: props.vpcCidr,
      enableDnsHostnames: true,
      enableDnsSupport: true,
    });
    Tags.of(resource).add('Name', scope.node.path);
    const gateway = new ec2.CfnInternetGateway(this, 'InternetGateway');
    const attachment = new ec2.CfnVPCGatewayAttachment(this, 'InternetGatewayAttachment', {
      vpcId: resource.ref,
      internetGatewayId: gateway.ref,
    });
    const common = {
      vpcId: resource.ref,
      availabilityZone: this.availabilityZone,
      mapPublicIpOnLaunch: false,
    };
    this.publicSubnet = new ec2.PublicSubnet(this, 'PublicSubnet', {
      ...common,
      cidrBlock: props.publicSubnetCidr,
    });
    this.publicSubnet.addDefaultInternetRoute(gateway.ref, attachment);
    this.privateSubnet = new ec2.PrivateSubnet(this, 'PrivateSubnet', {
      ...common,
      cidrBlock: props.privateSubnetCidr,
    });

    const nat = network.nat ?? NatKind.GATEWAY;
    const ids = [this.privateSubnet.subnetId];
    const tables = [this.privateSubnet.routeTable.routeTableId];
    this.vpc = ec2.Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId: resource.ref,
      vpcCidrBlock: props.vpcCidr,
      availabilityZones: [this.availabilityZone],
      publicSubnetIds: [this.publicSubnet.subnetId],
      publicSubnetRouteTableIds: [this.publicSubnet.routeTable.routeTableId],
      ...(nat === NatKind.NONE
        ? { isolatedSubnetIds: ids, isolatedSubnetRouteTableIds: tables }
        : { privateSubnetIds: ids, privateSubnetRouteTableIds: tables }),
    });
    // An imported VPC makes proxies of its subnets, which know nothing of routes. Put the real ones in their place:
    // what is launched into them then waits for the way to the internet.
    this.vpc.publicSubnets.splice(0, 1, this.publicSubnet);
    (nat === NatKind.NONE ? this.vpc.isolatedSubnets : this.vpc.privateSubnets).splice(
      0,
      1,
      this.privateSubnet,
    );
    this.natSecurityGroup = this.addNat(nat, props);
    const subnets = [{ subnets: [this.publicSubnet, this.privateSubnet] }];
    this.vpc.addGatewayEndpoint('S3Endpoint', { service: ec2.GatewayVpcEndpointAwsService.S3, subnets });
    this.vpc.addGatewayEndpoint('DynamoDbEndpoint', {
      service: ec2.GatewayVpcEndpointAwsService.DYNAMODB,
      subnets,
    });
    if (network.flowLogs ?? true) this.addFlowLogs(network);
  }

  private addNat(nat: NatKind, props: NewVpcProps): ec2.ISecurityGroup | undefined {
    if (nat === NatKind.GATEWAY) {
      this.privateSubnet.addDefaultNatRoute(this.publicSubnet.addNatGateway().ref);
    }
    if (nat !== NatKind.INSTANCE) return undefined;
    const { instance, securityGroup } = natInstance(this, {
      vpc: this.vpc,
      subnet: this.publicSubnet,
      privateSubnetCidr: props.privateSubnetCidr,
      instanceType: props.network.natInstanceType,
      launchTemplateName: props.network.natLaunchTemplateName,
      machineImage: props.network.natMachineImage,
    });
    this.privateSubnet.addRoute('DefaultRoute', {
      routerType: ec2.RouterType.INSTANCE,
      routerId: instance.instanceId,
      enablesInternetConnectivity: true,
    });
    return securityGroup;
  }

  private addFlowLogs(network: GridNetworkProps): void {
    const encryptionKey =
      network.encryptionKey ??
      new kms.Key(this, 'FlowLogKey', {
        description: `Flow logs of ${this.node.path}`,
        enableKeyRotation: true,
        removalPolicy: RemovalPolicy.RETAIN,
      });
    const stack = Stack.of(this);
    // CloudWatch Logs uses the key on its own behalf; the condition keeps it to log groups of this account and region.
    requireUsableKey(this, encryptionKey);
    addKeyStatement(
      this,
      encryptionKey,
      new iam.PolicyStatement({
        principals: [new iam.ServicePrincipal(`logs.${Aws.REGION}.${Aws.URL_SUFFIX}`)],
        actions: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
        resources: ['*'],
        conditions: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': stack.formatArn({
              service: 'logs',
              resource: 'log-group',
              resourceName: '*',
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
      'flow logs',
    );
    const logGroup = new logs.LogGroup(this, 'FlowLogGroup', {
      encryptionKey,
      retention: network.flowLogRetention ?? logs.RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.vpc.addFlowLog('FlowLog', {
      destination: ec2.FlowLogDestination.toCloudWatchLogs(logGroup),
      trafficType: ec2.FlowLogTrafficType.ALL,
    });
  }
}
