"""The constructs of managed file systems as they are, each with a client that mounts it (tests/app/managed.ts)."""

from collections.abc import Iterator

import pytest
from one_stack import deployed, needs_node

from conftest import Cloud, until

pytestmark = needs_node
EXPECTED = {
    'lustre': ('lustre', {'rw', 'flock'}),
    'openzfs': ('nfs4', {'vers=4.2', 'hard', 'nconnect=16'}),
    'ontap': ('nfs4', {'vers=4.1', 'hard', 'nconnect=16'}),
    'efs': ('nfs4', {'vers=4.1', 'hard', 'nconnect=1', 'noresvport'}),
}


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with deployed('Managed', tmp_path_factory.mktemp('constructs')) as running:
        yield running


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
