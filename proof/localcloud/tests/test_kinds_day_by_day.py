"""Stop, start, backup and restore of the kinds of file systems besides NFS, whose own tests have all the refusals.

File systems of sandboxes hold no files: that a disk has the identity that it had stands for its contents. Those that
AWS runs do. Each deployment has an embedded AWS of its own: they take minutes.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from automation.conftest import run_cdk

from cdk_story import CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, unique, until

KINDS = {
    'sas-grid-lustre-2015': ['mgs-00', 'mds-00', 'oss-00', 'oss-01', 'oss-02'],
    'sas-server-io2': ['io2-00'],
    'sas-grid-gfs2': [],
    'sas-grid-fsx': [],
}
"""The slots in the volume maps."""
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """An embedded AWS with the deployment."""

    cloud: Cloud
    folder: Path
    name: str
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    def deploy(self, name: str) -> None:
        told = self.folder / f'{name}.json'
        chosen = ['-c', f'deployment={name}', '--require-approval', 'never', '--outputs-file', str(told)]
        run_cdk(self.cloud, self.folder / f'cdk.out-{name}', PROJECT, 'deploy', '--all', *chosen)
        self.outputs |= json.loads(told.read_text(encoding='utf-8'))

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.cloud.environment}
        command = ['node', str(PROJECT / 'build/cli/main.js'), *arguments]
        return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)

    def does(self, *arguments: str) -> str:
        """A command that has to succeed."""
        done = self.command(*arguments, '--yes')
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def rows(self, name: str = '') -> dict[str, dict[str, Any]]:
        """The slots of the deployment, by their names."""
        table = self.outputs[f'{name or self.name}-storage'].get('VolumeMapTable')
        items = self.cloud.client('dynamodb').scan(TableName=table)['Items'] if table else []
        return {key[5:]: one for one in items if (key := str(one['item']['S'])).startswith('slot#')}

    def served(self) -> bool:
        rows = self.rows()
        return set(rows) == set(KINDS[self.name]) and all(
            'owner' in row and row['servedEpoch'] == row['epoch'] for row in rows.values()
        )

    def nodes(self) -> set[str]:
        """The states of the grid's nodes that are no servers."""
        grid = {'Name': 'tag:aws:cloudformation:stack-name', 'Values': [f'{self.name}-grid']}
        found = self.cloud.client('ec2').describe_instances(Filters=[grid])['Reservations']
        return {str(one['State']['Name']) for group in found for one in group['Instances']}

    def groups(self) -> list[tuple[int, int, int]]:
        found = self.cloud.client('autoscaling').describe_auto_scaling_groups()['AutoScalingGroups']
        own = [one for one in found if one['AutoScalingGroupName'].startswith(self.name)]
        return sorted((one['MinSize'], one['DesiredCapacity'], len(one['Instances'])) for one in own)

    def disk(self, volume: str) -> dict[str, Any]:
        path = self.cloud.state / 'volumes' / volume / 'superblock.json'
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return found

    def identities(self) -> dict[str, Any]:
        """What is on each volume that was formatted, and how often. Root disks come and go with their hosts."""
        folders = (self.cloud.state / 'volumes').glob('*/superblock.json')
        return {path.parent.name: identity(self.disk(path.parent.name)) for path in folders}

    def slots(self, name: str) -> dict[str, list[Any]]:
        """What is on the volumes of each slot, in serving order; of a cluster, on those that its nodes share."""
        shared = self.outputs[f'{name}-storage'].get('VolumeIds')
        if shared:
            return {'shared': [identity(self.disk(one)) for one in json.loads(shared)]}
        volumes = {
            slot: [one['M']['volumeId']['S'] for one in row['volumes']['L']] for slot, row in self.rows(name).items()
        }
        return {slot: [identity(self.disk(one)) for one in own] for slot, own in volumes.items()}

    def states(self) -> list[str]:
        """Of the backups in the deployment's table, once nothing holds its lock."""
        table = self.outputs[f'{self.name}-operations']['OperationsTable']
        items = {str(one['id']['S']): one for one in self.cloud.client('dynamodb').scan(TableName=table)['Items']}
        return [] if 'lock' in items else sorted(str(one['state']['S']) for one in items.values() if 'state' in one)

    def files(self, name: str) -> Path | None:
        """What is on a file system that AWS runs."""
        identity = self.outputs[f'{name}-storage'].get('FileSystemId')
        return self.cloud.state / 'file-systems' / identity if identity else None

    def write(self, text: str) -> None:
        """What somebody writes there."""
        if folder := self.files(self.name):
            (folder / 'data.sas7bdat').write_text(text)

    def written(self, name: str) -> str:
        folder = self.files(name)
        return (folder / 'data.sas7bdat').read_text() if folder else ''

    def nodes_of_cluster(self, name: str) -> set[str]:
        """The instances that run as nodes of a cluster."""
        groups = [one['group'] for one in json.loads(self.outputs[f'{name}-storage']['Nodes'])]
        filters = [
            {'Name': 'tag:aws:autoscaling:groupName', 'Values': groups},
            {'Name': 'instance-state-name', 'Values': ['running']},
        ]
        found = self.cloud.client('ec2').describe_instances(Filters=filters)['Reservations']
        return {str(one['InstanceId']) for group in found for one in group['Instances']}

    def tools(self, name: str) -> str:
        """What the servers of the slots have called."""
        hosts = self.cloud.state / 'hosts'
        owners = {str(row['owner']['S']) for row in self.rows(name).values()} or self.nodes_of_cluster(name)
        assert owners
        return ''.join((hosts / owner / 'var/log/tools.log').read_text() for owner in owners)


