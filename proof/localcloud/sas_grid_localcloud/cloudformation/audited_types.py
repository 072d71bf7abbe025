"""Resource types that ministack implements, with the properties it implements (read in its source, 1.5.33).

``accepted`` are properties without effect in the emulation. All others fail the resource.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ministack.services.cloudformation import provisioners

from ..ec2.launch import KNOWN as KNOWN_LAUNCH_DATA
from . import completed
from .interface_users import add_endpoint_interfaces, delete_endpoint
from .registry import NotImplementedHere, Properties, audit, run_on_thread


@dataclass(frozen=True)
class Audited:
    """What is known of one type."""

    implemented: str
    accepted: str = ''
    check: Callable[[Properties], None] | None = None
    afterwards: Callable[[str, Properties], Mapping[str, Any] | None] | None = None
    named_by: str = ''


def _known_launch_data(properties: Properties) -> None:
    for one in sorted(set(properties.get('LaunchTemplateData') or {}) - KNOWN_LAUNCH_DATA):
        raise NotImplementedHere(
            f'AWS::EC2::LaunchTemplate property LaunchTemplateData.{one} is not implemented by the embedded AWS'
        )


def _endpoint(physical_id: str, properties: Properties) -> None:
    add_endpoint_interfaces(physical_id, properties)


TYPES: dict[str, Audited] = {
    'AWS::CloudWatch::Alarm': Audited(
        'ActionsEnabled AlarmActions AlarmDescription AlarmName ComparisonOperator DatapointsToAlarm Dimensions '
        'EvaluationPeriods ExtendedStatistic InsufficientDataActions MetricName Metrics Namespace OKActions Period '
        'Statistic Tags Threshold TreatMissingData Unit'
    ),
    'AWS::CloudWatch::Dashboard': Audited('DashboardBody DashboardName', 'Tags'),
    'AWS::DynamoDB::Table': Audited(
        'AttributeDefinitions BillingMode DeletionProtectionEnabled GlobalSecondaryIndexes KeySchema '
        'LocalSecondaryIndexes PointInTimeRecoverySpecification ProvisionedThroughput SSESpecification '
        'StreamSpecification TableName Tags TimeToLiveSpecification',
        'ContributorInsightsSpecification TableClass',
        afterwards=completed.table,
    ),
    'AWS::DynamoDB::GlobalTable': Audited(
        'AttributeDefinitions BillingMode GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes Replicas '
        'StreamSpecification TableName',
        'SSESpecification TimeToLiveSpecification',
    ),
    'AWS::EC2::InternetGateway': Audited('Tags'),
    'AWS::EC2::LaunchTemplate': Audited(
        'LaunchTemplateData LaunchTemplateName TagSpecifications VersionDescription', check=_known_launch_data
    ),
    'AWS::EC2::Route': Audited(
        'DestinationCidrBlock GatewayId InstanceId NatGatewayId NetworkInterfaceId RouteTableId',
        check=completed.route,
    ),
    'AWS::EC2::RouteTable': Audited('Tags VpcId'),
    'AWS::EC2::SecurityGroup': Audited(
        'GroupDescription GroupName SecurityGroupEgress SecurityGroupIngress Tags VpcId'
    ),
    'AWS::EC2::Subnet': Audited('AvailabilityZone CidrBlock MapPublicIpOnLaunch Tags VpcId'),
    'AWS::EC2::SubnetRouteTableAssociation': Audited('RouteTableId SubnetId'),
    'AWS::EC2::VPC': Audited(
        'CidrBlock EnableDnsHostnames EnableDnsSupport InstanceTenancy Tags', afterwards=completed.vpc
    ),
    'AWS::EC2::VPCEndpoint': Audited(
        'PolicyDocument PrivateDnsEnabled RouteTableIds SecurityGroupIds ServiceName SubnetIds Tags VpcEndpointType '
        'VpcId',
        afterwards=_endpoint,
    ),
    'AWS::EC2::VPCGatewayAttachment': Audited('InternetGatewayId VpcId'),
    'AWS::ECR::Repository': Audited(
        'EncryptionConfiguration ImageScanningConfiguration ImageTagMutability LifecyclePolicy RepositoryName '
        'RepositoryPolicyText Tags'
    ),
    'AWS::ElasticLoadBalancingV2::Listener': Audited(
        'Certificates DefaultActions LoadBalancerArn Port Protocol SslPolicy Tags',
        'ListenerAttributes AlpnPolicy',
    ),
    'AWS::ElasticLoadBalancingV2::LoadBalancer': Audited(
        'IpAddressType LoadBalancerAttributes Name Scheme SecurityGroups Subnets Tags Type',
        'EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic',
    ),
    'AWS::ElasticLoadBalancingV2::TargetGroup': Audited(
        'HealthCheckEnabled HealthCheckIntervalSeconds HealthCheckPath HealthCheckPort HealthCheckProtocol '
        'HealthCheckTimeoutSeconds HealthyThresholdCount Matcher Name Port Protocol Tags TargetGroupAttributes '
        'TargetType Targets UnhealthyThresholdCount VpcId',
        afterwards=completed.target_group,
    ),
    'AWS::Events::Rule': Audited(
        'Description EventBusName EventPattern Name RoleArn ScheduleExpression State Tags Targets'
    ),
    'AWS::IAM::InstanceProfile': Audited('InstanceProfileName Path Roles'),
    'AWS::IAM::ManagedPolicy': Audited('Description Groups ManagedPolicyName Path PolicyDocument Roles Users'),
    'AWS::IAM::Policy': Audited('Groups PolicyDocument PolicyName Roles Users', afterwards=completed.inline_policy),
    'AWS::IAM::Role': Audited(
        'AssumeRolePolicyDocument Description ManagedPolicyArns MaxSessionDuration Path Policies RoleName Tags',
        'PermissionsBoundary',
    ),
    'AWS::KMS::Alias': Audited('AliasName TargetKeyId'),
    'AWS::KMS::Key': Audited(
        'Description EnableKeyRotation Enabled KeyPolicy KeySpec KeyUsage MultiRegion RotationPeriodInDays Tags',
        'PendingWindowInDays',
    ),
    'AWS::Lambda::EventInvokeConfig': Audited(
        'DestinationConfig FunctionName MaximumEventAgeInSeconds MaximumRetryAttempts Qualifier'
    ),
    'AWS::Lambda::Function': Audited(
        'Architectures Code Description Environment EphemeralStorage FunctionName Handler Layers LoggingConfig '
        'MemorySize PackageType Role Runtime Tags Timeout TracingConfig',
        'DeadLetterConfig KmsKeyArn RecursiveLoop ReservedConcurrentExecutions RuntimeManagementConfig VpcConfig',
    ),
    'AWS::Lambda::LayerVersion': Audited(
        'CompatibleRuntimes Content Description LayerName', 'CompatibleArchitectures LicenseInfo'
    ),
    'AWS::Lambda::Permission': Audited(
        'Action EventSourceToken FunctionName FunctionUrlAuthType Principal PrincipalOrgID SourceAccount SourceArn'
    ),
    'AWS::Lambda::Version': Audited('Description FunctionName', 'CodeSha256'),
    'AWS::Logs::LogGroup': Audited('KmsKeyId LogGroupClass LogGroupName RetentionInDays Tags', named_by='LogGroupName'),
    'AWS::Logs::MetricFilter': Audited('FilterName FilterPattern LogGroupName MetricTransformations'),
    'AWS::Route53::HostedZone': Audited(
        'HostedZoneConfig Name VPCs', 'HostedZoneTags', afterwards=completed.hosted_zone
    ),
    'AWS::Route53::RecordSet': Audited(
        'AliasTarget Comment HostedZoneId HostedZoneName Name Region ResourceRecords SetIdentifier TTL Type Weight'
    ),
    'AWS::S3::Bucket': Audited(
        'BucketEncryption BucketName CorsConfiguration NotificationConfiguration PublicAccessBlockConfiguration Tags '
        'VersioningConfiguration WebsiteConfiguration',
        'LifecycleConfiguration LoggingConfiguration OwnershipControls AccessControl ObjectLockEnabled',
        afterwards=completed.bucket,
    ),
    'AWS::S3::BucketPolicy': Audited('Bucket PolicyDocument'),
    'AWS::SNS::Subscription': Audited(
        'Endpoint FilterPolicy FilterPolicyScope Protocol RawMessageDelivery TopicArn', 'RedrivePolicy'
    ),
    'AWS::SNS::Topic': Audited('DisplayName KmsMasterKeyId Subscription Tags TopicName', afterwards=completed.topic),
    'AWS::SNS::TopicPolicy': Audited('PolicyDocument Topics'),
    'AWS::SQS::Queue': Audited(
        'ContentBasedDeduplication DelaySeconds FifoQueue KmsMasterKeyId MessageRetentionPeriod QueueName '
        'ReceiveMessageWaitTimeSeconds RedrivePolicy SqsManagedSseEnabled Tags VisibilityTimeout',
        'KmsDataKeyReusePeriodSeconds MaximumMessageSize RedriveAllowPolicy',
    ),
    'AWS::SQS::QueuePolicy': Audited('PolicyDocument Queues'),
    'AWS::SSM::Parameter': Audited(
        'AllowedPattern DataType Description Name Policies Tags Tier Type Value', named_by='Name'
    ),
    'AWS::Scheduler::ScheduleGroup': Audited('Name Tags'),
    'AWS::StepFunctions::StateMachine': Audited(
        'Definition DefinitionS3Location DefinitionString DefinitionSubstitutions EncryptionConfiguration '
        'LoggingConfiguration RoleArn StateMachineName StateMachineType Tags',
        'TracingConfiguration',
    ),
}
"""By name of the type."""


def install() -> None:
    """Guard them."""
    for name, one in TYPES.items():
        audit(
            name,
            frozenset(one.implemented.split()),
            frozenset(one.accepted.split()),
            one.check,
            one.afterwards,
            one.named_by,
        )
    handlers = provisioners._RESOURCE_HANDLERS
    handlers['AWS::EC2::VPCEndpoint'] = dict(handlers['AWS::EC2::VPCEndpoint'], delete=delete_endpoint)
    for name in ('AWS::EC2::VPCEndpoint', 'AWS::EC2::VPC'):
        run_on_thread(name)
