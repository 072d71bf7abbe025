"""A grid on a file system of somebody else: hosts install, mount and ask it by themselves (tests/app/foreign.ts)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from one_stack import deployed, needs_node, upload

from conftest import Cloud, until

pytestmark = needs_node


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with deployed('Foreign', tmp_path_factory.mktemp('foreign')) as running:
        yield running


def roots(cloud: Cloud) -> list[Path]:
    """The hosts of the grid."""
    running = [{'Name': 'instance-state-name', 'Values': ['running']}]
    found = cloud.client('ec2').describe_instances(Filters=running)['Reservations']
    return [cloud.state / 'hosts' / host['InstanceId'] for one in found for host in one['Instances']]


def test_hosts_install_and_mount_it_again_after_a_failure_and_are_nodes_then(cloud: Cloud) -> None:
    """Control server and node signal to CloudFormation that they are nodes, so the stack is complete only then."""
    hosts = roots(cloud)
    assert len(hosts) == 2
    for root in hosts:
        mounts = [line.split() for line in (root / 'proc/mounts').read_text().splitlines()]
        assert ['172.16.4.20:theirs', f'{root}/sasdata', 'theirs'] in [line[:3] for line in mounts]
        assert (root / 'etc/theirs-was-there').exists()
        assert (root / 'sasdata/sas').is_dir()


def test_its_check_is_a_reason_of_the_nodes_health(cloud: Cloud) -> None:
    """The document that the construct made."""
    root = roots(cloud)[0]
    ssm = cloud.client('ssm')
    [document] = [
        one['Name']
        for one in ssm.list_documents(Filters=[{'Key': 'Owner', 'Values': ['Self']}])['DocumentIdentifiers']
        if 'ealth' in one['Name']
    ]

    def said() -> str:
        sent = ssm.send_command(DocumentName=document, InstanceIds=[root.name])['Command']['CommandId']

        def answer() -> str | None:
            # GetCommandInvocation does not know it for a moment; a list is empty then.
            found = ssm.list_command_invocations(CommandId=sent, Details=True)['CommandInvocations']
            if not found or found[0]['Status'] in ('Pending', 'InProgress'):
                return None
            return json.dumps(found[0]['CommandPlugins'][0]['Output'])

        return str(until(answer, 'the answer'))

    assert 'software' not in said()
    (root / 'etc/theirs-is-broken').touch()
    assert 'software: theirs-client their server does not answer' in said()


def test_a_grid_grows_by_a_node_of_another_type_in_place(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers that are there keep their ids and disks; those whose type changes are stopped and started."""
    ec2, cloudformation = cloud.client('ec2'), cloud.client('cloudformation')
    before = {root.name for root in roots(cloud)}
    monkeypatch.setenv('NODES', '2')
    monkeypatch.setenv('NODE_TYPE', 'm6i.xlarge')
    url = upload(cloud, 'Foreign', tmp_path / 'grown')
    cloudformation.update_stack(StackName='Foreign', TemplateURL=url, Capabilities=['CAPABILITY_IAM'])

    def status() -> str:
        return str(cloudformation.describe_stacks(StackName='Foreign')['Stacks'][0]['StackStatus'])

    until(lambda: not status().endswith('IN_PROGRESS'), 'the update')
    events = cloudformation.describe_stack_events(StackName='Foreign')['StackEvents']
    assert status() == 'UPDATE_COMPLETE', [one.get('ResourceStatusReason') for one in events]
    after = roots(cloud)
    assert len(after) == 3
    assert before < {root.name for root in after}
    found = ec2.describe_instances(InstanceIds=[root.name for root in after])['Reservations']
    types = sorted(host['InstanceType'] for one in found for host in one['Instances'])
    # The control server is of the nodes' type, too.
    assert types == ['m6i.xlarge'] * 3
    for root in after:
        until(lambda place=root: 'theirs' in (place / 'proc/mounts').read_text(), 'the mount')
