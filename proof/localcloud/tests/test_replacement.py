"""What an update replaces, what it changes in place, and what it refuses: CloudFormation's schemas decide."""

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cloud, Network, unique, until
from sas_grid_localcloud.cloudformation import replacement, schemas
from stacks import Resources, Stack

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def one(kind: str, **properties: object) -> Resources:
    return {'One': {'Type': kind, 'Properties': properties}}


def how(cloud: Cloud, stack: Stack) -> list[str]:
    """What was done to the resource, in order."""
    return [str(line['how']) for line in cloud.history(kind='stack-resource', id=f'{stack.name}/One')]


@pytest.mark.parametrize(
    ('kind', 'before', 'after'),
    [
        # Each was changed in place by the embedded AWS, or by nobody, before the schemas decided.
        ('AWS::EC2::SecurityGroup', {'GroupDescription': 'one'}, {'GroupDescription': 'two'}),
        ('AWS::Logs::LogGroup', {'LogGroupName': unique('/one')}, {'LogGroupName': unique('/two')}),
        ('AWS::CloudWatch::Dashboard', {'DashboardName': unique('one')}, {'DashboardName': unique('two')}),
        ('AWS::EC2::LaunchTemplate', {'LaunchTemplateName': unique('one')}, {'LaunchTemplateName': unique('two')}),
        ('AWS::EC2::PlacementGroup', {'Tags': [{'Key': 'a', 'Value': '1'}]}, {'Tags': [{'Key': 'a', 'Value': '2'}]}),
    ],
)
def test_create_only_properties_replace(
    cloud: Cloud, network: Network, stack: Stack, kind: str, before: Resources, after: Resources
) -> None:
    more: Resources = {
        'AWS::EC2::SecurityGroup': {'VpcId': network.vpc},
        'AWS::CloudWatch::Dashboard': {'DashboardBody': '{"widgets": []}'},
        'AWS::EC2::LaunchTemplate': {'LaunchTemplateData': {'ImageId': 'ami-12345678'}},
        'AWS::EC2::PlacementGroup': {'Strategy': 'spread'},
    }.get(kind, {})
    assert stack.create(one(kind, **more, **before)) == 'CREATE_COMPLETE', stack.reasons()
    first = stack.ids()['One']
    assert stack.update(one(kind, **more, **after)) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['One'] != first
    # The new one is there before the former goes.
    assert how(cloud, stack) == ['created', 'replaced', 'deleted']


def test_what_a_replacement_should_keep_stays(cloud: Cloud, stack: Stack) -> None:
    def group(name: str) -> Resources:
        kept = {'UpdateReplacePolicy': 'Retain', 'DeletionPolicy': 'Delete'}
        return {'One': {'Type': 'AWS::Logs::LogGroup', 'Properties': {'LogGroupName': name}, **kept}}

    first, second = unique('/kept'), unique('/next')
    assert stack.create(group(first)) == 'CREATE_COMPLETE'
    assert stack.update(group(second)) == 'UPDATE_COMPLETE'
    assert how(cloud, stack) == ['created', 'replaced']
    found = cloud.client('logs').describe_log_groups(logGroupNamePrefix=first)['logGroups']
    assert [group['logGroupName'] for group in found] == [first]


@pytest.mark.parametrize('change', [{'AvailabilityZone': 'us-east-1b'}, {'Encrypted': True}])
def test_a_volume_is_never_replaced(cloud: Cloud, stack: Stack, change: Resources) -> None:
    volume = {'AvailabilityZone': 'us-east-1a', 'Size': 10, 'VolumeType': 'gp3'}
    assert stack.create(one('AWS::EC2::Volume', **volume)) == 'CREATE_COMPLETE'
    first = stack.ids()['One']
    assert stack.update(one('AWS::EC2::Volume', **{**volume, **change})) == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'Volume properties other than AutoEnableIO, type, size, and IOPS cannot be updated.' in stack.reasons()
    assert stack.ids()['One'] == first


def text(user_data: str) -> str:
    return base64.b64encode(user_data.encode()).decode()


def test_user_data_is_changed_on_a_stopped_instance(cloud: Cloud, network: Network, stack: Stack) -> None:
    host = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': network.subnet}
    assert stack.create(one('AWS::EC2::Instance', **host, UserData=text('one'))) == 'CREATE_COMPLETE'
    first = stack.ids()['One']
    changed = {**host, 'UserData': text('two'), 'InstanceType': 'm6i.xlarge'}
    assert stack.update(one('AWS::EC2::Instance', **changed)) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['One'] == first
    states = [line['to'] for line in cloud.history(kind='instance', id=first)]
    assert states == ['pending', 'running', 'stopping', 'stopped', 'pending', 'running']
    shown = cloud.client('ec2').describe_instances(InstanceIds=[first])['Reservations'][0]['Instances'][0]
    assert shown['InstanceType'] == 'm6i.xlarge'
    assert how(cloud, stack) == ['created', 'updated']


