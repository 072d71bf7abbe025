"""A deployment stops, starts and backs up by the schedules of its configuration, and its backups are copied to another
region: the real templates, schedules, workflows, functions and hosts.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import boto3
import pytest
from automation.conftest import run_cdk

from cdk_story import CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, unique, until

ZONE = 'Asia/Kolkata'
"""half an hour beside the others, without summer time"""
THERE = 'us-west-2'
CONFIGURED = f"""
operations:
  sleep:
    stop: cron(0 20 ? * MON-FRI *)
    start: cron(0 7 ? * MON-FRI *)
    timeZone: {ZONE}
  backup:
    schedule: cron(0 2 * * ? *)
    timeZone: {ZONE}
    keep: 2
    copyTo:
      region: {THERE}
"""
MINUTE_SECONDS = 1.0
"""of rates and alarms; cron expressions have the clock's own"""
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """An embedded AWS with the deployment."""

    cloud: Cloud
    name: str
    storage: dict[str, str]
    workflows: dict[str, str]

    def schedules(self) -> dict[str, dict[str, Any]]:
        """By operation."""
        client = self.cloud.client('scheduler')
        names = [one['Name'] for one in client.list_schedules()['Schedules']]
        found = [client.get_schedule(Name=name) for name in names]
        arns = {arn: name for name, arn in self.workflows.items()}
        return {arns[one['Target']['Arn']]: one for one in found if one['Target']['Arn'] in arns}

    def due(self, *operations: str) -> None:
        """The schedules of these are for the next minute, in the zone that they have."""
        moment = datetime.now(UTC) + timedelta(seconds=3)
        at = (moment + timedelta(minutes=1)).astimezone(ZoneInfo(ZONE))
        for name in operations:
            one = self.schedules()[name]
            kept = ('Name', 'ScheduleExpressionTimezone', 'FlexibleTimeWindow', 'Target')
            expression = f'cron({at.minute} {at.hour} {at.day} {at.month} ? {at.year})'
            self.cloud.client('scheduler').update_schedule(
                **{key: one[key] for key in kept}, ScheduleExpression=expression
            )

    def executions(self, operation: str) -> list[dict[str, Any]]:
        """The ended executions of an operation, the oldest first."""
        client = self.cloud.client('stepfunctions')
        found = client.list_executions(stateMachineArn=self.workflows[operation])['executions']
        ended = [client.describe_execution(executionArn=one['executionArn']) for one in found]
        return sorted((one for one in ended if one['status'] != 'RUNNING'), key=lambda one: str(one['startDate']))

    def runs(self, *operations: str) -> list[dict[str, Any]]:
        """By their schedules, from their time to their ends."""
        before = {name: len(self.executions(name)) for name in operations}
        self.due(*operations)

        def ended() -> bool:
            return all(len(self.executions(name)) > before[name] for name in operations)

        until(ended, f'{", ".join(operations)} by the schedule', quiet=150)
        return [self.executions(name)[-1] for name in operations]

    def nodes(self) -> set[str]:
        """The states of the grid's nodes."""
        mine = {'Name': 'tag:aws:cloudformation:stack-name', 'Values': [f'{self.name}-grid']}
        found = self.cloud.client('ec2').describe_instances(Filters=[mine])['Reservations']
        return {one['State']['Name'] for group in found for one in group['Instances']}

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.cloud.environment}
        command = ['node', str(PROJECT / 'build/cli/main.js'), *arguments]
        return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)

    def sets(self, region: str) -> list[dict[str, Any]]:
        done = self.command('backup', self.name, '--list', '--json', '--region', region)
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)['sets']
        return found

    def elsewhere(self) -> Any:
        """EC2 of the other region."""
        return boto3.client(
            'ec2',
            endpoint_url=self.cloud.endpoint,
            region_name=THERE,
            aws_access_key_id='test',
            aws_secret_access_key='test',
        )


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, name = tmp_path_factory.mktemp('schedules'), unique('daily')
    file = PROJECT / f'config/{name}.yaml'
    text = (PROJECT / 'config/sas-grid-nfs.yaml').read_text(encoding='utf-8')
    file.write_text(text.replace('benchmark: {}\n', '').replace('gameDay: {}\n', '') + CONFIGURED, encoding='utf-8')
    minute = {'SAS_GRID_LOCALCLOUD_MINUTE_SECONDS': str(MINUTE_SECONDS)}
    cloud = start_cloud(folder / 'state', environment=minute)
    try:
        outputs = folder / 'outputs.json'
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        chosen = ['-c', f'deployment={name}', '--require-approval', 'never', '--outputs-file', str(outputs)]
        run_cdk(cloud, folder / 'cdk.out', PROJECT, 'deploy', '--all', *chosen)
        told = json.loads(outputs.read_text(encoding='utf-8'))
        workflows = json.loads(told[f'{name}-operations']['Workflows'])
        yield Site(cloud, name, told[f'{name}-storage'], workflows)
    finally:
        stop_cloud(cloud)
        for one in (PROJECT / 'config').glob(f'{name}.*'):
            one.unlink()


