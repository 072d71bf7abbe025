"""A support bundle of the reference deployment with one NFS server: its real workflow, function and hosts."""

import io
import json
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from automation.conftest import as_user

from cdk_story import CDK
from conftest import Cloud, unique, until
from reference import DEPLOYMENT, begin_command, command, deployed, execute

SECRET = 'hunter2hunter2'
pytestmark = pytest.mark.skipif(not CDK.exists(), reason='node_modules is not installed (npm ci)')


@dataclass
class Site:
    """The deployment, and what a bundle of it has."""

    cloud: Cloud
    folder: Path
    operations: dict[str, str]

    def bundle(self, **wanted: Any) -> tuple[str, dict[str, Any]]:
        """The folder of a new bundle, and its contents."""
        name = unique('bundle')
        found = execute(self.cloud, self.operations['BundleWorkflow'], wanted, name=name)
        assert found['status'] == 'SUCCEEDED', found
        contents: dict[str, Any] = json.loads(self.read(f'bundles/{name}/contents.json'))
        return f'bundles/{name}', contents

    def read(self, key: str) -> bytes:
        found = self.cloud.client('s3').get_object(Bucket=self.operations['BundleBucket'], Key=key)
        body: bytes = found['Body'].read()
        return body

    def command(self, *arguments: str) -> subprocess.Popen[str]:
        """The command of the package."""
        return begin_command(self.cloud, *arguments, cwd=self.folder)

    def says(self, *arguments: str) -> tuple[int, str, str]:
        """What the command ends with, and what it said."""
        return command(self.cloud, *arguments, cwd=self.folder)

    def node(self) -> str:
        """The node that a test has stopped."""
        filters = [
            {'Name': 'tag:Name', 'Values': ['node1']},
            {'Name': 'instance-state-name', 'Values': ['stopped']},
        ]
        (page,) = self.cloud.client('ec2').describe_instances(Filters=filters)['Reservations']
        return str(page['Instances'][0]['InstanceId'])

    def hosts(self) -> dict[str, str]:
        """The ids of hosts by what they are called."""
        filters = [
            {'Name': 'tag:cdk-sas-grid:deployment', 'Values': [DEPLOYMENT]},
            {'Name': 'instance-state-name', 'Values': ['running']},
        ]
        pages = self.cloud.client('ec2').describe_instances(Filters=filters)['Reservations']
        found = [one for page in pages for one in page['Instances']]
        return {tag['Value']: one['InstanceId'] for one in found for tag in one['Tags'] if tag['Key'] == 'Name'}


@pytest.fixture(scope='module')
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp('bundle')
    with deployed(folder) as (cloud, outputs):
        yield Site(cloud, folder, outputs[f'{DEPLOYMENT}-operations'])


def _opened(archive: bytes) -> dict[str, str]:
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened.getmembers():
            body = opened.extractfile(member)
            if body is not None:
                found[member.name.removeprefix('./')] = body.read().decode()
    return found


def storage_server(site: 'Site') -> str:
    """Its name has the slot as soon as all is served."""
    [found] = [host for name, host in site.hosts().items() if name.startswith(f'{DEPLOYMENT}-storage-nfs')]
    return found


def test_hosts_rows_logs_events_and_alarms_are_in_it_without_secrets(site: Site) -> None:
    server = storage_server(site)
    root = site.cloud.state / 'hosts' / server
    (root / 'etc/sas-grid/extra.env').write_text(f'PASSWORD={SECRET}\nKEPT=yes\n')
    folder, contents = site.bundle(sinceHours=2)
    files = {one['file']: one for one in contents['files']}
    missing = {one['file']: one['remark'] for one in contents['missing']}

    part = f'hosts/nfs-00_{server}.tar.gz'
    assert part in files, [one for one in missing.items() if 'hosts' in one[0]]
    assert len([name for name in files if name.startswith('hosts/')]) == 4, missing
    opened = _opened(site.read(f'{folder}/{part}'))
    assert 'KEPT=yes' in opened['configuration.txt']
    assert 'Filesystem' in opened['space.txt']
    assert not any(SECRET in text for text in opened.values())
    assert 'this host has no journalctl' in opened['contents.tsv']

    assert '"slot#nfs-00"' in site.read(f'{folder}/volume-map.json').decode()
    story = json.loads(site.read(f'{folder}/stacks/{DEPLOYMENT}-storage.json'))
    assert story['stacks'][0]['stack']['StackStatus'] == 'CREATE_COMPLETE'
    assert json.loads(site.read(f'{folder}/alarms.json'))['alarms']
    passes = next(name for name in files if 'reconciler' in name)
    assert passes == f'logs/{DEPLOYMENT}-storage/nfs-server-reconciler.log'
    assert 'nfs-00' in site.read(f'{folder}/{passes}').decode()
    assert 'X-Amz-Signature=' not in site.read(f'{folder}/{passes}').decode()
    assert part in site.read(f'{folder}/contents.txt').decode()


def test_a_host_that_cannot_be_asked_is_a_line_and_nothing_else_is_missing(site: Site) -> None:
    node = site.hosts()['node1']
    ec2 = site.cloud.client('ec2')
    ec2.stop_instances(InstanceIds=[node])

    def stopped() -> bool:
        found = ec2.describe_instances(InstanceIds=[node])['Reservations'][0]['Instances'][0]
        return bool(found['State']['Name'] == 'stopped')

    until(stopped, 'the node')
    _, contents = site.bundle()
    lines = [one for one in contents['missing'] if one['file'].startswith('hosts/')]
    assert [(one['from'], one['remark']) for one in lines] == [(f'node1 ({node})', 'it is stopped')]
    assert len([one for one in contents['files'] if one['file'].startswith('hosts/')]) == 3


