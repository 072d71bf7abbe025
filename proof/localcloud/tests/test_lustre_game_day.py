"""Game days and instance refreshes on the Lustre reference deployment, whose object storage servers have a hot spare.

The real templates, functions, workflows, host software and document. It takes minutes.
"""

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from automation.conftest import as_user, ended, look, run_cdk, steps_of

from cdk_story import APP, CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, unique, until

DEPLOYMENT = 'sas-grid-lustre'
SLOTS = {'mgs': ['mgs-00'], 'mds': ['mds-00'], 'oss': ['oss-00', 'oss-01', 'oss-02']}
SPARES = {'oss': 1}
CLIENTS = 5
HALT = 'systemctl halt --force --force'
RECORDS_AT = 128 * 1024
"""Behind what identifies a file system, on the MiB of a volume that is emulated."""

pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """The deployment, and who may approve."""

    cloud: Cloud
    table: str
    document: str
    groups: dict[str, str]
    workflows: dict[str, str]
    approver: str
    as_approver: Any

    def row(self, slot: str) -> dict[str, Any]:
        key = {'tier': {'S': slot[:-3]}, 'item': {'S': f'slot#{slot}'}}
        row: dict[str, Any] = self.cloud.client('dynamodb').get_item(TableName=self.table, Key=key)['Item']
        return row

    def rows(self, tier: str) -> dict[str, dict[str, Any]]:
        return {slot: self.row(slot) for slot in SLOTS[tier]}

    def owner(self, slot: str) -> str:
        return str(self.row(slot)['owner']['S'])

    def members(self, tier: str) -> dict[str, str]:
        client = self.cloud.client('autoscaling')
        found = client.describe_auto_scaling_groups(AutoScalingGroupNames=[self.groups[tier]])['AutoScalingGroups'][0]
        return {one['InstanceId']: one['LifecycleState'] for one in found['Instances']}

    def steady(self) -> bool:
        """Every slot is served, its last repair is over, and no server is missing."""
        for tier, slots in SLOTS.items():
            for row in self.rows(tier).values():
                if row.get('servedEpoch') != row['epoch'] or 'completed' not in row['timeline']['M']:
                    return False
            states = list(self.members(tier).values())
            if states != ['InService'] * (len(slots) + SPARES.get(tier, 0)):
                return False
        return True

    def start(self, slot: str, failure: str) -> str:
        parameters = {'Tier': [slot[:-3]], 'Slot': [slot], 'Failure': [failure], 'Approvers': [self.approver]}
        started = self.cloud.client('ssm').start_automation_execution(DocumentName=self.document, Parameters=parameters)
        execution = str(started['AutomationExecutionId'])
        until(lambda: look(self.cloud, execution)['AutomationExecutionStatus'] == 'Waiting', 'the request')
        return execution

    def answer(self, execution: str, signal: str = 'Approve') -> None:
        self.as_approver.send_automation_signal(AutomationExecutionId=execution, SignalType=signal)

    def send(self, instance: str, script: str) -> str:
        """What a script says on a host."""
        ssm = self.cloud.client('ssm')
        sent = ssm.send_command(
            InstanceIds=[instance],
            DocumentName='AWS-RunShellScript',
            Parameters={'commands': script.splitlines()},
        )['Command']['CommandId']

        def over() -> dict[str, Any] | None:
            found = ssm.list_command_invocations(CommandId=sent, Details=True)['CommandInvocations']
            return found[0] if found and found[0]['Status'] not in ('Pending', 'InProgress') else None

        invocation = until(over, 'the command')
        assert invocation['Status'] == 'Success', invocation
        return str(invocation['CommandPlugins'][0]['Output'])

    def refresh(self, tier: str, **preferences: Any) -> dict[str, Any]:
        """Refreshes a tier; the refresh when it has ended."""
        client, name = self.cloud.client('autoscaling'), self.groups[tier]
        client.start_instance_refresh(AutoScalingGroupName=name, Preferences=preferences)

        def over() -> dict[str, Any] | None:
            found = client.describe_instance_refreshes(AutoScalingGroupName=name)['InstanceRefreshes'][0]
            return dict(found) if 'EndTime' in found else None

        found: dict[str, Any] = until(over, f'the refresh of {tier}')
        return found


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('lustre')
    delays = {'AGENT': '0', 'STATUS_CHECK': '1', 'GROUP_PATIENCE': '8', 'HARD_SHUTDOWN': '2'}
    cloud = start_cloud(
        folder / 'state',
        environment={f'SAS_GRID_LOCALCLOUD_{name}_SECONDS': value for name, value in delays.items()},
    )
    try:
        outputs = folder / 'outputs.json'
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        app = f'{PROJECT / "node_modules/.bin/tsx"} {APP / "lustre-spare.ts"}'
        chosen = ['--app', app, '--require-approval', 'never', '--outputs-file', str(outputs)]
        run_cdk(cloud, folder / 'cdk.out', PROJECT, 'deploy', '--all', *chosen)
        told = json.loads(outputs.read_text(encoding='utf-8'))
        storage, grid = told[f'{DEPLOYMENT}-storage'], told[f'{DEPLOYMENT}-grid']
        tiers = json.loads(storage['Tiers'])
        made = Site(
            cloud,
            storage['VolumeMapTable'],
            grid['GameDayDocument'],
            {one['tier']: one['group'] for one in tiers},
            {one['tier']: one['workflowArn'] for one in tiers},
            *as_user(cloud, unique('owner')),
        )
        until(made.steady, 'the tiers')
        until(lambda: _mounted(made) == CLIENTS, 'the clients')
        yield made
    finally:
        stop_cloud(cloud)


