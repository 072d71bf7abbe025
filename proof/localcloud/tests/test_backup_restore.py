"""A backup of the reference deployment with one NFS server, and a new deployment that serves its file system.

File systems of sandboxes hold no files: that the new one has the old one's identity, and nothing was formatted, stands
for its contents.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from automation.conftest import run_cdk

from cdk_story import CDK, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, unique, until

DEPLOYMENT = 'sas-grid-nfs'
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """An embedded AWS with the deployment."""

    cloud: Cloud
    folder: Path

    def deploy(self, name: str) -> None:
        chosen = [f'{name}-operations', '-c', f'deployment={name}', '--require-approval', 'never']
        run_cdk(self.cloud, self.folder / f'cdk.out-{name}', PROJECT, 'deploy', *chosen)

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self.cloud.environment}
        command = ['node', str(PROJECT / 'build/cli/main.js'), *arguments]
        return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)

    def server(self, name: str) -> Path:
        """The root of the NFS server of a deployment."""
        filters = [
            {'Name': 'tag:cdk-sas-grid:deployment', 'Values': [name]},
            {'Name': 'tag:Name', 'Values': [f'{name}-storage-nfs', f'{name}-storage-nfs-00']},
            {'Name': 'instance-state-name', 'Values': ['running']},
        ]
        [page] = self.cloud.client('ec2').describe_instances(Filters=filters)['Reservations']
        return Path(self.cloud.state / 'hosts' / page['Instances'][0]['InstanceId'])

    def disks(self, name: str) -> list[dict[str, Any]]:
        """What is on the volumes of the slot of a deployment, in serving order."""
        filters = [
            {'Name': 'tag:cdk-sas-grid:deployment', 'Values': [name]},
            {'Name': 'tag:cdk-sas-grid:slot', 'Values': ['nfs-00']},
        ]
        found = self.cloud.client('ec2').describe_volumes(Filters=filters)['Volumes']
        place = {
            tag['Value']: one['VolumeId']
            for one in found
            for tag in one['Tags']
            if tag['Key'] == 'cdk-sas-grid:position'
        }
        assert len(place) == len(found)
        folder = self.cloud.state / 'volumes'
        return [json.loads((folder / place[key] / 'superblock.json').read_text()) for key in sorted(place)]

    def sets(self) -> list[dict[str, Any]]:
        done = self.command('backup', DEPLOYMENT, '--list', '--json')
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)['sets']
        return found


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('backup')
    cloud = start_cloud(folder / 'state', environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'})
    try:
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        made = Site(cloud, folder)
        made.deploy(DEPLOYMENT)
        yield made
    finally:
        stop_cloud(cloud)


def test_a_set_is_laid_into_a_new_deployment_which_serves_it(site: Site) -> None:
    done = site.command('backup', DEPLOYMENT, '--yes')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'is complete' in done.stdout
    calls = [line.split()[1:3] for line in (site.server(DEPLOYMENT) / 'var/log/tools.log').read_text().splitlines()]
    held = [call for call in calls if call[:1] in (['systemd-run'], ['fsfreeze'])]
    assert [call[0] for call in held[-3:]] == ['systemd-run', 'fsfreeze', 'fsfreeze']
    assert [call[1] for call in held[-2:]] == ['-f', '-u']

    def usable() -> bool:
        return any(one['usable'] for one in site.sets())

    until(usable, 'a set that EBS has copied')
    name = unique('restored')
    try:
        done = site.command('restore', DEPLOYMENT, '--as', name, '--yes')
        assert done.returncode == 0, done.stdout + done.stderr
        site.deploy(name)
        before, after = site.disks(DEPLOYMENT), site.disks(name)
        assert [one['physical'] for one in after] == [one['physical'] for one in before]
        assert [one['group']['id'] for one in after] == [one['group']['id'] for one in before]
        [old, new] = [disks[0]['group']['volumes']['data']['fileSystem']['uuid'] for disks in (before, after)]
        assert new == old
        host = site.server(name)
        assert ' mkfs' not in (host / 'var/log/tools.log').read_text()
        assert '/export/sasdata ext4' in (host / 'proc/mounts').read_text()
    finally:
        for file in (PROJECT / 'config').glob(f'{name}.*'):
            file.unlink()


def test_a_set_that_was_not_held_until_the_end_is_torn_and_never_restored(site: Site) -> None:
    before = {one['set'] for one in site.sets()}
    server = site.server(DEPLOYMENT)
    frozen = server / 'run/frozen'
    started = site.command('backup', DEPLOYMENT, '--yes', '--no-wait')
    assert started.returncode == 0, started.stdout + started.stderr
    arn = started.stdout.split('Execution: ')[1].split()[0]
    until(lambda: frozen.exists() and frozen.read_text() != '', 'the hold')
    # Somebody thaws it by hand.
    frozen.write_text('')
    states = site.cloud.client('stepfunctions')

    def ended() -> dict[str, Any] | None:
        found: dict[str, Any] = states.describe_execution(executionArn=arn)
        return None if found['status'] == 'RUNNING' else found

    found = until(ended, 'the end', 120)
    assert found['status'] == 'FAILED'
    assert 'not held until the last snapshot' in found['cause']
    [torn] = [one for one in site.sets() if one['set'] not in before]
    assert not torn['usable']
    done = site.command('restore', DEPLOYMENT, '--set', torn['set'], '--as', unique('torn'), '--yes')
    assert done.returncode == 1
    assert 'torn: never restored' in done.stdout