def identity(disk: dict[str, Any]) -> tuple[Any, ...]:
    return disk.get('uuid'), disk.get('target'), disk.get('physical'), disk.get('formatCount')


@pytest.fixture(scope='module', params=KINDS)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('kinds')
    # Long enough for somebody to look while FSx copies.
    cloud = start_cloud(folder / 'state', environment={'SAS_GRID_LOCALCLOUD_FSX_BACKUP_SECONDS': '8'})
    try:
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        made = Site(cloud, folder, request.param)
        made.deploy(request.param)
        until(made.served, 'the tiers')
        yield made
    finally:
        stop_cloud(cloud)


def test_it_is_stopped_and_comes_back_with_its_data_and_its_addresses(site: Site) -> None:
    assert 'sleeps' in site.does('stop', site.name)
    assert site.nodes() <= {'stopped'}
    assert all(group == (0, 0, 0) for group in site.groups())
    asleep = site.rows()
    assert not [slot for slot, row in asleep.items() if 'owner' in row]
    identities = site.identities()
    assert len(identities) >= len(KINDS[site.name])

    assert 'is up' in site.does('start', site.name)
    assert site.nodes() <= {'running'}
    assert all(count > 0 for _, _, count in site.groups())
    assert site.served()
    for slot, row in site.rows().items():
        for same in ('address', 'networkInterfaceId', 'volumes', 'formatted'):
            assert row.get(same) == asleep[slot].get(same)
    assert site.identities() == identities
    operations = site.outputs[f'{site.name}-operations']['OperationsTable']
    assert site.cloud.client('dynamodb').scan(TableName=operations)['Items'] == []
    assert site.cloud.history(kind='violation') == []


def usable(site: Site) -> list[str]:
    done = site.command('backup', site.name, '--list', '--json')
    assert done.returncode == 0, done.stderr
    return [one['set'] for one in json.loads(done.stdout)['sets'] if one['usable']]


def test_a_set_is_laid_into_a_new_deployment_which_serves_it(site: Site) -> None:
    site.write('before')
    assert 'is complete' in site.does('backup', site.name)
    site.write('after')
    until(lambda: usable(site), 'a set that EBS has copied')
    if site.name == 'sas-server-io2':
        copy_with_tags(site)
        until(lambda: usable(site), 'the copies')
    name = unique('restored')
    try:
        site.does('restore', site.name, '--as', name)
        site.deploy(name)
        assert site.slots(name) == site.slots(site.name)
        assert site.written(name) in ('', 'before')
        assert bool(site.written(name)) == bool(site.written(site.name))
        calls = site.tools(name)
        assert not any(line.split()[1].startswith('mkfs') for line in calls.splitlines() if len(line.split()) > 1)
        if site.name == 'sas-grid-gfs2':
            nodes_share_the_copy(site, name)
        assert site.cloud.history(kind='violation') == []
    finally:
        for file in (PROJECT / 'config').glob(f'{name}.*'):
            file.unlink()


