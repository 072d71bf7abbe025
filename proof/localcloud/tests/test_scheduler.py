"""EventBridge Scheduler: when schedules are due, in whose name they call what, and what becomes of failures."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from conftest import Cloud, start_cloud, stop_cloud, unique, until
from errors import refused
from sas_grid_localcloud.query import Refused
from sas_grid_localcloud.scheduler import expressions
from sas_grid_localcloud.settings import ACCOUNT
from stacks import Stack


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ('expression', 'zone', 'after', 'due'),
    [
        ('cron(0 3 * * ? *)', 'UTC', '2026-11-28T02:59:59', '2026-11-28T03:00:00'),
        # Later than the moment itself, which has had its turn.
        ('cron(0 3 * * ? *)', 'UTC', '2026-11-28T03:00:00', '2026-11-29T03:00:00'),
        ('cron(0 8 * * ? *)', 'Europe/Berlin', '2026-07-01T00:00:00', '2026-07-01T06:00:00'),
        ('cron(0 8 * * ? *)', 'Europe/Berlin', '2026-12-01T00:00:00', '2026-12-01T07:00:00'),
        ('cron(0 8 ? * MON-FRI *)', 'America/New_York', '2026-11-27T14:00:00', '2026-11-30T13:00:00'),
        # Clocks are put forward: 02:30 does not exist on that day.
        ('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-03-28T12:00:00', '2026-03-30T00:30:00'),
        # And back: 02:30 comes twice, and counts once.
        ('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-10-24T12:00:00', '2026-10-25T00:30:00'),
        ('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-10-25T00:30:00', '2026-10-26T01:30:00'),
        ('at(2026-11-28T09:00:00)', 'Asia/Tokyo', '2026-11-27T00:00:00', '2026-11-28T00:00:00'),
        ('at(2026-11-28T09:00:00)', 'Asia/Tokyo', '2026-11-28T00:00:00', None),
        ('rate(5 minutes)', 'UTC', '2026-01-01T00:12:00', '2026-01-01T00:15:00'),
        ('rate(1 hour)', 'UTC', '2026-01-01T00:00:00', '2026-01-01T01:00:00'),
    ],
)
def test_when_it_is_due(expression: str, zone: str, after: str, due: str | None) -> None:
    found = expressions.next_time(expression, zone, at(after), at('2026-01-01T00:00:00'))
    assert found == (None if due is None else at(due))


@pytest.mark.parametrize(
    ('expression', 'zone'),
    [
        ('rate(5 weeks)', 'UTC'),
        ('cron(0 3 * * *)', 'UTC'),
        ('at(2026-13-01T00:00:00)', 'UTC'),
        ('daily', 'UTC'),
        ('rate(1 hour)', 'Europe/Atlantis'),
    ],
)
def test_what_is_no_time_is_refused(expression: str, zone: str) -> None:
    with pytest.raises(Refused, match='Invalid'):
        expressions.check(expression, zone)


@pytest.fixture(scope='module')
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS whose minute is a second."""
    minute = {'SAS_GRID_LOCALCLOUD_MINUTE_SECONDS': '1'}
    running = start_cloud(tmp_path_factory.mktemp('quick') / 'state', '--without-hosts', environment=minute)
    yield running
    stop_cloud(running)


@pytest.fixture(scope='module')
def machine(quick: Cloud) -> str:
    states = quick.client('stepfunctions')
    definition = {'StartAt': 'End', 'States': {'End': {'Type': 'Succeed'}}}
    text, role = json.dumps(definition), quick.unlimited_role()
    return str(states.create_state_machine(name=unique('machine'), definition=text, roleArn=role)['stateMachineArn'])


def role(cloud: Cloud, service: str = 'scheduler.amazonaws.com', **allowed: str) -> str:
    """A role that the service may assume, and that may do these actions (``states_StartExecution``) on a resource."""
    iam, name = cloud.client('iam'), unique('scheduler')
    trusted = {'Effect': 'Allow', 'Principal': {'Service': service}, 'Action': 'sts:AssumeRole'}
    trust = {'Version': '2012-10-17', 'Statement': [{**trusted, 'Condition': {
        'StringEquals': {'aws:SourceAccount': ACCOUNT}}}]}  # fmt: skip
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))['Role']['Arn']
    statements = [
        {'Effect': 'Allow', 'Action': action.replace('_', ':'), 'Resource': resource}
        for action, resource in allowed.items()
    ]
    if statements:
        document = json.dumps({'Version': '2012-10-17', 'Statement': statements})
        iam.put_role_policy(RoleName=name, PolicyName='p', PolicyDocument=document)
    return str(made)


