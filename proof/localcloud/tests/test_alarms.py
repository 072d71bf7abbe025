"""Alarms: their states by the tables of CloudWatch's user guide, math, and that they ring and tell."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Cloud, start_cloud, stop_cloud, unique, until
from sas_grid_localcloud.cloudwatch import expressions
from sas_grid_localcloud.cloudwatch.judging import state_of

# "Configuring how CloudWatch alarms treat missing data": oldest first; X breaches, - is missing. Then the states when
# missing data are missing, ignored, breaching and notBreaching; None keeps the state.
THREE_OF_THREE = [
    ('0-X-X', 'OK OK OK OK'),
    ('----0', 'OK OK OK OK'),
    ('-----', 'INSUFFICIENT_DATA None ALARM OK'),
    ('0XX-X', 'ALARM ALARM ALARM ALARM'),
    ('--X--', 'ALARM None ALARM OK'),
]
TWO_OF_THREE = [
    ('0-X-X', 'ALARM ALARM ALARM ALARM'),
    ('00X0X', 'ALARM ALARM ALARM ALARM'),
    ('0-X--', 'OK OK ALARM OK'),
    ('----0', 'OK OK ALARM OK'),
    ('---X-', 'ALARM None ALARM OK'),
]
TREATMENTS = ('missing', 'ignore', 'breaching', 'notBreaching')


@pytest.mark.parametrize(
    ('row', 'wanted', 'treatment', 'state'),
    [
        (row, wanted, treatment, state)
        for wanted, table in ((3, THREE_OF_THREE), (2, TWO_OF_THREE))
        for row, states in table
        for treatment, state in zip(TREATMENTS, states.split(), strict=True)
    ],
)
def test_missing_data_are_treated_as_the_user_guide_says(row: str, wanted: int, treatment: str, state: str) -> None:
    newest_first = [{'0': False, 'X': True, '-': None}[one] for one in reversed(row)]
    assert str(state_of(newest_first, 3, wanted, treatment)) == state


A, B = {0.0: 1.0, 60.0: 4.0}, {0.0: 2.0, 120.0: 6.0}


@pytest.mark.parametrize(
    ('expression', 'values'),
    [
        ('a+b', {0.0: 3.0}),
        ('100*a/(a+b)', {0.0: 100 / 3}),
        ('a/0', {}),
        ('FILL(a,0)+FILL(b,0)', {0.0: 3.0, 60.0: 4.0, 120.0: 6.0}),
        ('FILL(a,REPEAT)', {0.0: 1.0, 60.0: 4.0, 120.0: 4.0}),
        ('SUM(METRICS())', {0.0: 3.0, 60.0: 4.0, 120.0: 6.0}),
        ('MAX([a,b])', {0.0: 2.0, 60.0: 4.0, 120.0: 6.0}),
        ('MAX(b)', {0.0: 6.0, 60.0: 6.0, 120.0: 6.0}),
        ('IF(a > 2 AND FILL(b,0) < 1, 1, 0)', {0.0: 0.0, 60.0: 1.0}),
        ('-a', {0.0: -1.0, 60.0: -4.0}),
        ('a^2', {0.0: 1.0, 60.0: 16.0}),
    ],
)
def test_math_is_done_by_period(expression: str, values: dict[float, float]) -> None:
    from sas_grid_localcloud.cloudwatch import queries

    starts = [0.0, 60.0, 120.0]
    found = expressions.evaluate(expression, {'a': A, 'b': B}, {'a': A, 'b': B}, starts)
    kept = {at: value for at, value in found.items() if queries.math.isfinite(value)}
    assert kept == pytest.approx(values)


@pytest.mark.parametrize(
    'expression', ["SEARCH('x', 'Sum', 60)", '__import__("os")', 'a.b', 'a if b else 1', 'a+', 'c']
)
def test_what_is_no_math_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match='not valid'):
        expressions.evaluate(expression, {'a': A}, {'a': A}, [0.0])


@pytest.fixture(scope='module')
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS whose minute is a second."""
    minute = {'SAS_GRID_LOCALCLOUD_MINUTE_SECONDS': '1'}
    running = start_cloud(tmp_path_factory.mktemp('quick') / 'state', '--without-hosts', environment=minute)
    yield running
    stop_cloud(running)