def nodes_share_the_copy(site: Site, name: str) -> None:
    """All nodes of the new cluster have the copies mounted, and found nothing to replay: the others were held."""
    nodes = site.nodes_of_cluster(name)
    assert len(nodes) == len(json.loads(site.outputs[f'{name}-storage']['Nodes']))
    volumes = {at: json.loads(site.outputs[f'{at}-storage']['VolumeIds']) for at in (name, site.name)}
    assert all(set(site.disk(one)['mountedOn']) == nodes for one in volumes[name])
    assert all(set(site.disk(one)['mountedOn']) == site.nodes_of_cluster(site.name) for one in volumes[site.name])
    assert site.cloud.history(kind='journal-replay') == []
    assert not [one for at in volumes.values() for one in at if 'frozenBy' in site.disk(one)]


def test_a_backup_that_fsx_could_not_make_is_torn(site: Site) -> None:
    if site.name != 'sas-grid-fsx':
        pytest.skip('only FSx makes backups itself')
    before = set(usable(site))
    site.cloud.fault('fail-backup')
    done = site.command('backup', site.name, '--yes')
    assert done.returncode == 1
    assert 'is FAILED: Amazon FSx could not finish the backup' in done.stdout
    assert 'torn: never restored' in site.command('backup', site.name, '--list').stdout
    assert set(usable(site)) == before
    # The next one is made all the same. Who says it again watches it: FSx copies without the lock of the deployment.
    started = site.command('backup', site.name, '--yes', '--no-wait')
    execution = started.stdout.split('Execution: ')[1].split()[0]
    until(lambda: site.states() == ['complete', 'taking', 'torn'], 'the request to FSx')
    again = site.does('backup', site.name)
    assert f'Execution: {execution}' in again
    assert 'is complete' in again


def copy_with_tags(site: Site) -> None:
    """As docs/operations/backup.md has it for another region: copies with their tags, here in place of the set."""
    ec2 = site.cloud.client('ec2')
    of_set = [{'Name': 'tag-key', 'Values': ['cdk-sas-grid:backup-set']}]
    for one in ec2.describe_snapshots(Filters=of_set)['Snapshots']:
        tags = [{'ResourceType': 'snapshot', 'Tags': one['Tags']}]
        ec2.copy_snapshot(SourceRegion='us-east-1', SourceSnapshotId=one['SnapshotId'], TagSpecifications=tags)
        ec2.delete_snapshot(SnapshotId=one['SnapshotId'])


def thaw_by_hand(site: Site, takes: Callable[[], bool]) -> None:
    """What holds writes is ended on the host, behind the back of the workflow."""
    if site.name == 'sas-grid-lustre-2015':
        # The host has said that it holds; now somebody thaws it by hand.
        until(takes, 'the snapshots')
        owner = site.rows()['mgs-00']['owner']['S']
        barrier = site.cloud.state / 'hosts' / owner / 'run/lustre-barrier'
        barrier.write_text('{"sasfs": {"state": "thawed", "ends": 0}}')
        return
    volumes = json.loads(site.outputs[f'{site.name}-storage']['VolumeIds'])
    holders: set[str] = set()

    def thawed() -> bool:
        held = {volume: site.disk(volume) for volume in volumes}
        if not all('frozenBy' in block for block in held.values()):
            return False
        # At once: soon the holder is told to let go.
        for volume, block in held.items():
            holders.add(block.pop('frozenBy'))
            (site.cloud.state / 'volumes' / volume / 'superblock.json').write_text(json.dumps(block))
        return True

    until(thawed, 'the hold')
    [holder] = holders
    assert holder in site.nodes_of_cluster(site.name)


def test_a_hold_that_was_ended_meanwhile_makes_the_set_torn(site: Site) -> None:
    if site.name not in ('sas-grid-lustre-2015', 'sas-grid-gfs2'):
        pytest.skip('the tests of the NFS deployment have it for a file system of one host')
    before = set(usable(site))
    started = site.command('backup', site.name, '--yes', '--no-wait')
    assert started.returncode == 0, started.stdout + started.stderr
    arn = started.stdout.split('Execution: ')[1].split()[0]
    table = site.outputs[f'{site.name}-operations']['OperationsTable']

    def takes() -> bool:
        items = site.cloud.client('dynamodb').scan(TableName=table)['Items']
        return any(one.get('state') == {'S': 'taking'} and 'takes' in one for one in items)

    thaw_by_hand(site, takes)
    client = site.cloud.client('stepfunctions')
    until(lambda: client.describe_execution(executionArn=arn)['status'] != 'RUNNING', 'the end', 120)
    found = client.describe_execution(executionArn=arn)
    assert found['status'] == 'FAILED'
    assert 'not held until the last snapshot' in found['cause']
    assert set(usable(site)) == before