@pytest.fixture
def schedule(quick: Cloud) -> Iterator[Callable[..., str]]:
    client, made = quick.client('scheduler'), []

    def make(target: dict[str, Any], **more: Any) -> str:
        name = unique('schedule')
        wanted = {'ScheduleExpression': 'rate(1 minute)', 'FlexibleTimeWindow': {'Mode': 'OFF'}, **more}
        client.create_schedule(Name=name, Target=target, **wanted)
        made.append(name)
        return name

    yield make
    for one in made:
        try:
            client.delete_schedule(Name=one)
        except client.exceptions.ResourceNotFoundException:
            pass


def inputs(cloud: Cloud, machine: str) -> list[Any]:
    states = cloud.client('stepfunctions')
    found = states.list_executions(stateMachineArn=machine)['executions']
    return [json.loads(states.describe_execution(executionArn=one['executionArn'])['input']) for one in found]


def outcomes(cloud: Cloud, name: str) -> list[str]:
    return [one['to'] for one in cloud.history(kind='schedule', id=arn(name))]


def arn(name: str) -> str:
    return f'arn:aws:scheduler:us-east-1:{ACCOUNT}:schedule/default/{name}'


def test_a_rate_starts_executions_until_it_is_disabled(
    quick: Cloud, machine: str, schedule: Callable[..., str]
) -> None:
    name = unique('run')
    text = json.dumps({'run': name, 'of': '<aws.scheduler.schedule-arn>', 'at': '<aws.scheduler.scheduled-time>'})
    target = {'Arn': machine, 'RoleArn': role(quick, states_StartExecution=machine), 'Input': text}
    made = schedule(target)
    until(lambda: sum(one.get('run') == name for one in inputs(quick, machine)) >= 2, 'two executions')
    began = [one for one in inputs(quick, machine) if one.get('run') == name]
    assert {one['of'] for one in began} == {arn(made)}
    assert all(datetime.fromisoformat(one['at']).tzinfo for one in began)
    # In the role's name, which the log of calls has.
    calls = quick.calls(service='states', action='StartExecution')
    assert {one['role'] for one in calls if name in str(one['parameters'])} == {target['RoleArn'].split('/')[-1]}
    client = quick.client('scheduler')
    client.update_schedule(
        Name=made, Target=target, ScheduleExpression='rate(1 minute)', FlexibleTimeWindow={'Mode': 'OFF'},
        State='DISABLED'
    )  # fmt: skip
    fired = len(outcomes(quick, made))
    other = schedule(target)
    until(lambda: len(outcomes(quick, other)) >= 2, 'another one')
    assert len(outcomes(quick, made)) <= fired + 1, 'one may have been on its way'


def test_once_in_its_time_zone_and_gone_afterwards(quick: Cloud, machine: str, schedule: Callable[..., str]) -> None:
    from zoneinfo import ZoneInfo

    soon = datetime.fromtimestamp(int(time.time()) + 2, ZoneInfo('Asia/Kolkata'))
    target = {'Arn': machine, 'RoleArn': role(quick, states_StartExecution=machine)}
    made = schedule(
        target,
        ScheduleExpression=f'at({soon:%Y-%m-%dT%H:%M:%S})',
        ScheduleExpressionTimezone='Asia/Kolkata',
        ActionAfterCompletion='DELETE',
    )
    assert quick.client('scheduler').get_schedule(Name=made)['ScheduleExpressionTimezone'] == 'Asia/Kolkata'
    until(lambda: outcomes(quick, made) == ['fired'], 'its time')
    # Without an input of its own it tells the default.
    assert [one['source'] for one in inputs(quick, machine) if one.get('resources') == [arn(made)]] == ['aws.scheduler']
    client = quick.client('scheduler')

    def gone() -> bool:
        return made not in [one['Name'] for one in client.list_schedules()['Schedules']]

    until(gone, 'its end')


def test_a_role_that_may_not_start_it_fails_into_the_dead_letter_queue(
    quick: Cloud, machine: str, schedule: Callable[..., str]
) -> None:
    sqs, queue = quick.client('sqs'), unique('dead')
    url = sqs.create_queue(QueueName=queue)['QueueUrl']
    where = f'arn:aws:sqs:us-east-1:{ACCOUNT}:{queue}'
    target = {
        'Arn': machine,
        'RoleArn': role(quick, sqs_SendMessage=where),
        'Input': '{"a": 1}',
        'DeadLetterConfig': {'Arn': where},
    }
    made = schedule(target)
    until(lambda: 'failed' in outcomes(quick, made), 'the failure')
    failed = quick.history(kind='schedule', id=arn(made))[0]
    assert 'states:StartExecution' in failed['why']
    [message] = until(
        lambda: sqs.receive_message(QueueUrl=url, MessageAttributeNames=['All']).get('Messages'), 'the message'
    )
    assert message['Body'] == '{"a": 1}'
    told = {name: one['StringValue'] for name, one in message['MessageAttributes'].items()}
    assert told['SCHEDULE_ARN'] == arn(made)
    assert 'AccessDenied' in told['ERROR_CODE']
    now = time.time()
    counted = quick.client('cloudwatch').get_metric_statistics(
        Namespace='AWS/Scheduler',
        MetricName='TargetErrorCount',
        Dimensions=[{'Name': 'ScheduleGroup', 'Value': 'default'}],
        Statistics=['Sum'],
        Period=60,
        StartTime=now - 600,
        EndTime=now + 60,
    )['Datapoints']
    assert sum(one['Sum'] for one in counted) >= 1