@pytest.fixture
def alarm(quick: Cloud) -> Iterator[Callable[..., str]]:
    """Makes alarms of a metric of their own, and takes them away."""
    client, made = quick.client('cloudwatch'), []

    def make(**more: Any) -> str:
        name = unique('alarm')
        wanted: dict[str, Any] = {
            'Threshold': 1,
            'ComparisonOperator': 'GreaterThanOrEqualToThreshold',
            'EvaluationPeriods': 1,
            **more,
        }
        if 'Metrics' not in wanted:
            wanted = {'Namespace': 'Tests', 'MetricName': name, 'Statistic': 'Sum', 'Period': 60, **wanted}
        client.put_metric_alarm(AlarmName=name, **wanted)
        made.append(name)
        return name

    yield make
    client.delete_alarms(AlarmNames=made)


def state(cloud: Cloud, name: str) -> str:
    told = cloud.client('cloudwatch').describe_alarms(AlarmNames=[name], AlarmTypes=['MetricAlarm', 'CompositeAlarm'])
    return str([*told['MetricAlarms'], *told['CompositeAlarms']][0]['StateValue'])


def put(cloud: Cloud, name: str, value: float, **dimensions: str) -> None:
    listed = [{'Name': key, 'Value': one} for key, one in dimensions.items()]
    datum = {'MetricName': name, 'Value': value, 'Dimensions': listed}
    cloud.client('cloudwatch').put_metric_data(Namespace='Tests', MetricData=[datum])


def test_an_alarm_rings_tells_its_topic_and_ends(quick: Cloud, alarm: Callable[..., str]) -> None:
    sns = quick.client('sns')
    topic = sns.create_topic(Name=unique('topic'))['TopicArn']
    sns.subscribe(TopicArn=topic, Protocol='email', Endpoint='ops@example.com')
    name = alarm(AlarmActions=[topic], OKActions=[topic], TreatMissingData='notBreaching')
    until(lambda: state(quick, name) == 'OK', 'OK, since nothing is measured')
    put(quick, name, 3)
    until(lambda: state(quick, name) == 'ALARM', 'the alarm')
    until(lambda: state(quick, name) == 'OK', 'its end')
    moves = [(one['from'], one['to']) for one in quick.history(kind='alarm', id=name)]
    assert moves == [('INSUFFICIENT_DATA', 'OK'), ('OK', 'ALARM'), ('ALARM', 'OK')]
    told = [one['subject'] for one in quick.history(kind='mail', id='ops@example.com', topic=topic)]
    assert [one.split(':')[0] for one in told] == ['OK', 'ALARM', 'OK']
    items = quick.client('cloudwatch').describe_alarm_history(AlarmName=name, HistoryItemType='StateUpdate')
    summaries = [one['HistorySummary'] for one in items['AlarmHistoryItems']]
    assert 'Alarm updated from OK to ALARM' in summaries
    # Of which the words are CloudWatch's.
    assert 'out of the last 1 datapoints [3.0] were greater than or equal to the threshold (1.0)' in str(
        quick.history(kind='alarm', id=name, to='ALARM')[0]['reason']
    )


def test_an_alarm_is_of_exactly_its_dimensions(quick: Cloud, alarm: Callable[..., str]) -> None:
    name = alarm(Dimensions=[{'Name': 'Tier', 'Value': 'mine'}], TreatMissingData='notBreaching', EvaluationPeriods=3)
    until(lambda: state(quick, name) == 'OK', 'OK')
    put(quick, name, 5, Tier='theirs')
    put(quick, name, 5)
    other = alarm()
    put(quick, other, 5)
    until(lambda: state(quick, other) == 'ALARM', 'another alarm')
    assert quick.history(kind='alarm', id=name, to='ALARM') == []


