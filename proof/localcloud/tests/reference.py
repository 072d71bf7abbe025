"""The reference deployment with one NFS server on an embedded AWS, as users deploy, look at and command it."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from automation.conftest import run_cdk

from cdk_story import PROJECT
from conftest import Cloud, start_cloud, stop_cloud, until

DEPLOYMENT = 'sas-grid-nfs'
PROGRAM = PROJECT / 'build/cli/main.js'
LEASE_SECONDS = 200
"""The workflow itself takes it for 120 s; a lease that ends much later than that keeps nobody out."""
Outputs = dict[str, dict[str, str]]


@contextmanager
def deployed(folder: Path) -> Iterator[tuple[Cloud, Outputs]]:
    """An embedded AWS with hosts and the deployment, and the outputs of its stacks by their names."""
    cloud = start_cloud(folder / 'state')
    try:
        outputs = folder / 'outputs.json'
        run_cdk(cloud, folder / 'boot', folder, 'bootstrap', 'aws://000000000000/us-east-1')
        chosen = ['-c', f'deployment={DEPLOYMENT}', '--require-approval', 'never', '--outputs-file', str(outputs)]
        run_cdk(cloud, folder / 'cdk.out', PROJECT, 'deploy', '--all', *chosen)
        told: Outputs = json.loads(outputs.read_text(encoding='utf-8'))
        yield cloud, told
    finally:
        stop_cloud(cloud)


def begin_command(cloud: Cloud, *arguments: str, cwd: Path = PROJECT) -> subprocess.Popen[str]:
    """The command of the package, which nobody can answer."""
    return subprocess.Popen(
        ['node', str(PROGRAM), *arguments],
        cwd=cwd,
        env={**os.environ, **cloud.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def command(cloud: Cloud, *arguments: str, cwd: Path = PROJECT) -> tuple[int, str, str]:
    """What the command ends with, and what it said."""
    running = begin_command(cloud, *arguments, cwd=cwd)
    out, err = running.communicate(timeout=300)
    return running.returncode, out, err


def execute(cloud: Cloud, workflow: str, given: dict[str, Any], **more: str) -> dict[str, Any]:
    """An execution of a workflow, from its start to its end."""
    states = cloud.client('stepfunctions')
    started = states.start_execution(stateMachineArn=workflow, input=json.dumps(given), **more)['executionArn']

    def ended() -> dict[str, Any] | None:
        found: dict[str, Any] = states.describe_execution(executionArn=started)
        return None if found['status'] == 'RUNNING' else found

    found: dict[str, Any] = until(ended, f'the end of {started}')
    return found


def mounted(cloud: Cloud) -> list[str]:
    """The hosts that have mounted the file system."""
    paths = (cloud.state / 'hosts').glob('*/proc/mounts')
    return [path.parts[-3] for path in paths if '/sasdata nfs4 ' in path.read_text()]


@dataclass
class SlotOfServer:
    """The rows of the one server in the volume map."""

    cloud: Cloud
    table: str

    def row(self) -> dict[str, Any]:
        found = self.cloud.client('dynamodb').get_item(TableName=self.table, Key=_key('slot#nfs-00'))
        row: dict[str, Any] = found['Item']
        return row

    def served(self) -> bool:
        row = self.row()
        return 'owner' in row and row['servedEpoch'] == row['epoch'] and 'completed' in row['timeline']['M']

    def keep_passes_out(self) -> None:
        """Takes the lease of the tier as a pass would: one that is under way looks at what follows, and acts on it."""
        until(self._take_lease, 'the lease')

    def let_passes_in(self) -> None:
        self.write('lease', 'REMOVE holder, expires')

    @contextmanager
    def unserved(self) -> Iterator[None]:
        """The slot is not served in the block, and no pass of the reconciler mends that."""
        self.keep_passes_out()
        epoch = self.row()['epoch']
        self.write('slot#nfs-00', 'SET servedEpoch = :value', {':value': {'N': '0'}})
        try:
            yield
        finally:
            self.write('slot#nfs-00', 'SET servedEpoch = :value', {':value': epoch})
            self.let_passes_in()

    def _take_lease(self) -> bool:
        values = {':me': {'S': 'test'}, ':then': {'N': str(int(time.time()) + LEASE_SECONDS)}}
        update, condition = 'SET holder = :me, expires = :then', 'attribute_not_exists(holder)'
        try:
            self.write('lease', update, values, ConditionExpression=condition)
        except self.cloud.client('dynamodb').exceptions.ConditionalCheckFailedException:
            return False
        return True

    def write(self, item: str, update: str, values: dict[str, Any] | None = None, **more: Any) -> None:
        given = {'ExpressionAttributeValues': values} if values else {}
        self.cloud.client('dynamodb').update_item(
            TableName=self.table, Key=_key(item), UpdateExpression=update, **given, **more
        )


def _key(item: str) -> dict[str, Any]:
    return {'tier': {'S': 'nfs'}, 'item': {'S': item}}