@pytest.fixture(autouse=True)
def _steady_before_and_nothing_forbidden(site: Site) -> Iterator[None]:
    until(site.steady, 'the tiers')
    yield
    # A target mounted twice, a volume that was taken from a machine that is on, a volume formatted again.
    assert site.cloud.history(kind='violation') == []


def _mounted(site: Site) -> int:
    mounts = (site.cloud.state / 'hosts').glob('*/proc/mounts')
    return sum('/sasdata lustre ' in path.read_text() for path in mounts)


@pytest.mark.parametrize(
    ('slot', 'failure'), [('oss-01', 'Terminate'), ('oss-01', 'Hang'), ('mds-00', 'Hang'), ('mgs-00', 'Terminate')]
)
def test_a_game_day_recovers_measures_and_finds_the_clients_well(site: Site, slot: str, failure: str) -> None:
    before, members = site.row(slot), site.members(slot[:-3])
    server = before['owner']['S']
    execution = site.start(slot, failure)
    site.answer(execution)
    found = ended(site.cloud, execution, 300)
    assert found['AutomationExecutionStatus'] == 'Success', found
    report, after = found['Outputs']['measure.Report'][0], site.row(slot)
    print(f'\n{report}')
    assert f'Slot {slot}: {server} was lost ({failure})' in report
    assert f'{after["owner"]["S"]} serves it, epoch {after["epoch"]["N"]} after {before["epoch"]["N"]}' in report
    # Where a spare waits, it serves; elsewhere a server that was launched for it.
    spare = slot.startswith('oss')
    assert (after['owner']['S'] in members) == ('a spare server was found' in report) == spare
    seconds = float(found['Outputs']['measure.RecoverySeconds'][0])
    assert f'Served again after {seconds:.0f} s' in report
    assert 0 < seconds < 120
    steps = {one['StepName']: one for one in found['StepExecutions']}
    assert [name in steps for name in ('terminate', 'hang')] == [failure == 'Terminate', failure == 'Hang']
    assert steps['countClients']['Outputs']['Clients'] == [str(CLIENTS)]
    assert steps['verifyClients']['Outputs']['Output'][0].count('a new one was written') == CLIENTS
    assert f'{CLIENTS} client(s): mounted' in steps['tell']['Inputs']['Message']
    assert steps['tell']['Inputs']['Subject'] == f'Game day of {slot}: passed'
    # The other tiers noticed nothing.
    assert [one['id'] for one in site.cloud.history(kind='host', to='halted')].count(server) == (failure == 'Hang')


@contextmanager
def left_alone(site: Site) -> Iterator[None]:
    """Meanwhile no slot gets another server."""
    before = {slot: site.row(slot)['epoch'] for slots in SLOTS.values() for slot in slots}
    yield
    assert {slot: site.row(slot)['epoch'] for slots in SLOTS.values() for slot in slots} == before