def test_an_alarm_set_by_hand_is_in_its_own_state_again(quick: Cloud, alarm: Callable[..., str]) -> None:
    name = alarm(TreatMissingData='notBreaching')
    until(lambda: state(quick, name) == 'OK', 'OK')
    quick.client('cloudwatch').set_alarm_state(AlarmName=name, StateValue='ALARM', StateReason='a drill')
    until(lambda: state(quick, name) == 'OK', 'OK again')
    assert [one['reason'] for one in quick.history(kind='alarm', id=name, to='ALARM')] == ['a drill']


def test_alarms_of_math_and_composite_ones_ring(quick: Cloud, alarm: Callable[..., str]) -> None:
    metric = unique('metric')

    def stat(identity: str, kind: str) -> dict[str, Any]:
        dimensions = [{'Name': 'Kind', 'Value': kind}]
        about = {'Namespace': 'Tests', 'MetricName': metric, 'Dimensions': dimensions}
        return {'Id': identity, 'MetricStat': {'Metric': about, 'Period': 60, 'Stat': 'Sum'}, 'ReturnData': False}

    ratio = {'Id': 'ratio', 'Expression': '100*failed/all', 'ReturnData': True}
    name = alarm(Metrics=[stat('failed', 'f'), stat('all', 'a'), ratio], Threshold=50, EvaluationPeriods=2,
                 DatapointsToAlarm=1)  # fmt: skip
    client = quick.client('cloudwatch')
    composite = unique('composite')
    client.put_composite_alarm(AlarmName=composite, AlarmRule=f'ALARM("{name}")')
    [shown] = client.describe_alarms(AlarmNames=[name])['MetricAlarms']
    assert [one['Id'] for one in shown['Metrics']] == ['failed', 'all', 'ratio']
    assert 'MetricName' not in shown
    until(lambda: state(quick, composite) == 'OK', 'OK')

    def measured() -> bool:
        put(quick, metric, 3, Kind='f')
        put(quick, metric, 4, Kind='a')
        return state(quick, composite) == 'ALARM'

    until(measured, 'the composite alarm')
    client.delete_alarms(AlarmNames=[composite])


def test_an_alarm_of_math_that_cannot_be_done_is_refused(quick: Cloud, alarm: Callable[..., str]) -> None:
    with pytest.raises(quick.client('cloudwatch').exceptions.ClientError, match='refer to ids that do not exist'):
        alarm(Metrics=[{'Id': 'e', 'Expression': 'a+b', 'ReturnData': True}])


def test_lines_of_logs_are_metrics(quick: Cloud) -> None:
    logs, client, group = quick.client('logs'), quick.client('cloudwatch'), unique('group')
    logs.create_log_group(logGroupName=group)
    logs.create_log_stream(logGroupName=group, logStreamName='s')
    logs.put_metric_filter(
        logGroupName=group,
        filterName='f',
        filterPattern='{ $.level = "ERROR" && $.code >= 500 }',
        metricTransformations=[{'metricName': f'{group}-errors', 'metricNamespace': 'Tests', 'metricValue': '$.count'}],
    )
    now = int(time.time() * 1000)
    embedded = {
        '_aws': {
            'Timestamp': now,
            'CloudWatchMetrics': [
                {'Namespace': 'Tests', 'Dimensions': [['Tier']], 'Metrics': [{'Name': group, 'Unit': 'Count'}]}
            ],
        },
        'Tier': 't',
        group: [2, 5],
    }
    lines = [json.dumps(embedded), 'no "_aws" at all {', *(json.dumps(one) for one in (
        {'level': 'ERROR', 'code': 503, 'count': 4},
        {'level': 'ERROR', 'code': 404, 'count': 4},
        {'level': 'INFO', 'code': 503, 'count': 4},
    ))]  # fmt: skip
    events = [{'timestamp': now, 'message': one} for one in lines]
    logs.put_log_events(logGroupName=group, logStreamName='s', logEvents=events)

    def statistics(name: str, **dimensions: str) -> list[dict[str, Any]]:
        listed = [{'Name': key, 'Value': one} for key, one in dimensions.items()]
        asked = {'Period': 60, 'StartTime': now / 1000 - 120, 'EndTime': now / 1000 + 60}
        told = client.get_metric_statistics(
            Namespace='Tests', MetricName=name, Dimensions=listed, Statistics=['Sum', 'Maximum'], **asked
        )
        return [{key: one[key] for key in ('Sum', 'Maximum')} for one in told['Datapoints']]

    assert statistics(group, Tier='t') == [{'Sum': 7.0, 'Maximum': 5.0}]
    assert statistics(group) == [], 'without dimensions it is another metric'
    assert statistics(f'{group}-errors') == [{'Sum': 4.0, 'Maximum': 4.0}]
    listed = client.list_metrics(Namespace='Tests', MetricName=group)['Metrics']
    assert [one['Dimensions'] for one in listed] == [[{'Name': 'Tier', 'Value': 't'}]]
    asked = [
        {'Id': 'm', 'MetricStat': {'Metric': listed[0], 'Period': 60, 'Stat': 'Sum'}, 'ReturnData': False},
        {'Id': 'e', 'Expression': 'm*2', 'Label': 'twice'},
    ]
    times = {'StartTime': now / 1000 - 120, 'EndTime': now / 1000 + 60}
    [told] = client.get_metric_data(MetricDataQueries=asked, **times)['MetricDataResults']
    assert (told['Label'], told['Values']) == ('twice', [14.0])