def test_hosts_get_no_right_on_the_bucket(site: Site) -> None:
    """They have addresses: a host's own role is refused."""
    writes = site.cloud.calls(service='s3', action='PutObject')
    assert writes
    iam = site.cloud.client('iam')
    for role in iam.list_roles()['Roles']:
        if 'ec2.amazonaws.com' not in json.dumps(role['AssumeRolePolicyDocument']):
            continue
        for name in iam.list_role_policies(RoleName=role['RoleName'])['PolicyNames']:
            document = json.dumps(iam.get_role_policy(RoleName=role['RoleName'], PolicyName=name)['PolicyDocument'])
            assert site.operations['BundleBucket'] not in document


def test_a_wrong_request_is_refused_and_says_what_is_allowed(site: Site) -> None:
    found = execute(site.cloud, site.operations['BundleWorkflow'], {'hosts': ['i-0']})
    assert (found['status'], found['error']) == ('FAILED', 'BundleRefused')
    assert 'allowed: instances of sas-grid-nfs' in found['cause']


def test_the_command_brings_the_archive_and_says_what_is_missing(site: Site) -> None:
    code, out, err = site.says('bundle', DEPLOYMENT, '--since', '2h', '--out', 'b.tar.gz')
    assert code == 0, out + err
    assert 'missing: node1 (' in out
    assert 'it is stopped' in out
    archive = site.folder / 'b.tar.gz'
    assert archive.stat().st_mode & 0o077 == 0
    opened = _opened(archive.read_bytes())
    (folder,) = {name.split('/')[0] for name in opened}
    server = storage_server(site)
    assert 'KEPT=yes' in opened[f'{folder}/hosts/nfs-00_{server}/configuration.txt']
    assert f'node1 ({site.node()})' in opened[f'{folder}/contents.txt']
    assert not any(SECRET in text for text in opened.values())
    # The same once more, by its id; what is there is not overwritten.
    bundle = folder.removeprefix(f'{DEPLOYMENT}-')
    code, out, err = site.says('bundle', DEPLOYMENT, '--id', bundle, '--out', 'b.tar.gz')
    assert code == 2
    assert 'b.tar.gz, which is there' in err
    code, out, _ = site.says('bundle', DEPLOYMENT, '--id', bundle, '--out', 'c.tar.gz', '--json')
    assert code == 0
    assert json.loads(out)['archive'] == 'c.tar.gz'


def test_the_command_shows_logs_with_the_names_of_what_wrote_them(site: Site) -> None:
    code, out, err = site.says('logs', DEPLOYMENT, '--filter', 'nfs-00', '--since', '2h', '--json')
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    assert 'storage/nfs-server-reconciler' in {line['source'] for line in lines}
    assert [line['at'] for line in lines] == sorted(line['at'] for line in lines)
    assert all('nfs-00' in line['message'] for line in lines)


def test_the_command_asks_a_host_for_its_journal_by_its_slot(site: Site) -> None:
    """These hosts have no journal: the answer of the host is what is shown."""
    server = storage_server(site)
    code, _, err = site.says('logs', DEPLOYMENT, 'nfs-00')
    assert code == 1
    assert f'nfs-00 ({server}) has not answered:' in err
    assert 'journalctl' in err
    code, _, err = site.says('logs', DEPLOYMENT, 'node1')
    assert code == 1
    assert f'node1 ({site.node()}) has not answered: it is stopped' in err
    assert 'there are: ' in site.says('logs', DEPLOYMENT, 'oss-07')[2]


def test_the_command_starts_a_game_day_once_and_says_who_approves(site: Site) -> None:
    code, _, err = site.says('gameday', DEPLOYMENT, 'nfs')
    assert code == 2
    assert 'nobody who may approve' in err
    approver, client = as_user(site.cloud, unique('owner'))
    wanted = ('gameday', DEPLOYMENT, 'nfs', '--approvers', approver, '--yes')
    code, out, _ = site.says(*wanted, '--dry-run')
    assert code == 0
    assert f'with Tier=nfs Slot=nfs-00 Failure=Terminate Approvers={approver}' in out
    assert _executions(site) == []
    code, out, err = site.says(*wanted, '--no-wait')
    assert code == 0, err
    (execution,) = _executions(site)
    following = site.command(*wanted)
    assert following.stdout
    said = [following.stdout.readline()]
    # It ends with the command at the latest.
    while said[-1] and 'signal-type Approve' not in said[-1]:
        said.append(following.stdout.readline())
    client.send_automation_signal(AutomationExecutionId=execution, SignalType='Reject')
    out, err = following.communicate(timeout=120)
    out = ''.join(said) + out
    assert following.returncode == 1, out + err
    assert f'waits for approval by {approver}' in out
    assert f'--automation-execution-id {execution} --signal-type Approve' in out
    assert _executions(site) == [execution]


def _executions(site: Site) -> list[str]:
    found = site.cloud.client('ssm').describe_automation_executions()['AutomationExecutionMetadataList']
    return [one['AutomationExecutionId'] for one in found]
