"""EFS: states that take time, interfaces that take addresses, and refusals."""

from collections.abc import Iterator

import pytest

from conftest import Cloud, Network, unique, until
from errors import refused
from stacks import Stack


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def test_a_file_system_is_not_there_at_once(cloud: Cloud, network: Network) -> None:
    efs = cloud.client('efs')
    made = efs.create_file_system(CreationToken=unique('token'), Encrypted=True, ThroughputMode='elastic')
    identity = made['FileSystemId']
    assert made['LifeCycleState'] == 'creating'
    with refused('IncorrectFileSystemLifeCycleState'):
        efs.create_mount_target(FileSystemId=identity, SubnetId=network.subnet)
    with refused('IncorrectFileSystemLifeCycleState'):
        efs.create_access_point(FileSystemId=identity, ClientToken=unique('token'))
    until(lambda: state(cloud, identity) == 'available', 'available')
    target = efs.create_mount_target(FileSystemId=identity, SubnetId=network.subnet, SecurityGroups=[network.group])
    assert target['LifeCycleState'] == 'creating'
    interface = cloud.client('ec2').describe_network_interfaces(
        Filters=[{'Name': 'private-ip-address', 'Values': [target['IpAddress']]}]
    )['NetworkInterfaces']
    assert [one['NetworkInterfaceId'] for one in interface] in ([], [target['NetworkInterfaceId']])
    with refused('IpAddressInUse'):
        other = efs.create_file_system(CreationToken=unique('token'))['FileSystemId']
        until(lambda: state(cloud, other) == 'available', 'available')
        efs.create_mount_target(FileSystemId=other, SubnetId=network.subnet, IpAddress=target['IpAddress'])
    with refused('FileSystemInUse'):
        efs.delete_file_system(FileSystemId=identity)
    efs.delete_mount_target(MountTargetId=target['MountTargetId'])
    with refused('FileSystemInUse'):
        efs.delete_file_system(FileSystemId=identity)
    until(lambda: not efs.describe_mount_targets(FileSystemId=identity)['MountTargets'], 'mount target gone')
    efs.delete_file_system(FileSystemId=identity)


def state(cloud: Cloud, identity: str) -> str:
    found = cloud.client('efs').describe_file_systems(FileSystemId=identity)['FileSystems'][0]
    return str(found['LifeCycleState'])


@pytest.mark.parametrize(
    'wanted',
    [
        {'ThroughputMode': 'provisioned'},
        {'ThroughputMode': 'provisioned', 'ProvisionedThroughputInMibps': 5000},
        {'ThroughputMode': 'bursting', 'ProvisionedThroughputInMibps': 100},
        {'ThroughputMode': 'elastic', 'PerformanceMode': 'maxIO'},
        {'KmsKeyId': 'alias/k'},
    ],
)
def test_impossible_file_systems(cloud: Cloud, wanted: dict[str, object]) -> None:
    with refused('BadRequest'):
        cloud.client('efs').create_file_system(CreationToken=unique('token'), **wanted)


def test_a_stack_waits_for_what_it_makes(cloud: Cloud, stack: Stack, network: Network) -> None:
    resources = {
        'Files': {
            'Type': 'AWS::EFS::FileSystem',
            'Properties': {'Encrypted': True, 'ThroughputMode': 'elastic', 'BackupPolicy': {'Status': 'ENABLED'}},
        },
        'Target': {
            'Type': 'AWS::EFS::MountTarget',
            'Properties': {
                'FileSystemId': {'Ref': 'Files'},
                'SubnetId': network.subnet,
                'SecurityGroups': [network.group],
            },
        },
        'Point': {
            'Type': 'AWS::EFS::AccessPoint',
            'Properties': {
                'FileSystemId': {'Ref': 'Files'},
                'PosixUser': {'Uid': '1001', 'Gid': '1001'},
                'RootDirectory': {'Path': '/sas'},
            },
        },
    }
    assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
    ids = stack.ids()
    target = cloud.client('efs').describe_mount_targets(MountTargetId=ids['Target'])['MountTargets'][0]
    assert target['LifeCycleState'] == 'available'
    stack.delete()
    with refused('FileSystemNotFound'):
        state(cloud, ids['Files'])