def test_a_universal_target_calls_any_action(quick: Cloud, schedule: Callable[..., str]) -> None:
    topic = quick.client('sns').create_topic(Name=unique('topic'))['TopicArn']
    quick.client('sns').subscribe(TopicArn=topic, Protocol='email', Endpoint='scheduled@example.com')
    text = json.dumps({'TopicArn': topic, 'Message': 'by a schedule', 'Subject': 'due'})
    target = {'Arn': 'arn:aws:scheduler:::aws-sdk:sns:publish', 'RoleArn': role(quick, sns_Publish=topic)}
    with refused('ValidationException', 'Input is required'):
        schedule(target)
    schedule({**target, 'Input': text})
    until(lambda: quick.history(kind='mail', id='scheduled@example.com'), 'the mail')


def test_what_scheduler_refuses(quick: Cloud, machine: str, schedule: Callable[..., str]) -> None:
    target = {'Arn': machine, 'RoleArn': role(quick)}
    with refused('ValidationException', 'assume the role'):
        schedule({**target, 'RoleArn': role(quick, 'events.amazonaws.com')})
    with refused('ValidationException', 'Invalid Schedule Expression'):
        schedule(target, ScheduleExpression='rate(1 fortnight)')
    with refused('ValidationException', 'Europe/Atlantis'):
        schedule(target, ScheduleExpressionTimezone='Europe/Atlantis')
    with refused('ValidationException', 'MaximumWindowInMinutes'):
        schedule(target, FlexibleTimeWindow={'Mode': 'FLEXIBLE'})
    with refused('ValidationException', 'not implemented'):
        schedule({**target, 'Arn': f'arn:aws:ecs:us-east-1:{ACCOUNT}:cluster/c'})


def test_nothing_is_due_while_all_stands_still(quick: Cloud, machine: str, schedule: Callable[..., str]) -> None:
    target = {'Arn': machine, 'RoleArn': role(quick, states_StartExecution=machine)}
    with quick.still():
        due = int(time.time()) + 1
        made = schedule(target, ScheduleExpression=f'at({datetime.fromtimestamp(due, UTC):%Y-%m-%dT%H:%M:%S})')
        until(lambda: time.time() > due + 0.5, 'a moment after it was due')
        assert outcomes(quick, made) == []
    until(lambda: outcomes(quick, made), 'afterwards')


def test_a_template_makes_changes_and_deletes_it(quick: Cloud, machine: str) -> None:
    stack, client = Stack(quick), quick.client('scheduler')
    target = {'Arn': machine, 'RoleArn': role(quick, states_StartExecution=machine), 'Input': '{"by": "template"}'}

    def resources(**more: Any) -> dict[str, Any]:
        wanted = {
            'FlexibleTimeWindow': {'Mode': 'OFF'},
            'ScheduleExpression': 'cron(0 3 * * ? *)',
            'ScheduleExpressionTimezone': 'Europe/Berlin',
            'Target': target,
            **more,
        }
        return {'Nightly': {'Type': 'AWS::Scheduler::Schedule', 'Properties': wanted}}

    outputs = {'Arn': {'Fn::GetAtt': ['Nightly', 'Arn']}}
    assert stack.create(resources(), outputs) == 'CREATE_COMPLETE', stack.reasons()
    name = stack.ids()['Nightly']
    assert stack.outputs()['Arn'] == arn(name)
    assert client.get_schedule(Name=name)['ScheduleExpressionTimezone'] == 'Europe/Berlin'
    assert outcomes(quick, name) == []
    assert stack.update(resources(ScheduleExpression='rate(1 minute)'), outputs) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['Nightly'] == name
    until(lambda: 'fired' in outcomes(quick, name), 'its time')
    wrong = resources(
        ScheduleExpression='rate(1 minute)', Target={**target, 'RoleArn': role(quick, 'ec2.amazonaws.com')}
    )
    assert stack.update(wrong, outputs) == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'must allow AWS EventBridge Scheduler to assume the role' in stack.reasons()
    stack.delete()
    assert client.list_schedules(NamePrefix=name)['Schedules'] == []
