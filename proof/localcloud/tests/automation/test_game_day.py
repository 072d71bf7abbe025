"""A game day on the reference deployment with one NFS server: the real templates, functions, hosts and document."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from automation.conftest import as_user, ended, look, steps_of
from cdk_story import CDK
from conftest import unique, until
from reference import DEPLOYMENT, SlotOfServer, deployed, mounted

pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site(SlotOfServer):
    """The deployment, and who may approve."""

    storage: dict[str, str]
    grid: dict[str, str]
    approver: str
    as_approver: Any = field(repr=False)

    def start(self, slot: str = 'nfs-00', failure: str = 'Terminate') -> str:
        started = self.cloud.client('ssm').start_automation_execution(
            DocumentName=self.grid['GameDayDocument'],
            Parameters={'Slot': [slot], 'Approvers': [self.approver], 'Failure': [failure]},
        )
        return str(started['AutomationExecutionId'])

    def lock(self) -> dict[str, Any] | None:
        key = {'tier': {'S': 'game-day#lock'}, 'item': {'S': 'lock'}}
        found = self.cloud.client('dynamodb').get_item(TableName=self.storage['VolumeMapTable'], Key=key)
        return found.get('Item')

    def approve(self, execution: str) -> None:
        until(lambda: look(self.cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request')
        self.as_approver.send_automation_signal(AutomationExecutionId=execution, SignalType='Approve')

    def terminated(self) -> list[str]:
        """Instances that the runbook has terminated."""
        found = self.cloud.calls(service='ec2', action='TerminateInstances')
        return [one['parameters']['InstanceId.1'] for one in found if 'ssm-automation' in one['userAgent']]


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with deployed(tmp_path_factory.mktemp('gameday')) as (cloud, outputs):
        approver, client = as_user(cloud, unique('owner'))
        storage, grid = outputs[f'{DEPLOYMENT}-storage'], outputs[f'{DEPLOYMENT}-grid']
        made = Site(cloud, storage['VolumeMapTable'], storage, grid, approver, client)
        until(made.served, 'the tier')
        until(lambda: len(mounted(cloud)) == 3, 'the clients')
        yield made


def test_the_server_fails_after_approval_and_is_measured_and_the_clients_are_well(site: Site) -> None:
    before = site.row()
    execution = site.start()
    until(lambda: look(site.cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request')
    assert site.terminated() == []
    site.approve(execution)
    found = ended(site.cloud, execution, 300)
    assert found['AutomationExecutionStatus'] == 'Success', found
    after = site.row()
    assert site.terminated() == [before['owner']['S']]
    assert after['owner']['S'] != before['owner']['S']
    assert int(after['epoch']['N']) == int(before['epoch']['N']) + 1

    report = found['Outputs']['measure.Report'][0]
    assert f'{before["owner"]["S"]} was lost (Terminate)' in report
    assert f'{after["owner"]["S"]} serves it, epoch {after["epoch"]["N"]} after {before["epoch"]["N"]}' in report
    for step in (
        'EC2 showed the old server as terminated',
        'volumes and address were attached',
        'the replacement served',
    ):
        assert step in report
    steps = {one['StepName']: one for one in found['StepExecutions']}
    assert steps['countClients']['Outputs']['Clients'] == ['3']
    assert (
        steps['verifyClients']['Outputs']['Output'][0].count('the file from before is right, a new one was written')
        == 3
    )

    tier = f'{DEPLOYMENT}-storage/Nfs/Server'
    metrics = site.cloud.client('cloudwatch').list_metrics(Namespace='CdkSasGrid', MetricName='GameDayRecoverySeconds')
    assert [one['Dimensions'] for one in metrics['Metrics']] == [[{'Name': 'Tier', 'Value': tier}]]
    assert site.lock() is None
    # What was written for the check is gone again.
    assert list((site.cloud.state / 'hosts').glob('*/sasdata/lsf/.sas-grid-game-day*')) == []


def test_a_server_that_hangs_is_found_out_by_its_status_check_and_replaced(site: Site) -> None:
    until(site.served, 'the tier')
    before, terminated = site.row(), site.terminated()
    server = before['owner']['S']
    execution = site.start(failure='Hang')
    site.approve(execution)
    found = ended(site.cloud, execution, 300)
    assert found['AutomationExecutionStatus'] == 'Success', found
    after = site.row()
    assert int(after['epoch']['N']) == int(before['epoch']['N']) + 1
    # The document has not touched EC2: Auto Scaling found out.
    assert site.terminated() == terminated
    [halted] = [one for one in site.cloud.history(kind='host', to='halted') if one['id'] == server]
    [ending] = [one for one in site.cloud.history(kind='instance', to='shutting-down') if one['id'] == server]
    assert ending['time'] > halted['time']
    report = found['Outputs']['measure.Report'][0]
    assert f'{server} was lost (Hang)' in report
    assert f'{after["owner"]["S"]} serves it, epoch {after["epoch"]["N"]} after {before["epoch"]["N"]}' in report
    steps = {one['StepName']: one for one in found['StepExecutions']}
    assert 'terminate' not in steps
    assert steps['verifyClients']['Outputs']['Output'][0].count('a new one was written') == 3
    # Nothing of the slot was taken from it while its machine was on.
    assert site.cloud.history(kind='violation') == []


def refusal(site: Site, execution: str) -> tuple[str, str]:
    """The step that failed and the subject of what was told."""
    found = ended(site.cloud, execution, 180)
    assert found['AutomationExecutionStatus'] == 'Failed', found
    failed = [name for name, status in steps_of(found) if status != 'Success']
    # Shown when another step has failed than was expected.
    for command in site.cloud.client('ssm').list_command_invocations(Details=True)['CommandInvocations']:
        if command['Status'] != 'Success':
            print(json.dumps(command, default=str))
    return failed[0], found['StepExecutions'][-1]['Inputs'].get('Subject', '')


def test_it_does_nothing_while_a_slot_is_not_served(site: Site) -> None:
    until(site.served, 'the tier')
    before = site.terminated()
    key = {'tier': {'S': 'nfs'}, 'item': {'S': 'slot#nfs-00'}}
    dynamodb, table = site.cloud.client('dynamodb'), site.storage['VolumeMapTable']
    # As while a repair is under way: the last one has not ended.
    completed = site.row()['timeline']['M']['completed']
    change = {'TableName': table, 'Key': key, 'ExpressionAttributeNames': {'#t': 'timeline'}}
    execution = site.start()
    until(lambda: look(site.cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request')
    site.keep_passes_out()
    dynamodb.update_item(**change, UpdateExpression='REMOVE #t.completed')
    try:
        site.approve(execution)
        assert refusal(site, execution) == ('allSlotsServed_nfs', 'Game day of nfs-00: not started')
    finally:
        restored = {':at': completed}
        dynamodb.update_item(**change, UpdateExpression='SET #t.completed = :at', ExpressionAttributeValues=restored)
        site.let_passes_in()
    assert site.terminated() == before


def test_it_does_nothing_when_a_client_cannot_write(site: Site) -> None:
    until(site.served, 'the tier')
    before = site.terminated()
    mounts = next(
        path for path in (site.cloud.state / 'hosts').glob('*/proc/mounts') if '/sasdata nfs4 ' in path.read_text()
    )
    text = mounts.read_text()
    execution = site.start()
    mounts.write_text('')
    try:
        site.approve(execution)
        assert refusal(site, execution) == ('prepareClientsSucceeded', 'Game day of nfs-00: not started')
    finally:
        mounts.write_text(text)
    assert site.terminated() == before


def test_a_slot_that_does_not_exist_and_a_rejection_do_nothing(site: Site) -> None:
    before = site.terminated()
    execution = site.start('nfs-07')
    site.approve(execution)
    assert refusal(site, execution) == ('readBefore', 'Game day of nfs-07: not started')
    execution = site.start()
    until(lambda: look(site.cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request')
    site.as_approver.send_automation_signal(AutomationExecutionId=execution, SignalType='Reject')
    assert steps_of(ended(site.cloud, execution)) == [('approve', 'Failed')]
    assert site.terminated() == before


def test_it_does_nothing_while_another_game_day_is_under_way(site: Site) -> None:
    """Its lock is there; the rows of the tiers would say nothing of what it has just done."""
    until(site.served, 'the tier')
    before, table = site.terminated(), site.storage['VolumeMapTable']
    dynamodb = site.cloud.client('dynamodb')
    item = {'tier': {'S': 'game-day#lock'}, 'item': {'S': 'lock'}, 'execution': {'S': 'another'}}
    dynamodb.put_item(TableName=table, Item={**item, 'deleteAfter': {'N': str(int(time.time()) + 600)}})
    try:
        execution = site.start()
        site.approve(execution)
        assert refusal(site, execution) == ('lock', 'Game day of nfs-00: not started')
        lock = site.lock()
        assert lock is not None
        assert lock['execution'] == {'S': 'another'}
    finally:
        # It was stopped long ago: its time is over, and the lock with it.
        dynamodb.put_item(TableName=table, Item={**item, 'deleteAfter': {'N': '1'}})
    assert site.terminated() == before


def test_an_instance_refresh_without_a_spare_replaces_the_server_with_its_data(site: Site) -> None:
    until(site.served, 'the tier')
    before, blocks = site.row(), superblocks(site)
    client, [tier] = site.cloud.client('autoscaling'), json.loads(site.storage['Tiers'])
    client.start_instance_refresh(AutoScalingGroupName=tier['group'])

    def over() -> dict[str, Any] | None:
        found = client.describe_instance_refreshes(AutoScalingGroupName=tier['group'])['InstanceRefreshes'][0]
        return dict(found) if 'EndTime' in found else None

    assert until(over, 'the end of the refresh')['Status'] == 'Successful'
    until(site.served, 'the tier')
    after = site.row()
    assert after['owner']['S'] != before['owner']['S']
    assert int(after['epoch']['N']) == int(before['epoch']['N']) + 1
    assert superblocks(site) == blocks
    assert site.cloud.history(kind='violation') == []


def superblocks(site: Site) -> list[dict[str, Any]]:
    """What identifies what is on the volumes of the slot, and how often each was formatted."""
    volumes = [one['M']['volumeId']['S'] for one in site.row()['volumes']['L']]
    texts = [(site.cloud.state / 'volumes' / one / 'superblock.json').read_text() for one in volumes]
    # Who has it mounted changes.
    return [{key: value for key, value in json.loads(one).items() if not key.startswith('mounted')} for one in texts]


def test_it_does_nothing_after_a_failure_that_nobody_has_noticed(site: Site) -> None:
    """The group ends the server, and no pass looks: the row says "served". The last test, it leaves the tier so."""
    until(site.served, 'the tier')
    before, server = site.terminated(), site.row()['owner']['S']
    site.keep_passes_out()
    autoscaling = site.cloud.client('autoscaling')
    autoscaling.set_instance_health(InstanceId=server, HealthStatus='Unhealthy', ShouldRespectGracePeriod=False)

    def leaves() -> bool:
        member = autoscaling.describe_auto_scaling_instances(InstanceIds=[server])['AutoScalingInstances'][0]
        return bool(member['LifecycleState'] == 'Terminating:Wait')

    until(leaves, 'the group to act')
    execution = site.start()
    site.approve(execution)
    assert refusal(site, execution) == ('allSteady', 'Game day of nfs-00: not started')
    assert site.served()
    steps = {one['StepName']: one for one in look(site.cloud, execution)['StepExecutions']}
    assert f'nfs: {server} is ' in steps['allSteady']['FailureMessage']
    # The lock of the one before was over, and was taken; now it is given back.
    assert site.lock() is None
    assert site.terminated() == before
