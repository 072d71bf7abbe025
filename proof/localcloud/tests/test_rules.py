"""What AWS refuses and no model says, by API and in templates."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Cloud, Network, unique
from errors import refused
from stacks import Stack

ACCOUNT = '000000000000'
ROOT = f'arn:aws:iam::{ACCOUNT}:root'
NO_KEY = f'arn:aws:kms:us-east-1:{ACCOUNT}:key/00000000-0000-4000-8000-000000000000'
DASH = 'servers — all'


def tags(count: int, first: str = 'k0') -> list[dict[str, str]]:
    return [{'Key': first, 'Value': 'v'}, *({'Key': f'k{at}', 'Value': 'v'} for at in range(1, count))]


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({'Version': '2012-10-17', 'Statement': list(statements)})


def allow(principal: Any, action: str = 'kms:*', **more: Any) -> dict[str, Any]:
    return {'Effect': 'Allow', 'Principal': principal, 'Action': action, 'Resource': '*', **more}


def alarm(**more: Any) -> dict[str, Any]:
    wanted = {'AlarmName': 'a', 'Namespace': 'n', 'MetricName': 'm', 'Statistic': 'Sum', 'Threshold': 1.0}
    return {**wanted, 'ComparisonOperator': 'GreaterThanThreshold', 'EvaluationPeriods': 1, 'Period': 60, **more}


def volume(**more: Any) -> dict[str, Any]:
    return {'AvailabilityZone': 'us-east-1a', 'Size': 10, **more}


def tagged(wanted: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [{'ResourceType': 'volume', 'Tags': wanted}]


HOOK = {
    'LifecycleHookName': 'h',
    'AutoScalingGroupName': 'g',
    'LifecycleTransition': 'autoscaling:EC2_INSTANCE_LAUNCHING',
}

FUNCTION = {
    'Role': ROOT,
    'Runtime': 'nodejs22.x',
    'Handler': 'index.handler',
    'Code': {'S3Bucket': 'none', 'S3Key': 'k'},
}

Case = tuple[str, str, dict[str, Any], str]

WRONG: dict[str, Case] = {
    '51 tags': ('ec2', 'create_volume', volume(TagSpecifications=tagged(tags(51))), 'TagLimitExceeded'),
    'an aws: tag': (
        'ec2',
        'create_volume',
        volume(TagSpecifications=tagged(tags(1, 'aws:x'))),
        'InvalidParameterValue',
    ),
    'an aws: tag later': (
        'ec2',
        'create_tags',
        {'Resources': ['vol-1'], 'Tags': tags(1, 'AWS:x')},
        'InvalidParameterValue',
    ),
    '51 tags of a topic': ('sns', 'create_topic', {'Name': 't', 'Tags': tags(51)}, 'InvalidParameter'),
    '51 tags of a key': (
        'kms',
        'create_key',
        {'Tags': [{'TagKey': f'k{i}', 'TagValue': ''} for i in range(51)]},
        'ValidationException',
    ),
    'a dash': ('ec2', 'create_security_group', {'GroupName': 'g', 'Description': DASH}, 'InvalidParameterValue'),
    'a subject of 101': ('sns', 'publish', {'Message': 'm', 'Subject': 's' * 101}, 'InvalidParameter'),
    'a subject of two lines': ('sns', 'publish', {'Message': 'm', 'Subject': 's\ns'}, 'InvalidParameter'),
    'a period of 45': ('cloudwatch', 'put_metric_alarm', alarm(Period=45), 'ValidationError'),
    '500 hours': ('cloudwatch', 'put_metric_alarm', alarm(Period=3600, EvaluationPeriods=500), 'ValidationError'),
    'two days of minutes': ('cloudwatch', 'put_metric_alarm', alarm(EvaluationPeriods=2880), 'ValidationError'),
    'more points than periods': ('cloudwatch', 'put_metric_alarm', alarm(DatapointsToAlarm=2), 'ValidationError'),
    'a name of 33': ('elbv2', 'create_load_balancer', {'Name': 'n' * 33, 'Subnets': ['subnet-1']}, 'ValidationError'),
    'a name that is internal': (
        'elbv2',
        'create_load_balancer',
        {'Name': 'internal-n', 'Subnets': ['s']},
        'ValidationError',
    ),
    'a target group of 33': ('elbv2', 'create_target_group', {'Name': 'n' * 33}, 'ValidationError'),
    'rate(1 minutes)': (
        'events',
        'put_rule',
        {'Name': 'r', 'ScheduleExpression': 'rate(1 minutes)'},
        'ValidationException',
    ),
    'rate(2 minute)': (
        'events',
        'put_rule',
        {'Name': 'r', 'ScheduleExpression': 'rate(2 minute)'},
        'ValidationException',
    ),
    'five fields': (
        'events',
        'put_rule',
        {'Name': 'r', 'ScheduleExpression': 'cron(0 1 * * ?)'},
        'ValidationException',
    ),
    'a heartbeat of 7201': ('autoscaling', 'put_lifecycle_hook', {**HOOK, 'HeartbeatTimeout': 7201}, 'ValidationError'),
    'a heartbeat of 29': ('autoscaling', 'put_lifecycle_hook', {**HOOK, 'HeartbeatTimeout': 29}, 'ValidationError'),
    '51 hosts': (
        'ssm',
        'send_command',
        {'DocumentName': 'AWS-RunShellScript', 'InstanceIds': [f'i-{i:017x}' for i in range(51)]},
        'ValidationException',
    ),
    'a comment of 101': (
        'ssm',
        'send_command',
        {'DocumentName': 'AWS-RunShellScript', 'Comment': 'c' * 101},
        'ValidationException',
    ),
    'a document of 65 KB': (
        'ssm',
        'create_document',
        {'Name': 'doc', 'Content': ' ' * 65_537},
        'MaxDocumentSizeExceeded',
    ),
    'a topic policy that is no JSON': (
        'sns',
        'create_topic',
        {'Name': 't', 'Attributes': {'Policy': '{'}},
        'InvalidParameter',
    ),
    'a topic policy without principal': (
        'sns',
        'create_topic',
        {'Name': 't', 'Attributes': {'Policy': policy({'Effect': 'Allow', 'Action': 'sns:Publish', 'Resource': '*'})}},
        'InvalidParameter',
    ),
    'a topic policy for queues': (
        'sns',
        'create_topic',
        {'Name': 't', 'Attributes': {'Policy': policy(allow('*', 'sqs:SendMessage'))}},
        'InvalidParameter',
    ),
    'a key for nobody known': (
        'kms',
        'create_key',
        {'Policy': policy(allow({'AWS': ROOT}), allow({'AWS': f'arn:aws:iam::{ACCOUNT}:role/nobody'}))},
        'MalformedPolicyDocumentException',
    ),
    'a key that locks out': (
        'kms',
        'create_key',
        {'Policy': policy(allow({'AWS': ROOT}, 'kms:Decrypt'))},
        'MalformedPolicyDocumentException',
    ),
    'a key whose policy is no JSON': ('kms', 'create_key', {'Policy': '{'}, 'MalformedPolicyDocumentException'),
    'a volume with no key': (
        'ec2',
        'create_volume',
        volume(Encrypted=True, KmsKeyId=NO_KEY),
        'InvalidKMSKey.InvalidState',
    ),
    'a log group with no key': (
        'logs',
        'create_log_group',
        {'logGroupName': 'l', 'kmsKeyId': NO_KEY},
        'InvalidParameterException',
    ),
    'an endpoint of elsewhere': (
        'ec2',
        'create_vpc_endpoint',
        {'VpcId': 'vpc-1', 'ServiceName': 'com.amazonaws.eu-west-1.s3'},
        'InvalidServiceName',
    ),
    'an endpoint of nothing': (
        'ec2',
        'create_vpc_endpoint',
        {'VpcId': 'vpc-1', 'ServiceName': 'com.amazonaws.us-east-1.nothing'},
        'InvalidServiceName',
    ),
}


@pytest.mark.parametrize('what', WRONG)
def test_what_aws_refuses_is_refused(cloud: Cloud, what: str) -> None:
    service, operation, members, code = WRONG[what]
    with refused(code):
        getattr(cloud.client(service), operation)(**members)


def test_who_means_to_lock_a_key_may(cloud: Cloud) -> None:
    locked = policy(allow({'AWS': ROOT}, 'kms:Decrypt'))
    assert cloud.client('kms').create_key(Policy=locked, BypassPolicyLockoutSafetyCheck=True)


@pytest.mark.parametrize(
    'more', [{'Period': 10}, {'Period': 3600, 'EvaluationPeriods': 168}, {'EvaluationPeriods': 1440}]
)
def test_alarms_within_the_limits_are_made(cloud: Cloud, more: dict[str, Any]) -> None:
    cloud.client('cloudwatch').put_metric_alarm(**alarm(**more))


def test_fifty_tags_are_taken(cloud: Cloud) -> None:
    assert cloud.client('ec2').create_volume(**volume(TagSpecifications=tagged(tags(50))))['VolumeId']


def test_a_file_system_of_lustre_needs_its_port(cloud: Cloud, network: Network) -> None:
    ec2, fsx = cloud.client('ec2'), cloud.client('fsx')
    group = ec2.create_security_group(VpcId=network.vpc, GroupName=unique('lustre'), Description='d')['GroupId']
    wanted = {'FileSystemType': 'LUSTRE', 'StorageCapacity': 1200, 'SubnetIds': [network.subnet]}
    lustre = {'DeploymentType': 'PERSISTENT_2', 'PerUnitStorageThroughput': 125}
    with refused('InvalidNetworkSettings', '988'):
        fsx.create_file_system(**wanted, SecurityGroupIds=[group], LustreConfiguration=lustre)
    ports = {'IpProtocol': 'tcp', 'FromPort': 988, 'ToPort': 988, 'IpRanges': [{'CidrIp': '10.0.0.0/8'}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[ports])
    assert fsx.create_file_system(**wanted, SecurityGroupIds=[group], LustreConfiguration=lustre)['FileSystem']


@pytest.fixture
def fails(cloud: Cloud) -> Iterator[Callable[[str, dict[str, Any]], str]]:
    made: list[Stack] = []

    def create(kind: str, properties: dict[str, Any]) -> str:
        stack = Stack(cloud)
        made.append(stack)
        assert stack.create({'One': {'Type': kind, 'Properties': properties}}) == 'ROLLBACK_COMPLETE'
        return stack.reasons()

    yield create
    for one in made:
        one.delete()


TEMPLATES: dict[str, tuple[str, dict[str, Any], str]] = {
    '51 tags': ('AWS::EC2::Volume', volume(Tags=tags(51)), 'TagLimitExceeded'),
    'an aws: tag': ('AWS::EC2::Volume', volume(Tags=tags(1, 'aws:x')), 'reserved'),
    'a volume with no key': ('AWS::EC2::Volume', volume(Encrypted=True, KmsKeyId=NO_KEY), 'InvalidKMSKey'),
    'a dash': ('AWS::EC2::SecurityGroup', {'GroupDescription': DASH}, 'InvalidParameterValue'),
    'a period of 45': ('AWS::CloudWatch::Alarm', alarm(Period=45), 'Period must be'),
    'a type': ('AWS::EC2::LaunchTemplate', {'LaunchTemplateData': {'InstanceType': 'm99.huge'}}, 'm99.huge'),
    'a rate': ('AWS::Events::Rule', {'ScheduleExpression': 'rate(1 minutes)'}, 'ScheduleExpression'),
    'a function without code': ('AWS::Lambda::Function', FUNCTION, 'NoSuchBucket'),
    'a log group with no key': ('AWS::Logs::LogGroup', {'KmsKeyId': NO_KEY}, 'KMS key'),
    'a key that locks out': (
        'AWS::KMS::Key',
        {'KeyPolicy': json.loads(policy(allow({'AWS': ROOT}, 'kms:Decrypt')))},
        'MalformedPolicyDocumentException',
    ),
}


@pytest.mark.parametrize('what', TEMPLATES)
def test_what_the_service_refuses_fails_the_stack(what: str, fails: Callable[[str, dict[str, Any]], str]) -> None:
    kind, properties, about = TEMPLATES[what]
    assert about in fails(kind, properties)
