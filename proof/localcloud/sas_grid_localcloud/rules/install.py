"""Which rule is for which operation, and for which type of resource: CloudFormation asks the same services."""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services.cloudformation import provisioners

from ..query import Refused
from . import existing, fields, policies, tags

Members = Mapping[str, Any]
Rule = Callable[[Members], None]
Handler = Callable[..., Any]

_CATALOG = 'aws:servicecatalog:'

RULES: Mapping[tuple[str, str], Rule] = {
    ('autoscaling', 'CreateAutoScalingGroup'): fields.heartbeats,
    ('autoscaling', 'PutLifecycleHook'): fields.heartbeat,
    ('cloudwatch', 'PutMetricAlarm'): fields.alarm,
    ('ec2', 'AuthorizeSecurityGroupEgress'): fields.group_texts,
    ('ec2', 'AuthorizeSecurityGroupIngress'): fields.group_texts,
    ('ec2', 'CreateSecurityGroup'): fields.group_texts,
    ('ec2', 'CreateVolume'): existing.volume,
    ('ec2', 'CreateVpcEndpoint'): existing.endpoint,
    ('elbv2', 'CreateLoadBalancer'): fields.balancer_name,
    ('elbv2', 'CreateTargetGroup'): fields.balancer_name,
    ('events', 'PutRule'): fields.schedule,
    ('fsx', 'CreateFileSystem'): existing.lustre_ports,
    ('kms', 'CreateKey'): policies.key,
    ('kms', 'PutKeyPolicy'): policies.key,
    ('lambda', 'CreateFunction'): existing.code,
    ('lambda', 'UpdateFunctionCode'): existing.code,
    ('logs', 'AssociateKmsKey'): existing.log_group,
    ('logs', 'CreateLogGroup'): existing.log_group,
    ('sns', 'CreateTopic'): policies.topic,
    ('sns', 'Publish'): fields.subject,
    ('sns', 'SetTopicAttributes'): policies.topic,
    ('ssm', 'CreateDocument'): fields.document,
    ('ssm', 'UpdateDocument'): fields.document,
}


def _group(properties: Members) -> Members:
    told = [properties.get('GroupDescription')]
    for name in ('SecurityGroupIngress', 'SecurityGroupEgress'):
        told += [one.get('Description') for one in properties.get(name) or []]
    return {'IpPermissions': [{'IpRanges': [{'Description': one} for one in told if one is not None]}]}


def _logs(properties: Members) -> Members:
    return {'kmsKeyId': properties.get('KmsKeyId'), 'logGroupName': properties.get('LogGroupName')}


OF_TYPES: Mapping[str, Rule] = {
    'AWS::AutoScaling::AutoScalingGroup': fields.heartbeats,
    'AWS::AutoScaling::LifecycleHook': fields.heartbeat,
    'AWS::CloudWatch::Alarm': fields.alarm,
    'AWS::EC2::Instance': existing.instance_type,
    'AWS::EC2::LaunchTemplate': existing.instance_type,
    'AWS::EC2::SecurityGroup': lambda properties: fields.group_texts(_group(properties)),
    'AWS::EC2::SecurityGroupEgress': fields.group_texts,
    'AWS::EC2::SecurityGroupIngress': fields.group_texts,
    'AWS::EC2::VPCEndpoint': existing.endpoint,
    'AWS::EC2::Volume': existing.volume,
    'AWS::ElasticLoadBalancingV2::LoadBalancer': fields.balancer_name,
    'AWS::ElasticLoadBalancingV2::TargetGroup': fields.balancer_name,
    'AWS::Events::Rule': fields.schedule,
    'AWS::FSx::FileSystem': existing.lustre_ports,
    'AWS::KMS::Key': policies.key,
    'AWS::Lambda::Function': existing.code,
    'AWS::Logs::LogGroup': lambda properties: existing.log_group(_logs(properties)),
    'AWS::SNS::TopicPolicy': policies.topic_policy,
    'AWS::SSM::Document': fields.document,
}


def refuse(service: str, operation: str, members: Members, invalid: str) -> None:
    """What is wrong with a request that its model allows.

    @throws Refused with the service's code
    """
    if not operation.startswith(('Untag', 'Delete', 'Describe', 'List', 'Get', 'Search')):
        # Service Catalog asks CloudFormation by the same address as everybody.
        own = (_CATALOG,) if service == 'cloudformation' else ()
        tags.check(members, invalid, 'TagLimitExceeded' if service == 'ec2' else invalid, own)
    rule = RULES.get((service, operation))
    if rule is not None:
        rule(members)


def install() -> None:
    """Look at templates. After all types are registered."""
    for name, handler in list(provisioners._RESOURCE_HANDLERS.items()):
        provisioners._RESOURCE_HANDLERS[name] = _guarded(name, handler)


def _guarded(name: str, handler: Any) -> Any:
    guarded = dict(handler)
    rule = OF_TYPES.get(name)

    def look(properties: Members) -> None:
        tags.check(properties, 'InvalidParameterValue', 'TagLimitExceeded', ('aws:cloudformation:', _CATALOG))
        if rule is not None:
            rule(properties)

    def before(own: Handler, at: int) -> Handler:
        def run(*given: Any) -> Any:
            try:
                look(given[at])
            except Refused as refused:
                raise ValueError(str(refused)) from refused
            return own(*given)

        return run

    if handler.get('create'):
        guarded['create'] = before(handler['create'], 1)
    if handler.get('update'):
        guarded['update'] = before(handler['update'], 2)
    return guarded
