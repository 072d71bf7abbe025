"""A deployment is stopped and started: the real templates, workflows, functions, documents and hosts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from cdk_story import CDK
from conftest import until
from reference import DEPLOYMENT, SlotOfServer, deployed, execute, mounted

GRID = {'Name': 'tag:aws:cloudformation:stack-name', 'Values': [f'{DEPLOYMENT}-grid']}
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site(SlotOfServer):
    """The deployment, and what puts it to sleep."""

    workflows: dict[str, str]
    operations: str

    def place(self) -> dict[str, Any]:
        """Whose the slot is, and what it is made of."""
        row = self.row()
        return {key: row[key] for key in ('owner', 'epoch', 'address', 'networkInterfaceId', 'volumes')}

    def nodes(self) -> dict[str, str]:
        """The states of the grid's nodes, by name."""
        found = self.cloud.client('ec2').describe_instances(Filters=[GRID])['Reservations']
        return {name_of(one): one['State']['Name'] for group in found for one in group['Instances']}

    def node(self, name: str) -> str:
        found = self.cloud.client('ec2').describe_instances(Filters=[GRID])['Reservations']
        return next(str(one['InstanceId']) for group in found for one in group['Instances'] if name_of(one) == name)

    def volumes(self) -> dict[str, str]:
        """The states of the slot's volumes."""
        ids = [one['M']['volumeId']['S'] for one in self.row()['volumes']['L']]
        found = self.cloud.client('ec2').describe_volumes(VolumeIds=ids)['Volumes']
        return {one['VolumeId']: one['State'] for one in found}

    def groups(self) -> list[tuple[int, int, int]]:
        found = self.cloud.client('autoscaling').describe_auto_scaling_groups()['AutoScalingGroups']
        return [(one['MinSize'], one['DesiredCapacity'], len(one['Instances'])) for one in found]

    def remembered(self) -> list[str]:
        """The items of the deployment's table."""
        found = self.cloud.client('dynamodb').scan(TableName=self.operations)['Items']
        return sorted(str(one['id']['S']) for one in found)

    def run(self, operation: str, **given: Any) -> dict[str, Any]:
        """An execution of the workflow, from its start to its end."""
        return execute(self.cloud, self.workflows[operation], given)


def name_of(instance: dict[str, Any]) -> str:
    return next(str(tag['Value']) for tag in instance['Tags'] if tag['Key'] == 'Name')


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with deployed(tmp_path_factory.mktemp('sleep')) as (cloud, outputs):
        table, operations = outputs[f'{DEPLOYMENT}-storage']['VolumeMapTable'], outputs[f'{DEPLOYMENT}-operations']
        made = Site(cloud, table, json.loads(operations['Workflows']), operations['OperationsTable'])
        until(made.served, 'the tier')
        until(lambda: len(mounted(cloud)) == 3, 'the clients')
        yield made


def test_it_is_refused_while_a_slot_is_not_served(site: Site) -> None:
    before = site.groups(), site.nodes(), site.place()
    with site.unserved():
        found = site.run('stop')
    assert (found['status'], found['error']) == ('FAILED', 'Refused')
    assert found['cause'].startswith('Slot nfs-00 is not served')
    assert (site.groups(), site.nodes(), site.place()) == before
    assert site.remembered() == []


def test_it_is_stopped_and_comes_back_with_its_data_and_its_address(site: Site) -> None:
    hosts = site.cloud.state / 'hosts'
    ec2 = site.cloud.client('ec2')
    # Somebody has a reason to leave this one off.
    ec2.stop_instances(InstanceIds=[site.node('node2')])
    until(lambda: site.nodes()['node2'] == 'stopped', 'the end of node2')
    written = hosts / site.node('node1') / 'sasdata/results.sas7bdat'
    written.write_text('what took all day')
    before, volumes = site.row(), site.volumes()

    found = site.run('stop')
    assert found['status'] == 'SUCCEEDED', found
    assert set(site.nodes().values()) == {'stopped'}
    assert site.groups() == [(0, 0, 0)]
    assert site.volumes() == dict.fromkeys(volumes, 'available')
    until(lambda: site.row()['phase']['S'] == 'asleep', 'what the row says')
    assert 'owner' not in site.row()
    assert site.remembered() == ['sleep']
    # The server let go of its file systems itself, before it went.
    old = (hosts / before['owner']['S'] / 'proc/mounts').read_text()
    assert '/export/sasdata' not in old

    found = site.run('start')
    assert found['status'] == 'SUCCEEDED', found
    assert site.nodes() == {'control': 'running', 'node1': 'running', 'node2': 'stopped'}
    after = site.row()
    assert after['phase']['S'] == 'served'
    assert after['owner']['S'] != before['owner']['S']
    for same in ('address', 'networkInterfaceId', 'volumes', 'formatted'):
        assert after[same] == before[same]
    assert site.volumes() == dict.fromkeys(volumes, 'in-use')
    assert written.read_text() == 'what took all day'
    assert site.remembered() == []
    assert site.cloud.history(kind='violation') == []


def test_what_does_not_sleep_is_started_as_it_is(site: Site) -> None:
    before = site.place(), site.groups(), site.nodes()
    found = site.run('start')
    assert found['status'] == 'SUCCEEDED', found
    assert (site.place(), site.groups(), site.nodes()) == before
