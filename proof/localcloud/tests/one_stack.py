"""An app of one stack, as its constructs make it, on an embedded AWS."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cdk_story import APP, PROJECT
from conftest import Cloud, start_cloud, stop_cloud, until
from sas_grid_localcloud.settings import ACCOUNT

TSX = PROJECT / 'node_modules/.bin/tsx'
needs_node = pytest.mark.skipif(not TSX.exists(), reason='node_modules is not installed (npm ci)')


@contextmanager
def deployed(stack: str, folder: Path, **seconds: str) -> Iterator[Cloud]:
    """An embedded AWS with hosts, and the stack of that name from tests/app/<name in small letters>.ts.

    ``seconds`` are delays besides, by their names (``MINUTE``).
    """
    delays = {f'SAS_GRID_LOCALCLOUD_{name}_SECONDS': value for name, value in {'AGENT': '0', **seconds}.items()}
    running = start_cloud(folder / 'state', environment=delays)
    try:
        template = synthesize(stack, folder / 'cdk.out')
        publish(running, stack, folder / 'cdk.out')
        deploy(running, stack, template)
        yield running
    finally:
        stop_cloud(running)


def deploy(running: Cloud, stack: str, template: str, **parameters: str) -> None:
    cloudformation, s3 = running.client('cloudformation'), running.client('s3')
    s3.create_bucket(Bucket='templates')
    s3.put_object(Bucket='templates', Key='stack.json', Body=template)
    url = f'{running.endpoint}/templates/stack.json'
    given = [{'ParameterKey': key, 'ParameterValue': value} for key, value in parameters.items()]
    asked = {'StackName': stack, 'TemplateURL': url, 'Parameters': given}
    cloudformation.create_stack(Capabilities=['CAPABILITY_IAM'], **asked)

    def status() -> str:
        return str(cloudformation.describe_stacks(StackName=stack)['Stacks'][0]['StackStatus'])

    until(lambda: not status().endswith('IN_PROGRESS'), 'the stack')
    events = cloudformation.describe_stack_events(StackName=stack)['StackEvents']
    assert status() == 'CREATE_COMPLETE', [one.get('ResourceStatusReason') for one in events]


def publish(running: Cloud, stack: str, out: Path) -> None:
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


def synthesize(stack: str, out: Path) -> str:
    done = subprocess.run(
        [str(TSX), str(APP / f'{stack.lower()}.ts')],
        cwd=PROJECT,
        env={**os.environ, 'CDK_OUTDIR': str(out)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return (out / f'{stack}.template.json').read_text(encoding='utf-8')
