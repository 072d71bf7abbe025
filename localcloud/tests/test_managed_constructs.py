"""The constructs of managed file systems as they are, each with a client that mounts it (tests/app/managed.ts)."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdk_story import APP, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, until
from sas_grid_localcloud.settings import ACCOUNT

TSX = PROJECT / 'node_modules/.bin/tsx'
pytestmark = pytest.mark.skipif(not TSX.exists(), reason='node_modules is not installed (npm ci)')
EXPECTED = {
    'lustre': ('lustre', {'rw', 'flock'}),
    'openzfs': ('nfs4', {'vers=4.2', 'hard', 'nconnect=16'}),
    'ontap': ('nfs4', {'vers=4.1', 'hard', 'nconnect=16'}),
    'efs': ('nfs4', {'vers=4.1', 'hard', 'nconnect=1', 'noresvport'}),
}


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts, and the stack."""
    folder = tmp_path_factory.mktemp('constructs')
    running = start_cloud(folder / 'state', environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'})
    try:
        template = synthesize(folder / 'cdk.out')
        publish(running, folder / 'cdk.out')
        deploy(running, template)
        yield running
    finally:
        stop_cloud(running)


def deploy(running: Cloud, template: str) -> None:
    cloudformation, s3 = running.client('cloudformation'), running.client('s3')
    s3.create_bucket(Bucket='templates')
    s3.put_object(Bucket='templates', Key='managed.json', Body=template)
    url = f'{running.endpoint}/templates/managed.json'
    cloudformation.create_stack(StackName='Managed', TemplateURL=url, Capabilities=['CAPABILITY_IAM'])

    def status() -> str:
        return str(cloudformation.describe_stacks(StackName='Managed')['Stacks'][0]['StackStatus'])

    until(lambda: not status().endswith('IN_PROGRESS'), 'the stack')
    events = cloudformation.describe_stack_events(StackName='Managed')['StackEvents']
    assert status() == 'CREATE_COMPLETE', [one.get('ResourceStatusReason') for one in events]


def publish(running: Cloud, out: Path, stack: str = 'Managed') -> None:
    """The code of the functions, as the cdk command uploads it."""
    s3 = running.client('s3')
    for one in json.loads((out / f'{stack}.assets.json').read_text(encoding='utf-8'))['files'].values():
        [where] = one['destinations'].values()
        source = out / one['source']['path']
        if one['source']['packaging'] == 'zip':
            source = Path(shutil.make_archive(f'{source}-packed', 'zip', source))
        bucket = where['bucketName'].replace('${AWS::AccountId}', ACCOUNT).replace('${AWS::Region}', 'us-east-1')
        s3.create_bucket(Bucket=bucket)
        s3.put_object(Bucket=bucket, Key=where['objectKey'], Body=source.read_bytes())


def synthesize(out: Path) -> str:
    environment = {**os.environ, 'CDK_OUTDIR': str(out)}
    done = subprocess.run(
        [str(TSX), str(APP / 'managed.ts')], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return (out / 'Managed.template.json').read_text(encoding='utf-8')


@pytest.mark.parametrize('name', EXPECTED)
def test_a_client_mounts_it(cloud: Cloud, name: str) -> None:
    named = [{'Name': 'tag:Name', 'Values': [name]}]
    found = cloud.client('ec2').describe_instances(Filters=named)['Reservations'][0]['Instances'][0]
    root = cloud.state / 'hosts' / found['InstanceId']

    def mounted() -> list[str] | None:
        path = root / 'proc/mounts'
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        return next((line for line in lines if line[1] == f'{root}/data'), None)

    line = until(mounted, f'{name} on /data')
    kind, options = EXPECTED[name]
    assert line[2] == kind
    assert options <= set(line[3].split(',')), line[3]
