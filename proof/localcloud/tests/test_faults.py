"""Faults on request, each as a program meets it."""

import io
import json
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Cloud, instance_state, start_cloud, stop_cloud, unique, until
from errors import refused
from sas_grid_localcloud.faults.door import PATH

SLOW = """
exports.handler = async (event) => {
  await fetch(process.env.AWS_ENDPOINT_URL, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.' + event.call, 'content-type': 'application/x-amz-json-1.0' },
    body: '{}',
  });
  await new Promise((resolve) => setTimeout(resolve, event.wait));
  return { pid: process.pid };
};
"""


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS of its own: what is refused here should be refused to nobody else."""
    running = start_cloud(tmp_path_factory.mktemp('faults') / 'state', '--without-hosts')
    yield running
    stop_cloud(running)


@pytest.fixture
def fault(cloud: Cloud) -> Iterator[Callable[..., dict[str, Any]]]:
    """Asks for a fault; afterwards all is calm."""
    yield cloud.fault
    cloud.fault('calm')


def answer(cloud: Cloud, body: bytes | None = None) -> dict[str, Any]:
    """What the door says."""
    with urllib.request.urlopen(urllib.request.Request(cloud.endpoint + PATH, data=body), timeout=10) as found:
        return dict(json.loads(found.read()))


@pytest.fixture(scope='module')
def function(cloud: Cloud) -> str:
    client = cloud.client('lambda')
    code = io.BytesIO()
    with zipfile.ZipFile(code, 'w') as archive:
        archive.writestr('index.js', SLOW)
    name = unique('Slow')
    client.create_function(
        FunctionName=name,
        Runtime='nodejs22.x',
        Handler='index.handler',
        Role=cloud.unlimited_role(),
        Code={'ZipFile': code.getvalue()},
        Timeout=20,
    )
    return name


def invoke(cloud: Cloud, name: str, wait: int = 0, call: str = 'ListTables') -> dict[str, Any]:
    """What a function answers: its process id, or its error."""
    payload = json.dumps({'wait': wait, 'call': call})
    found = cloud.client('lambda').invoke(FunctionName=name, Payload=payload)['Payload']
    return dict(json.loads(found.read()))


@pytest.mark.parametrize(
    ('body', 'problem'),
    [
        (b'{"kind": "else"}', "kind is 'else'; allowed: throttle, hang-shutdown"),
        (b'[]', 'the request is no object'),
        (b'{', 'Expecting'),
        (b'{"kind": "throttle", "rules": "A", "seconds": 1}', "has 'A'; allowed"),
        (b'{"kind": "hang-shutdown", "seconds": 1}', 'instance is None'),
        (b'{"kind": "hang-shutdown", "instance": "i-1", "seconds": -1}', 'seconds is -1; allowed: 0 to 3600'),
        (b'{"kind": "events", "mode": "eat", "source": "a"}', "mode is 'eat'; allowed: drop, duplicate, delay"),
        (b'{"kind": "kill-function", "function": "f"}', 'exactly one of them'),
    ],
)
def test_what_is_no_fault_is_refused(cloud: Cloud, body: bytes, problem: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as failed:
        answer(cloud, body)
    assert failed.value.code == 400
    assert problem in json.loads(failed.value.read())['error']


def test_calls_are_refused_for_a_time(cloud: Cloud, fault: Callable[..., dict[str, Any]]) -> None:
    before = answer(cloud)['throttledCalls']
    fault('throttle', rules='DescribeVolumes=2', seconds=3)
    cloud.client('ec2').describe_volumes()
    with refused('RequestLimitExceeded'):
        cloud.client('ec2').describe_volumes()
    assert answer(cloud)['throttledCalls'] == before + 1
    time.sleep(3.1)
    for _ in range(2):
        cloud.client('ec2').describe_volumes()


def test_dynamodb_refuses_with_its_own_errors(cloud: Cloud, fault: Callable[..., dict[str, Any]]) -> None:
    dynamodb = cloud.client('dynamodb')
    table = unique('table')
    dynamodb.create_table(
        TableName=table,
        KeySchema=[{'AttributeName': 'key', 'KeyType': 'HASH'}],
        AttributeDefinitions=[{'AttributeName': 'key', 'AttributeType': 'S'}],
        BillingMode='PAY_PER_REQUEST',
    )
    put = {'TableName': table, 'Item': {'key': {'S': 'a'}}}
    fault('throttle', rules='PutItem=1 TransactWriteItems=1', seconds=30)
    with refused('ProvisionedThroughputExceededException'):
        dynamodb.put_item(**put)
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as cancelled:
        dynamodb.transact_write_items(TransactItems=[{'Put': put}, {'Put': {**put, 'Item': {'key': {'S': 'b'}}}}])
    assert [one['Code'] for one in cancelled.value.response['CancellationReasons']] == ['ThrottlingError', 'None']
    fault('calm')
    assert 'Item' not in dynamodb.get_item(TableName=table, Key={'key': {'S': 'a'}})
    codes = [one['error'] for one in cloud.calls(service='dynamodb') if one['status'] >= 400]
    assert codes == ['ProvisionedThroughputExceededException', 'TransactionCanceledException']


def test_nothing_changes_by_itself_while_all_stands_still(cloud: Cloud) -> None:
    ec2 = cloud.client('ec2')
    with cloud.still():
        one = ec2.run_instances(MinCount=1, MaxCount=1, ImageId='ami-12345678', InstanceType='m6i.large')['Instances'][
            0
        ]
        host = str(one['InstanceId'])
        # Ten times as long as it takes to boot here.
        time.sleep(1)
        assert instance_state(cloud, host) == 'pending'
    until(lambda: instance_state(cloud, host) == 'running', f'{host} running')
    ec2.terminate_instances(InstanceIds=[host])


def test_an_instance_hangs_once(cloud: Cloud, fault: Callable[..., dict[str, Any]]) -> None:
    ec2 = cloud.client('ec2')
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}
    one = str(ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId'])
    until(lambda: instance_state(cloud, one) == 'running', f'{one} running')
    fault('hang-shutdown', instance=one, seconds=4)
    with cloud.still():
        ec2.stop_instances(InstanceIds=[one])
        assert instance_state(cloud, one) == 'stopping'
    until(lambda: instance_state(cloud, one) == 'stopped', f'{one} stopped')
    ec2.terminate_instances(InstanceIds=[one])
    until(lambda: instance_state(cloud, one) == 'terminated', f'{one} terminated')
    # By the embedded AWS's own clock: what a busy machine adds to requests is not in it.
    at = {line['to']: float(line['time']) for line in cloud.history(kind='instance', id=one)}
    assert at['stopped'] - at['stopping'] >= 4
    assert at['terminated'] - at['shutting-down'] < 4


def test_a_group_gets_no_instance(cloud: Cloud, fault: Callable[..., dict[str, Any]]) -> None:
    name = unique('group')
    template = {'LaunchTemplateName': name}
    cloud.client('ec2').create_launch_template(
        **template, LaunchTemplateData={'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}
    )
    client = cloud.client('autoscaling')
    fault('no-capacity', group=name, seconds=60)
    client.create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=1,
        MaxSize=1,
        AvailabilityZones=['us-east-1a'],
        LaunchTemplate=template,
    )

    def activities() -> list[dict[str, Any]]:
        return list(client.describe_scaling_activities(AutoScalingGroupName=name)['Activities'])

    failed = until(activities, 'a failed launch')[0]
    assert failed['StatusCode'] == 'Failed'
    assert 'InsufficientInstanceCapacity' in failed['StatusMessage']
    assert answer(cloud)['launchesRefused'] == 1
    fault('calm')
    until(lambda: activities()[0]['StatusCode'] == 'Successful', 'a launch')
    client.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)


def test_a_function_dies_in_the_middle_and_comes_back(
    cloud: Cloud, fault: Callable[..., dict[str, Any]], function: str
) -> None:
    first = invoke(cloud, function)
    before = answer(cloud)['functionsKilled']
    fault('kill-function', function=function[:6], count=1, after=0.2)
    assert invoke(cloud, function, wait=10_000) == {
        'errorMessage': 'Error: Runtime exited with error: signal: killed',
        'errorType': 'Runtime.ExitError',
    }
    assert answer(cloud)['functionsKilled'] == before + 1
    again = invoke(cloud, function)
    assert again['pid'] != first['pid']
    assert [one['why'] for one in cloud.history(kind='function')][-1] == 'after 0.2 s'


def test_a_function_dies_when_it_has_made_a_call(
    cloud: Cloud, fault: Callable[..., dict[str, Any]], function: str
) -> None:
    fault('kill-function', function=function, on='DescribeLimits')
    assert 'pid' in invoke(cloud, function)
    assert invoke(cloud, function, call='DescribeLimits')['errorType'] == 'Runtime.ExitError'
    assert 'pid' in invoke(cloud, function, call='DescribeLimits')


def test_functions_are_restarted(cloud: Cloud, fault: Callable[..., dict[str, Any]], function: str) -> None:
    first = invoke(cloud, function)
    assert fault('restart-functions', function=function) == {'ended': 1}
    assert invoke(cloud, function)['pid'] != first['pid']
    assert fault('restart-functions', function='nobody') == {'ended': 0}


def test_events_get_lost_come_again_and_come_late(cloud: Cloud, fault: Callable[..., dict[str, Any]]) -> None:
    sqs, rules = cloud.client('sqs'), cloud.client('events')
    queue = sqs.create_queue(QueueName=unique('queue'))['QueueUrl']
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=['QueueArn'])['Attributes']['QueueArn']
    name = unique('rule')
    rules.put_rule(Name=name, EventPattern=json.dumps({'source': ['aws.ec2'], 'detail': {'state': ['pending']}}))
    rules.put_targets(Rule=name, Targets=[{'Id': 'queue', 'Arn': arn}])
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}

    def received(mode: str, expected: int, **more: Any) -> tuple[int, float]:
        # Two states: pending, which the rule looks for, and running.
        fault('events', mode=mode, source='aws.ec2', count=1, **more)
        started = time.monotonic()
        cloud.client('ec2').run_instances(MinCount=1, MaxCount=1, **wanted)
        found, last = 0, 0.0

        def look() -> bool:
            nonlocal found, last
            for message in sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get('Messages', []):
                found, last = found + 1, time.monotonic() - started
                sqs.delete_message(QueueUrl=queue, ReceiptHandle=message['ReceiptHandle'])
            return found >= expected

        until(look, f'{expected} events')
        # One too many would come now.
        time.sleep(0.5)
        look()
        return found, last

    assert received('drop', 0)[0] == 0
    assert received('duplicate', 2, seconds=0.3)[0] == 2
    found, last = received('delay', 1, seconds=0.8)
    assert found == 1
    assert last >= 0.8
    counts = answer(cloud)
    assert [counts['eventsLost'], counts['eventsRepeated'], counts['eventsDelayed']] == [1, 1, 1]