def test_schedules_are_those_of_the_configuration(site: Site) -> None:
    found = {name: one['ScheduleExpression'] for name, one in site.schedules().items()}
    assert found == {
        'stop': 'cron(0 20 ? * MON-FRI *)',
        'start': 'cron(0 7 ? * MON-FRI *)',
        'backup': 'cron(0 2 * * ? *)',
    }
    assert {one['ScheduleExpressionTimezone'] for one in site.schedules().values()} == {ZONE}


def test_it_backs_up_stops_and_starts_by_them_and_one_waits_for_no_other(site: Site) -> None:
    both = site.runs('backup', 'stop')
    if both[0]['status'] == 'SUCCEEDED':
        won, lost = both
    else:
        lost, won = both
        assert site.runs('start')[0]['status'] == 'SUCCEEDED'
        assert site.runs('backup')[0]['status'] == 'SUCCEEDED'
    assert won['status'] == 'SUCCEEDED', won
    # Whichever comes second is refused, and says by what: its alarm tells the same.
    assert (lost['status'], lost['error']) == ('FAILED', 'Refused'), lost
    assert 'is under way since' in lost['cause'] or 'sleeps since' in lost['cause'], lost
    [stopped] = site.runs('stop')
    assert stopped['status'] == 'SUCCEEDED', stopped
    assert json.loads(stopped['input']) == {'cause': 'schedule'}
    assert site.nodes() == {'stopped'}
    [refused] = site.runs('backup')
    assert 'sleeps since' in refused['cause'], refused
    [started] = site.runs('start')
    assert started['status'] == 'SUCCEEDED', started
    assert site.nodes() == {'running'}
    assert site.cloud.history(kind='violation') == []


def test_the_set_is_copied_to_the_other_region_and_can_be_restored_there(site: Site) -> None:
    until(lambda: any(one['usable'] for one in site.sets(THERE)), 'the copies', quiet=150)
    [copied] = site.sets(THERE)
    original = next(one for one in site.sets('us-east-1') if one['set'] == copied['set'])
    assert copied['snapshots'] == original['snapshots'] == 2
    restored = site.command('restore', site.name, '--as', 'elsewhere', '--region', THERE, '--dry-run')
    assert restored.returncode == 0, restored.stderr
    mine = [{'Name': 'tag:cdk-sas-grid:backup-set', 'Values': [copied['set']]}]
    there = site.elsewhere().describe_snapshots(Filters=mine)['Snapshots']
    assert all(one['SnapshotId'] in restored.stdout for one in there)
    assert f'region: {THERE}' in restored.stdout
    # By the function's own role, which may copy nothing else.
    asked = site.cloud.calls(action='CopySnapshot')
    assert len(asked) == len(there)
    # Many passes later there is still one of each.
    passes = len(site.cloud.calls(action='DescribeSnapshots'))
    until(lambda: len(site.cloud.calls(action='DescribeSnapshots')) > passes + 6, 'more passes', quiet=150)
    assert len(site.elsewhere().describe_snapshots(Filters=mine)['Snapshots']) == len(there)


def test_a_set_whose_copies_are_incomplete_is_not_restored(site: Site) -> None:
    [copied] = site.sets(THERE)
    mine = [{'Name': 'tag:cdk-sas-grid:backup-set', 'Values': [copied['set']]}]
    one = site.elsewhere().describe_snapshots(Filters=mine)['Snapshots'][0]
    site.elsewhere().delete_snapshot(SnapshotId=one['SnapshotId'])
    refused = site.command('restore', site.name, '--as', 'elsewhere', '--region', THERE, '--yes')
    assert refused.returncode == 1
    assert 'incomplete: 1 of 2 snapshots are there' in refused.stdout + refused.stderr


SLOW = ('BackupTooOld', 'BackupCopyTooOld', 'SnapshotsMissing')
"""Alarms of what is measured by the hour."""


def alarms(site: Site, *ids: str) -> dict[str, str]:
    """The states of the alarms that have one of these in their names."""
    found = site.cloud.client('cloudwatch').describe_alarms()['MetricAlarms']
    return {one['AlarmName']: one['StateValue'] for one in found if any(each in one['AlarmName'] for each in ids)}


def test_nothing_has_rung_before_there_was_a_first_measurement(site: Site) -> None:
    names = alarms(site, *SLOW)
    assert len(names) == len(SLOW)
    client = site.cloud.client('cloudwatch')
    for name in names:
        told = client.describe_alarm_history(AlarmName=name, HistoryItemType='StateUpdate')['AlarmHistoryItems']
        assert [one['HistorySummary'] for one in told if 'to ALARM' in one['HistorySummary']] == [], name
    assert set(names.values()) == {'OK'}


def test_an_alarm_rings_when_whoever_measures_falls_silent(site: Site) -> None:
    events = site.cloud.client('events')
    rules = [one['Name'] for one in events.list_rules()['Rules']]
    rounds = [name for name in rules if 'HealthProbeInterval' in name or 'GridHealthInterval' in name]
    assert len(rounds) == 2
    for name in rounds:
        events.disable_rule(Name=name)

    def ring() -> bool:
        return set(alarms(site, 'ServerUnprobed', 'NodesSilent').values()) == {'ALARM'}

    until(ring, 'both alarms', quiet=150)
