"""A deployment is stopped and started: the real templates, workflows, functions, documents and hosts."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from automation.conftest import run_cdk

from cdk_story import CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, until

DEPLOYMENT = 'sas-grid-nfs'
GRID = {'Name': 'tag:aws:cloudformation:stack-name', 'Values': [f'{DEPLOYMENT}-grid']}
LEASE_SECONDS = 200
"""The workflow itself takes it for 120 s; a lease that ends much later than that keeps nobody out."""
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """The deployment."""

    cloud: Cloud
    storage: dict[str, str]
    workflows: dict[str, str]
    table: str

    def row(self) -> dict[str, Any]:
        key = {'tier': {'S': 'nfs'}, 'item': {'S': 'slot#nfs-00'}}
        found = self.cloud.client('dynamodb').get_item(TableName=self.storage['VolumeMapTable'], Key=key)
        row: dict[str, Any] = found['Item']
        return row

    def served(self) -> bool:
        row = self.row()
        return 'owner' in row and row['servedEpoch'] == row['epoch']

    @contextmanager
    def unserved(self) -> Iterator[None]:
        """The slot is not served in the block, and no pass of the reconciler mends that."""
        until(self._take_lease, 'the lease')
        epoch = self.row()['epoch']
        self._write('slot#nfs-00', 'SET servedEpoch = :value', {'N': '0'})
        try:
            yield
        finally:
            self._write('slot#nfs-00', 'SET servedEpoch = :value', epoch)
            self._write('lease', 'REMOVE holder, expires')

    def _take_lease(self) -> bool:
        expires = {'N': str(int(time.time()) + LEASE_SECONDS)}
        update, condition = 'SET holder = :me, expires = :value', 'attribute_not_exists(holder)'
        try:
            self._write('lease', update, expires, {':me': {'S': 'test'}}, ConditionExpression=condition)
        except self.cloud.client('dynamodb').exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _write(self, item: str, update: str, value: Any = None, values: Any = None, **more: Any) -> None:
        given = {**(values or {}), **({':value': value} if value else {})}
        self.cloud.client('dynamodb').update_item(
            TableName=self.storage['VolumeMapTable'],
            Key={'tier': {'S': 'nfs'}, 'item': {'S': item}},
            UpdateExpression=update,
            **({'ExpressionAttributeValues': given} if given else {}),
            **more,
        )

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
        found = self.cloud.client('dynamodb').scan(TableName=self.table)['Items']
        return sorted(str(one['id']['S']) for one in found)

    def run(self, operation: str, **given: Any) -> dict[str, Any]:
        """An execution of the workflow, from its start to its end."""
        client = self.cloud.client('stepfunctions')
        started = client.start_execution(stateMachineArn=self.workflows[operation], input=json.dumps(given))

        def look() -> dict[str, Any]:
            found: dict[str, Any] = client.describe_execution(executionArn=started['executionArn'])
            return found

        until(lambda: look()['status'] != 'RUNNING', f'the end of {operation}')
        return look()


def name_of(instance: dict[str, Any]) -> str:
    return next(str(tag['Value']) for tag in instance['Tags'] if tag['Key'] == 'Name')


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('sleep')
    cloud = start_cloud(folder / 'state')
    try:
        outputs = folder / 'outputs.json'
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        chosen = ['-c', f'deployment={DEPLOYMENT}', '--require-approval', 'never', '--outputs-file', str(outputs)]
        run_cdk(cloud, folder / 'cdk.out', PROJECT, 'deploy', '--all', *chosen)
        told = json.loads(outputs.read_text(encoding='utf-8'))
        operations = told[f'{DEPLOYMENT}-operations']
        made = Site(
            cloud, told[f'{DEPLOYMENT}-storage'], json.loads(operations['Workflows']), operations['OperationsTable']
        )
        until(made.served, 'the tier')
        until(lambda: len(list(mounts(made))) == 3, 'the clients')
        yield made
    finally:
        stop_cloud(cloud)


def mounts(site: Site) -> Iterator[str]:
    """The nodes that have mounted."""
    for path in (site.cloud.state / 'hosts').glob('*/proc/mounts'):
        if '/sasdata nfs4 ' in path.read_text():
            yield path.parts[-3]


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