def test_an_instance_of_another_image_is_another_one(cloud: Cloud, network: Network, stack: Stack) -> None:
    host = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': network.subnet}
    assert stack.create(one('AWS::EC2::Instance', **host)) == 'CREATE_COMPLETE'
    first = stack.ids()['One']
    assert stack.update(one('AWS::EC2::Instance', **{**host, 'ImageId': 'ami-87654321'})) == 'UPDATE_COMPLETE'
    assert stack.ids()['One'] != first


def test_mappings_that_only_outlive_are_changed_in_place() -> None:
    def mapping(size: int, goes: bool) -> Resources:
        ebs = {'VolumeSize': size, 'DeleteOnTermination': goes}
        return {'BlockDeviceMappings': [{'DeviceName': '/dev/xvda', 'Ebs': ebs}]}

    assert replacement.causes('AWS::EC2::Instance', mapping(8, True), mapping(8, False)) == []
    assert replacement.causes('AWS::EC2::Instance', mapping(8, True), mapping(9, True)) == ['BlockDeviceMappings']


def test_generated_names_are_new_each_time(cloud: Cloud, stack: Stack) -> None:
    kept = {'One': {'Type': 'AWS::Logs::LogGroup', 'DeletionPolicy': 'Retain', 'Properties': {}}}
    other = {'Other': {'Type': 'AWS::Logs::LogGroup', 'Properties': {}}}
    assert stack.create({**kept, **other}) == 'CREATE_COMPLETE'
    first = stack.ids()['One']
    assert stack.update(other) == 'UPDATE_COMPLETE'
    assert stack.update({**kept, **other}) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['One'] != first


def test_nested_paths_replace_too() -> None:
    kind = 'AWS::FSx::Volume'
    before = {'OntapConfiguration': {'StorageVirtualMachineId': 'svm-1', 'SizeInMegabytes': '1'}}
    assert (
        replacement.causes(
            kind, before, {'OntapConfiguration': {**before['OntapConfiguration'], 'SizeInMegabytes': '2'}}
        )
        == []
    )
    other = {'OntapConfiguration': {**before['OntapConfiguration'], 'StorageVirtualMachineId': 'svm-2'}}
    assert replacement.causes(kind, before, other) == ['OntapConfiguration/StorageVirtualMachineId']


def test_types_are_told_by_region() -> None:
    assert schemas.in_region('AWS::EC2::SubnetCidrReservation', 'us-east-1')
    assert not schemas.in_region('AWS::EC2::SubnetCidrReservation', 'eu-central-1')


def test_the_schemas_are_those_of_the_cfn_lint_that_checks_the_templates() -> None:
    pinned = (ROOT / 'test/templates/requirements.txt').read_text(encoding='utf-8')
    assert f'cfn-lint=={schemas.contents()["source"].split()[1]}\n' in pinned
    if not (ROOT / '.venv-templates').exists():
        pytest.skip('bash scripts/setup.sh --template-checks installs what the file is made of')
    script = ROOT / 'proof/localcloud/refresh_resource_schemas.py'
    environment = {**os.environ, 'PYTHONPATH': str(ROOT / 'localcloud')}
    checked = subprocess.run(
        [sys.executable, str(script), '--check'], env=environment, capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stderr


def test_a_host_whose_user_data_change_loses_its_instance_store_and_keeps_its_root(hosted: Cloud) -> None:
    ec2, stack = hosted.client('ec2'), Stack(hosted)
    vpc = ec2.create_vpc(CidrBlock='10.7.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.7.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    host = {'ImageId': 'ami-12345678', 'InstanceType': 'i4i.4xlarge', 'SubnetId': subnet}

    def disks(root: Path) -> list[bytes]:
        found = (root / 'dev/disk/by-id').glob('nvme-Amazon_EC2_NVMe_Instance_Storage_*')
        return sorted(link.read_bytes()[:4] for link in found)

    assert stack.create(one('AWS::EC2::Instance', **host, UserData=text('SASWORK_DISKS=2\n'))) == 'CREATE_COMPLETE'
    first = stack.ids()['One']
    root = hosted.state / 'hosts' / first
    until(lambda: len(disks(root)) == 2, 'its disks')
    for link in (root / 'dev/disk/by-id').glob('nvme-Amazon_EC2_NVMe_Instance_Storage_*'):
        with link.open('r+b') as disk:
            disk.write(b'sas ')
    (root / 'etc/kept').write_text('kept')
    changed = {**host, 'UserData': text('SASWORK_DISKS=2\n# changed\n')}
    assert stack.update(one('AWS::EC2::Instance', **changed)) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['One'] == first
    until(lambda: len(disks(root)) == 2, 'its new disks')
    assert disks(root) == [bytes(4)] * 2
    assert (root / 'etc/kept').read_text() == 'kept'
    stack.delete()