def test_a_rejection_does_nothing(site: Site) -> None:
    with left_alone(site):
        execution = site.start('oss-00', 'Hang')
        site.answer(execution, 'Reject')
        assert steps_of(ended(site.cloud, execution)) == [('approve', 'Failed')]


def test_it_does_nothing_while_a_server_of_another_tier_hangs(site: Site) -> None:
    """The map and the group still call it well; only EC2's status check knows better."""
    hung = site.owner('mds-00')
    execution = site.start('oss-00', 'Terminate')
    owner = site.owner('oss-00')
    site.cloud.client('ssm').send_command(
        InstanceIds=[hung], DocumentName='AWS-RunShellScript', Parameters={'commands': [HALT]}
    )

    def impaired() -> bool:
        found = site.cloud.client('ec2').describe_instance_status(InstanceIds=[hung])['InstanceStatuses']
        return bool(found and found[0]['InstanceStatus']['Status'] == 'impaired')

    until(impaired, 'the status check')
    assert site.members('mds') == {hung: 'InService'}
    site.answer(execution)
    found = ended(site.cloud, execution, 120)
    assert found['AutomationExecutionStatus'] == 'Failed', found['StepExecutions']
    failed = [name for name, status in steps_of(found) if status != 'Success']
    assert failed == ['allSteady']
    assert found['StepExecutions'][-1]['Inputs']['Subject'] == 'Game day of oss-00: not started'
    steps = {one['StepName']: one for one in found['StepExecutions']}
    # Its group may have acted by the time it is asked.
    seen = f'mds: {hung} (fails a status check of EC2|is Unhealthy|is Terminating)'
    assert re.search(seen, steps['allSteady']['FailureMessage'])
    assert site.owner('oss-00') == owner
    # What the game day has refused to disturb mends itself.
    until(lambda: site.owner('mds-00') != hung and site.steady(), 'the tiers')


def record(site: Site, slot: str, text: str = '') -> str:
    """Writes a record to the slot's first volume, through its server; or reads what is there."""
    row = site.row(slot)
    volume = row['volumes']['L'][0]['M']['volumeId']['S'].replace('-', '', 1)
    device = f'"$SAS_GRID_ROOT"/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_{volume}'
    if text:
        # The tools of the host write to no device; the shell's own redirection does.
        script = f'exec 3<>{device}\nhead -c {RECORDS_AT} <&3 >/dev/null\nprintf "%s\\n" {text} >&3'
    else:
        script = f"tail -c +{RECORDS_AT + 1} {device} | tr -d '\\0'"
    return site.send(row['owner']['S'], script).strip()


def superblocks(site: Site, tier: str) -> dict[str, tuple[str, int]]:
    """What identifies the file system on each volume, and how often the volume was formatted."""
    found = {}
    for row in site.rows(tier).values():
        for one in row['volumes']['L']:
            volume = one['M']['volumeId']['S']
            block = json.loads((site.cloud.state / 'volumes' / volume / 'superblock.json').read_text())
            found[volume] = (block['uuid'], block['formatCount'])
    return found


def away_at_once(site: Site, tier: str, since: float) -> int:
    """How many slots were without a server that stays at the same time, at most: from when theirs began to leave."""
    volumes = {one['M']['volumeId']['S']: slot for slot, row in site.rows(tier).items() for one in row['volumes']['L']}
    mounted: dict[str, str | None] = {}
    away: set[str] = set()
    most = 0
    for one in site.cloud.history():
        if one['kind'] == 'lifecycle' and one['to'] == 'Terminating':
            away |= {slot for volume, slot in volumes.items() if mounted.get(volume) == one['id']}
        if one['kind'] == 'mount' and one['id'] in volumes:
            mounted[one['id']] = one['to']
            slot = volumes[one['id']]
            hosts = {mounted.get(volume) for volume, other in volumes.items() if other == slot}
            if len(hosts) == 1 and None not in hosts:
                away.discard(slot)
        if one['time'] >= since:
            most = max(most, len(away))
    return most


