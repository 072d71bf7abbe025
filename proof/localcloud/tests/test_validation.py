"""What a model of AWS does not allow is refused: wrong requests that are derived from the models."""

import os
from typing import Any

import boto3
import pytest
from botocore.config import Config
from ministack import app

from conftest import Cloud
from errors import refused
from sas_grid_localcloud.validation import checks, codes, door, laxer, models
from wrong_requests import sent, wrong_requests

ASKED = (
    'autoscaling',
    'backup',
    'cloudformation',
    'cloudwatch',
    'dlm',
    'dynamodb',
    'ec2',
    'ecr',
    'efs',
    'elbv2',
    'events',
    'fsx',
    'iam',
    'imagebuilder',
    'kms',
    'lambda',
    'logs',
    'route53',
    's3',
    'scheduler',
    'secretsmanager',
    'servicecatalog',
    'sns',
    'sqs',
    'ssm',
    'stepfunctions',
    'sts',
    'resourcegroupstaggingapi',
)
"""by the deployments, their functions and hosts, the CDK and the demo"""

ALSO = ('apigatewayv2', 'elb', 'sesv2')
"""behind the address of another one"""

_ANSWERED = {models.name_of(one, '/', {}) for one in app.SERVICE_HANDLERS} | set(ALSO) | set(ASKED)


def every() -> list[str]:
    return sorted(name for name in _ANSWERED if models.model_of(name))


SERVICES = every() if os.environ.get('SAS_GRID_EVERY_SERVICE') == '1' else ASKED
"""SAS_GRID_EVERY_SERVICE=1 takes all that the embedded AWS answers: half a minute"""


@pytest.mark.parametrize('service', SERVICES)
def test_what_the_model_does_not_allow_is_refused(service: str) -> None:
    model = models.model_of(service)
    assert model is not None
    taken, seen = [], 0
    for name in model.operation_names:
        operation = model.operation_model(name)
        for wrong in wrong_requests(service, operation):
            seen += 1
            judgement = door.judged(model, sent(operation, wrong.members))
            asked, violations = judgement.operation, judgement.violations
            if asked != name and wrong.elsewhere:
                continue
            if asked != name or not any(one.path == wrong.path for one in violations):
                taken.append(f'{wrong}: {asked} {[(one.path, one.kind) for one in violations][:4]}')
    assert seen
    assert taken == []


@pytest.mark.parametrize('service', SERVICES)
def test_every_pattern_of_a_model_can_be_read(service: str) -> None:
    model = models.model_of(service)
    assert model is not None
    for name in model.shape_names:
        pattern = model.shape_for(name).metadata.get('pattern')
        if pattern:
            checks.compiled_pattern(pattern)


def test_what_is_laxer_says_why_and_whence() -> None:
    for one in laxer.LAXER:
        assert one.reason, one
        assert one.source, one
        model = models.model_of(one.service)
        assert model is not None
        assert one.shape in model.shape_names, one


def client(cloud: Cloud, service: str) -> Any:
    """A client that sends what it is given."""
    free = Config(parameter_validation=False, retries={'total_max_attempts': 1})
    environment = {'aws_access_key_id': 'test', 'aws_secret_access_key': 'test', 'region_name': 'us-east-1'}
    return boto3.client(service, endpoint_url=cloud.endpoint, config=free, **environment)


@pytest.mark.parametrize(
    ('service', 'operation', 'members', 'code', 'about'),
    [
        (
            'ec2',
            'create_volume',
            {'AvailabilityZone': 'us-east-1a', 'VolumeType': 'gp9'},
            'UnknownVolumeType',
            'gp9',
        ),
        ('ec2', 'attach_volume', {'VolumeId': 'vol-0123456789abcdef0'}, 'MissingParameter', 'instanceId'),
        (
            'ec2',
            'run_instances',
            {'MinCount': 1, 'MaxCount': 1, 'InstanceType': 'm99.huge'},
            'InvalidParameterValue',
            'm99',
        ),
        ('ec2', 'describe_volumes', {'MaxResults': 'many'}, 'InvalidParameterValue', 'integer'),
        ('autoscaling', 'put_lifecycle_hook', {'LifecycleHookName': 'h'}, 'ValidationError', 'autoScalingGroupName'),
        ('cloudformation', 'create_stack', {'StackName': '1-bad'}, 'ValidationError', 'stackName'),
        ('cloudwatch', 'put_metric_alarm', {'AlarmName': 'a', 'Statistic': 'Most'}, 'ValidationError', 'Most'),
        ('sns', 'create_topic', {}, 'InvalidParameter', 'name'),
        ('iam', 'create_role', {'RoleName': 'a b', 'AssumeRolePolicyDocument': '{}'}, 'ValidationError', 'a b'),
        ('dynamodb', 'get_item', {'TableName': 't!', 'Key': {}}, 'ValidationException', 'tableName'),
        ('ssm', 'get_parameters', {'Names': [7]}, 'SerializationException', 'string'),
        (
            'dynamodb',
            'get_item',
            {'TableName': 'tab', 'Key': {}, 'ReturnConsumedCapacity': 'ALL'},
            'ValidationException',
            'ALL',
        ),
        ('ssm', 'put_parameter', {'Name': 'n', 'Value': 'v', 'Type': 'Text'}, 'ValidationException', 'Text'),
        ('kms', 'create_alias', {'AliasName': 'alias/a!', 'TargetKeyId': 'k'}, 'ValidationException', 'alias/a!'),
        ('stepfunctions', 'start_execution', {}, 'ValidationException', 'stateMachineArn'),
        ('fsx', 'describe_file_systems', {'MaxResults': 0}, 'BadRequest', 'maxResults'),
        ('servicecatalog', 'create_portfolio', {'DisplayName': 'd'}, 'InvalidParametersException', 'providerName'),
        ('lambda', 'create_function', {'FunctionName': 'f!', 'Role': 'r', 'Code': {}}, 'ValidationException', 'f!'),
        ('efs', 'create_file_system', {'PerformanceMode': 'fast'}, 'ValidationException', 'fast'),
        ('route53', 'create_hosted_zone', {'Name': 'a.example'}, 'InvalidInput', 'callerReference'),
        ('scheduler', 'get_schedule', {'Name': 'a b'}, 'ValidationException', 'a b'),
        ('backup', 'create_backup_vault', {'BackupVaultName': '!'}, 'InvalidParameterValueException', '!'),
        (
            's3',
            'put_bucket_versioning',
            {'Bucket': 'b', 'VersioningConfiguration': {'Status': 'On'}},
            'InvalidArgument',
            'On',
        ),
    ],
)
def test_each_protocol_s_refusal_is_the_service_s(
    cloud: Cloud, service: str, operation: str, members: dict[str, Any], code: str, about: str
) -> None:
    with refused(code, about):
        getattr(client(cloud, service), operation)(**members)


def test_members_that_do_not_exist_are_refused(cloud: Cloud) -> None:
    model = models.model_of('ec2')
    assert model is not None
    request = sent(model.operation_model('DescribeVolumes'), {})
    wrong = door.Request.of('POST', '/', request.headers, request.raw + b'&VolumId.1=vol-1&NoSuch=1', {})
    judgement = door.judged(model, wrong)
    violations = judgement.violations
    assert judgement.operation == 'DescribeVolumes'
    assert {(one.path, one.kind) for one in violations} == {('VolumId', 'unknown'), ('NoSuch', 'unknown')}
    assert codes.code_of(model, 'DescribeVolumes', violations) == 'UnknownParameter'
