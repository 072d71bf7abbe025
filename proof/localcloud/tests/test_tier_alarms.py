"""The alarms of a deployed NFS server (tests/app/nfs.ts) ring when it is lost and does not come back."""

from collections.abc import Iterator

import pytest
from one_stack import deployed, needs_node
from slot_tier import needs_functions

from conftest import Cloud, until

pytestmark = [needs_node, needs_functions]

MAIL = 'ops@example.com'


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A minute is a second, so that an alarm of a quarter of an hour rings in a quarter of a minute."""
    with deployed('Nfs', tmp_path_factory.mktemp('nfs'), MINUTE='1') as running:
        yield running


def alarm(cloud: Cloud, ending: str) -> str:
    """The name of the alarm whose logical id has this in it."""
    told = cloud.client('cloudformation').describe_stack_resources(StackName='Nfs')['StackResources']
    kind = 'AWS::CloudWatch::Alarm'
    [name] = [
        one['PhysicalResourceId'] for one in told if one['ResourceType'] == kind and ending in one['LogicalResourceId']
    ]
    return str(name)


def state(cloud: Cloud, name: str) -> str:
    return str(cloud.client('cloudwatch').describe_alarms(AlarmNames=[name])['MetricAlarms'][0]['StateValue'])


def server(cloud: Cloud) -> list[str]:
    alive = [
        {'Name': 'instance-state-name', 'Values': ['pending', 'running']},
        {'Name': 'tag-key', 'Values': ['cdk-sas-grid:tier']},
    ]
    found = cloud.client('ec2').describe_instances(Filters=alive)['Reservations']
    return [str(one['InstanceId']) for each in found for one in each['Instances']]


def test_a_server_that_cannot_come_back_rings_mails_and_ends_ringing_when_it_is_back(cloud: Cloud) -> None:
    unserved = alarm(cloud, 'Unserved')
    until(lambda: state(cloud, unserved) == 'OK', 'a tier that is served and measured')
    [lost] = server(cloud)
    cloud.fault('no-capacity', zone='us-east-1a', seconds=3600)
    cloud.client('ec2').terminate_instances(InstanceIds=[lost])
    until(lambda: state(cloud, unserved) == 'ALARM', 'the alarm')
    rung = cloud.history(kind='alarm', id=unserved, to='ALARM')[-1]
    assert '3 out of the last 3 datapoints [1.0, 1.0, 1.0]' in rung['reason']
    until(lambda: cloud.history(kind='mail', id=MAIL, to='sent'), 'the mail')
    subjects = [one['subject'] for one in cloud.history(kind='mail', id=MAIL)]
    assert any(one.startswith(f'ALARM: "{unserved}"'[:100]) for one in subjects), subjects

    cloud.fault('calm')
    until(lambda: state(cloud, unserved) == 'OK', 'the end of the alarm')
    # EC2 may show a new instance a little later.
    until(lambda: server(cloud) not in ([], [lost]), 'another server')
