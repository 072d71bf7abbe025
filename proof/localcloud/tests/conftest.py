"""One embedded AWS for all tests of a session, in a process of its own as users run it."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from sas_grid_localcloud.faults.door import PATH
from sas_grid_localcloud.patience import QUIET_SECONDS, Moves, Patience

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
QUICK = {
    'BOOT': '0.1',
    'SHUTDOWN': '0.3',
    'STOP': '0.1',
    'ATTACH': '0.2',
    'DETACH': '0.2',
    'RELEASE': '0.1',
    'VISIBLE': '0.08',
    'LAG': '0',
    'GROUP_TICK': '0.05',
    'STATUS_CHECK': '0.3',
    'GROUP_PATIENCE': '0.5',
    'HARD_SHUTDOWN': '0.3',
    'FSX_CREATE': '1',
    'FSX_DELETE': '0.2',
    'EFS': '0.8',
    'IMAGE': '0.2',
    'AGENT': '0',
}


@dataclass
class Cloud:
    """A running embedded AWS."""

    state: Path
    endpoint: str
    environment: dict[str, str]
    process: 'subprocess.Popen[str]'
    _clients: dict[str, Any] = field(default_factory=dict)

    def unlimited_profile(self) -> str:
        """An instance profile whose hosts may do everything."""
        client, name = self.client('iam'), unique('unlimited')
        client.create_instance_profile(InstanceProfileName=name)
        client.add_role_to_instance_profile(InstanceProfileName=name, RoleName=self.unlimited_role().split('/')[-1])
        return name

    def unlimited_role(self) -> str:
        """A role that may do everything, for tests of something else."""
        client, name = self.client('iam'), unique('unlimited')
        everything = {'Effect': 'Allow', 'Action': '*', 'Resource': '*'}
        trusted = {'Effect': 'Allow', 'Principal': {'Service': 'lambda.amazonaws.com'}, 'Action': 'sts:AssumeRole'}
        trust = {'Version': '2012-10-17', 'Statement': [trusted]}
        role = client.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))['Role']
        policy = {'Version': '2012-10-17', 'Statement': [everything]}
        client.put_role_policy(RoleName=name, PolicyName='everything', PolicyDocument=json.dumps(policy))
        return str(role['Arn'])

    def client(self, service: str) -> Any:
        """A boto3 client that never retries, so that tests see every error."""
        if service not in self._clients:
            self._clients[service] = boto3.client(
                service,
                endpoint_url=self.endpoint,
                region_name=self.environment['AWS_REGION'],
                aws_access_key_id='test',
                aws_secret_access_key='test',
                config=Config(retries={'total_max_attempts': 1}, read_timeout=300),
            )
        return self._clients[service]

    def fault(self, kind: str, **more: Any) -> dict[str, Any]:
        """Ask for a fault, or for calm."""
        body = json.dumps({'kind': kind, **more}).encode()
        with urllib.request.urlopen(self.endpoint + PATH, data=body, timeout=300) as answer:
            return dict(json.load(answer))

    @contextmanager
    def still(self) -> Iterator[None]:
        """No state changes by itself in the block, however long it takes."""
        self.fault('stand-still')
        try:
            yield
        finally:
            self.fault('calm')

    def history(self, **wanted: str) -> list[dict[str, Any]]:
        """Lines of the history that have these values."""
        return _lines(self.state / 'history.jsonl', wanted)

    def calls(self, **wanted: str) -> list[dict[str, Any]]:
        """Lines of the call log that have these values."""
        return _lines(self.state / 'api-calls.jsonl', wanted)


def _lines(path: Path, wanted: dict[str, str]) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]
    return [one for one in found if all(one.get(key) == value for key, value in wanted.items())]


def start_cloud(state: Path, *more: str, environment: dict[str, str] | None = None) -> Cloud:
    """Start an embedded AWS and wait until it answers."""
    ready = state.parent / f'{state.name}-ready.json'
    delays = {f'SAS_GRID_LOCALCLOUD_{name}_SECONDS': value for name, value in QUICK.items()}
    process = subprocess.Popen(
        [
            sys.executable,
            '-m',
            'sas_grid_localcloud',
            'start',
            '--state',
            str(state),
            '--ready-file',
            str(ready),
            *more,
        ],
        env={**os.environ, 'PYTHONPATH': str(PACKAGE_ROOT), **delays, **(environment or {})},
        stdout=subprocess.PIPE,
        text=True,
    )
    _moves.append(Moves(state, own=b'Boto3/'))
    until(lambda: ready.exists() or process.poll() is not None, 'the embedded AWS to answer')
    if not ready.exists():
        raise RuntimeError(f'the embedded AWS ended with {process.returncode}')
    told = json.loads(ready.read_text(encoding='utf-8'))
    return Cloud(state, told['endpoint'], told['environment'], process)


def stop_cloud(cloud: Cloud) -> int:
    """Stop it as a user does; its exit code."""
    cloud.process.send_signal(signal.SIGTERM)
    until(lambda: cloud.process.poll() is not None, 'the end of the embedded AWS')
    return cloud.process.wait()


_moves: list[Moves] = []
"""What happens in each embedded AWS that was started."""


def until(done: Callable[[], Any], what: str, quiet: float = QUIET_SECONDS) -> Any:
    """What ``done`` returns as soon as it is true; in vain when nothing moves any more in any embedded AWS.

    It is asked less often the longer it takes: each question is work for both sides.
    """
    start = time.monotonic()
    patience = Patience(lambda: [each() for each in _moves], quiet)
    while True:
        result = done()
        if result:
            return result
        waited = time.monotonic() - start
        if reason := patience.lost():
            raise TimeoutError(f'waited {waited:.0f} s for {what}: {reason}')
        time.sleep(min(max(0.03, waited / 20), 0.25))


@pytest.fixture(scope='session')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """The embedded AWS of this session, without hosts (they have tests of their own)."""
    running = start_cloud(tmp_path_factory.mktemp('cloud') / 'state', '--without-hosts')
    yield running
    stop_cloud(running)


@pytest.fixture(scope='session')
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts, for tests of what is built on them."""
    running = start_cloud(tmp_path_factory.mktemp('hosted') / 'state')
    yield running
    stop_cloud(running)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs beside the other tests is waited for last."""
    items.sort(key=_uses_story)


def _uses_story(item: pytest.Item) -> bool:
    return 'story' in getattr(item, 'fixturenames', ())


@pytest.fixture(scope='session', autouse=True)
def _story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> 'Iterator[Future[None] | None]':
    """Begins with the first test, in an embedded AWS of its own, when a test waits for it."""
    from cdk_story import CDK, bootstrap_deploy_and_destroy

    if not CDK.exists() or not any(_uses_story(item) for item in request.session.items):
        yield None
        return
    folder = tmp_path_factory.mktemp('story')
    running = start_cloud(folder / 'state', '--without-hosts')
    with ThreadPoolExecutor(1) as beside:
        yield beside.submit(bootstrap_deploy_and_destroy, running, folder)
    stop_cloud(running)


@pytest.fixture(scope='session')
def story(_story: 'Future[None]') -> 'Future[None]':
    """The story of test_cdk.py, begun long ago."""
    return _story


@dataclass
class Network:
    """A VPC with one subnet."""

    vpc: str
    subnet: str
    group: str


@pytest.fixture(scope='session')
def network(cloud: Cloud) -> Network:
    """A network for tests that need any."""
    ec2 = cloud.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    group = ec2.create_security_group(VpcId=vpc, GroupName='g', Description='g')['GroupId']
    return Network(vpc, subnet, group)


@pytest.fixture
def instance(cloud: Cloud, network: Network) -> Iterator[Callable[..., str]]:
    """Makes running instances and terminates them afterwards."""
    ec2 = cloud.client('ec2')
    made: list[str] = []

    def make(**more: Any) -> str:
        wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': network.subnet, **more}
        one = ec2.run_instances(MinCount=1, MaxCount=1, **wanted)['Instances'][0]['InstanceId']
        made.append(one)
        until(lambda: instance_state(cloud, one) == 'running', f'{one} running')
        return str(one)

    yield make
    if made:
        ec2.terminate_instances(InstanceIds=made)


@pytest.fixture
def volume(cloud: Cloud) -> Callable[..., str]:
    """Makes available volumes."""
    ec2 = cloud.client('ec2')

    def make(**more: Any) -> str:
        wanted = {'AvailabilityZone': 'us-east-1a', 'Size': 10, 'VolumeType': 'gp3', **more}
        one = ec2.create_volume(**wanted)['VolumeId']
        until(lambda: volume_state(cloud, one) == ('available', []), f'{one} available')
        return str(one)

    return make


def instance_state(cloud: Cloud, instance_id: str) -> str | None:
    """The state that a describe shows, None while it shows nothing."""
    found = cloud.client('ec2').describe_instances(Filters=[{'Name': 'instance-id', 'Values': [instance_id]}])
    return next((str(i['State']['Name']) for r in found['Reservations'] for i in r['Instances']), None)


def volume_state(cloud: Cloud, volume_id: str) -> tuple[str, list[tuple[str, str]]] | None:
    """State and attachments as a describe shows them."""
    found = cloud.client('ec2').describe_volumes(Filters=[{'Name': 'volume-id', 'Values': [volume_id]}])['Volumes']
    if not found:
        return None
    return str(found[0]['State']), [(a['InstanceId'], a['State']) for a in found[0]['Attachments']]


def unique(prefix: str) -> str:
    """A name no other test uses."""
    return f'{prefix}-{uuid.uuid4().hex[:8]}'