def test_an_instance_refresh_replaces_all_servers_of_a_tier_with_a_spare(site: Site) -> None:
    old, rows = site.members('oss'), site.rows('oss')
    blocks = superblocks(site, 'oss')
    for slot in SLOTS['oss']:
        record(site, slot, f'before-the-refresh-{slot}')
    begun, since = len(site.cloud.history(kind='lifecycle-action')), time.time()
    refresh = site.refresh('oss', MinHealthyPercentage=99)
    print(f'\nrefreshed in {time.time() - since:.0f} s')
    assert refresh['Status'] == 'Successful', refresh
    assert refresh['PercentageComplete'] == 100
    until(site.steady, 'the tiers')
    new, after = site.members('oss'), site.rows('oss')
    assert len(new) == len(old)
    assert not set(new) & set(old)
    assert away_at_once(site, 'oss', since) == 1

    # Each slot moved, and one of them twice at most: to the spare of before, which was replaced, too.
    moves = {slot: int(after[slot]['epoch']['N']) - int(rows[slot]['epoch']['N']) for slot in rows}
    assert min(moves.values()) >= 1
    assert sum(moves.values()) in (3, 4)
    assert {row['owner']['S'] for row in after.values()} < set(new)
    print(f'moves: {moves}')
    # Who took a slot waited for it in service.
    assert all('spare' in row['timeline']['M'] for row in after.values()), after
    actions = site.cloud.history(kind='lifecycle-action')[begun:]
    results = [one['result'] for one in actions if one['to'] != 'waiting' and one['instance'] in {*old, *new}]
    assert results == ['CONTINUE'] * 2 * len(old)
    activities = site.cloud.client('autoscaling').describe_scaling_activities(AutoScalingGroupName=site.groups['oss'])
    assert {one['StatusCode'] for one in activities['Activities']} <= {'Successful', 'InProgress'}

    for slot in SLOTS['oss']:
        assert record(site, slot) == f'before-the-refresh-{slot}'
    assert superblocks(site, 'oss') == blocks
    assert {formats for _, formats in blocks.values()} == {1}
    assert _mounted(site) == CLIENTS


def test_an_instance_refresh_of_all_servers_at_once_loses_nothing(site: Site) -> None:
    old, rows, blocks = site.members('oss'), site.rows('oss'), superblocks(site, 'oss')
    for slot in SLOTS['oss']:
        record(site, slot, f'before-all-at-once-{slot}')
    since = time.time()
    refresh = site.refresh('oss', MinHealthyPercentage=0)
    assert refresh['Status'] == 'Successful', refresh
    until(site.steady, 'the tiers')
    assert away_at_once(site, 'oss', since) == len(SLOTS['oss'])
    after = site.rows('oss')
    assert not set(site.members('oss')) & set(old)
    assert all(int(after[slot]['epoch']['N']) == int(rows[slot]['epoch']['N']) + 1 for slot in rows)
    for slot in SLOTS['oss']:
        assert record(site, slot).endswith(f'before-all-at-once-{slot}')
    assert superblocks(site, 'oss') == blocks


def test_an_instance_refresh_that_launches_first_serves_from_the_new_server(site: Site) -> None:
    """Without a spare: the server that is one too many is let in when all is served, and waits for the slot."""
    [old], row = site.members('mgs'), site.row('mgs-00')
    record(site, 'mgs-00', 'before-the-refresh')
    blocks = superblocks(site, 'mgs')
    # The workflow ends while the server waits, as all is served, and its schedule comes every five minutes. Here it is
    # started when the server has waited for a minute, after which one that is too many is let in.
    with ThreadPoolExecutor(1) as beside:
        ending = beside.submit(site.refresh, 'mgs', MinHealthyPercentage=100)
        time.sleep(63)
        assert site.owner('mgs-00') == old
        site.cloud.client('stepfunctions').start_execution(stateMachineArn=site.workflows['mgs'], input='{}')
        refresh = ending.result(120)
    assert refresh['Status'] == 'Successful', refresh
    until(site.steady, 'the tiers')
    [new] = site.members('mgs')
    assert new != old
    assert site.owner('mgs-00') == new
    assert int(site.row('mgs-00')['epoch']['N']) == int(row['epoch']['N']) + 1
    history = site.cloud.history(kind='lifecycle')
    [in_service] = [one['time'] for one in history if one['id'] == new and one['to'] == 'InService']
    [terminating] = [one['time'] for one in history if one['id'] == old and one['to'] == 'Terminating']
    assert in_service < terminating
    assert record(site, 'mgs-00') == 'before-the-refresh'
    assert superblocks(site, 'mgs') == blocks