def test_a_pattern_that_is_not_there_is_refused(quick: Cloud) -> None:
    logs, group = quick.client('logs'), unique('group')
    logs.create_log_group(logGroupName=group)
    transformations = [{'metricName': 'm', 'metricNamespace': 'Tests', 'metricValue': '1'}]
    with pytest.raises(logs.exceptions.ClientError, match='not implemented'):
        logs.put_metric_filter(
            logGroupName=group, filterName='f', filterPattern='[ip, user]', metricTransformations=transformations
        )


def test_queues_instances_and_executions_are_measured(quick: Cloud) -> None:
    client, sqs, states = quick.client('cloudwatch'), quick.client('sqs'), quick.client('stepfunctions')
    queue = unique('queue')
    sqs.send_message(QueueUrl=sqs.create_queue(QueueName=queue)['QueueUrl'], MessageBody='dead')
    role = quick.unlimited_role()
    failing = {'StartAt': 'No', 'States': {'No': {'Type': 'Fail', 'Error': 'E', 'Cause': 'c'}}}
    hanging = {
        'StartAt': 'Wait',
        'TimeoutSeconds': 1,
        'States': {'Wait': {'Type': 'Wait', 'Seconds': 600, 'Next': 'End'}, 'End': {'Type': 'Succeed'}},
    }
    machines = []
    for definition in (failing, hanging):
        made = states.create_state_machine(name=unique('machine'), definition=json.dumps(definition), roleArn=role)
        machines.append(made['stateMachineArn'])
        states.start_execution(stateMachineArn=made['stateMachineArn'])

    def most(namespace: str, name: str, key: str, value: str) -> float:
        now = time.time()
        told = client.get_metric_statistics(
            Namespace=namespace,
            MetricName=name,
            Dimensions=[{'Name': key, 'Value': value}],
            Statistics=['Maximum'],
            Period=60,
            StartTime=now - 600,
            EndTime=now + 60,
        )
        return max((float(one['Maximum']) for one in told['Datapoints']), default=-1.0)

    visible = 'ApproximateNumberOfMessagesVisible'
    until(lambda: most('AWS/SQS', visible, 'QueueName', queue) == 1, 'the queue')
    until(lambda: most('AWS/States', 'ExecutionsFailed', 'StateMachineArn', machines[0]) == 1, 'the failure')
    until(lambda: most('AWS/States', 'ExecutionsTimedOut', 'StateMachineArn', machines[1]) == 1, 'the timeout')
    assert most('AWS/States', 'ExecutionsFailed', 'StateMachineArn', machines[1]) == 0
    [execution] = states.list_executions(stateMachineArn=machines[1])['executions']
    assert execution['status'] == 'TIMED_OUT'
