"""Backups of FSx: how they come about, what is refused, and what is made of them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from file_systems import LUSTRE, ONTAP, file_system

from conftest import Cloud, Network, unique, until
from errors import refused
from stacks import Stack

Make = Callable[..., str]
SIZE = 1200
CONFIGURATION = {**LUSTRE, 'MetadataConfiguration': {'Mode': 'AUTOMATIC'}}


@pytest.fixture(scope='module')
def cloud(hosted: Cloud) -> Cloud:
    """Files are kept where there are hosts."""
    return hosted


@pytest.fixture(scope='module')
def network(cloud: Cloud) -> Network:
    ec2 = cloud.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    return Network(vpc, subnet, '')


@pytest.fixture
def made(cloud: Cloud, network: Network) -> Make:
    """Makes available file systems."""

    def make(**more: Any) -> str:
        wanted: dict[str, Any] = {
            'FileSystemType': 'LUSTRE',
            'SubnetIds': [network.subnet],
            'StorageCapacity': SIZE,
            'LustreConfiguration': CONFIGURATION,
            **more,
        }
        wanted = {key: value for key, value in wanted.items() if value is not None}
        one = str(cloud.client('fsx').create_file_system(**wanted)['FileSystem']['FileSystemId'])
        until(lambda: (file_system(cloud, one) or {})['Lifecycle'] == 'AVAILABLE', f'{one} available')
        return one

    return make


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    one = Stack(cloud)
    yield one
    one.delete()


def backup(cloud: Cloud, identity: str) -> dict[str, Any]:
    found: dict[str, Any] = cloud.client('fsx').describe_backups(BackupIds=[identity])['Backups'][0]
    return found


def finished(cloud: Cloud, **source: Any) -> str:
    identity = str(cloud.client('fsx').create_backup(**source)['Backup']['BackupId'])
    until(lambda: backup(cloud, identity)['Lifecycle'] == 'AVAILABLE', f'{identity} available')
    return identity


def files(cloud: Cloud, place: str) -> dict[str, str]:
    folder = cloud.state / 'file-systems' / place
    return {one.name: one.read_text() for one in folder.iterdir() if one.is_file()}


def write(cloud: Cloud, place: str, text: str) -> None:
    folder = cloud.state / 'file-systems' / place
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'data.sas7bdat').write_text(text)


def test_a_backup_takes_time_and_one_is_made_at_a_time(cloud: Cloud, made: Make) -> None:
    fsx, one = cloud.client('fsx'), made()
    wanted = {'FileSystemId': one, 'Tags': [{'Key': 'set', 'Value': 'a'}], 'ClientRequestToken': unique('token')}
    with cloud.still():
        begun = fsx.create_backup(**wanted)['Backup']
        assert (begun['Lifecycle'], begun['Type'], begun['Tags']) == ('CREATING', 'USER_INITIATED', wanted['Tags'])
        assert fsx.create_backup(**wanted)['Backup']['BackupId'] == begun['BackupId']
        with refused('IncompatibleParameterError'):
            fsx.create_backup(**{**wanted, 'Tags': [{'Key': 'set', 'Value': 'other'}]})
        with refused('BackupInProgress', one):
            fsx.create_backup(FileSystemId=one)
        with refused('BackupInProgress', 'CREATING'):
            fsx.delete_backup(BackupId=begun['BackupId'])
        with refused('BadRequest', 'AVAILABLE'):
            fsx.create_file_system_from_backup(BackupId=begun['BackupId'], SubnetIds=['subnet-0123456789abcdef0'])
    until(lambda: backup(cloud, begun['BackupId'])['Lifecycle'] == 'AVAILABLE', 'available')
    states = [line['to'] for line in cloud.history(kind='fsx-backup', id=begun['BackupId'])]
    assert states == ['CREATING', 'TRANSFERRING', 'AVAILABLE']
    fsx.tag_resource(ResourceARN=begun['ResourceARN'], Tags=[{'Key': 'set', 'Value': 'b'}])
    own = {'Name': 'file-system-id', 'Values': [one]}
    shown = fsx.describe_backups(Filters=[own, {'Name': 'backup-type', 'Values': ['USER_INITIATED']}])['Backups']
    assert [(each['BackupId'], each['Tags']) for each in shown] == [(begun['BackupId'], [{'Key': 'set', 'Value': 'b'}])]
    # It is kept when its file system is gone, and remembers it.
    fsx.delete_file_system(FileSystemId=one)
    until(lambda: file_system(cloud, one) is None, 'gone')
    assert backup(cloud, begun['BackupId'])['FileSystem']['StorageCapacity'] == SIZE
    assert fsx.delete_backup(BackupId=begun['BackupId'])['Lifecycle'] == 'DELETED'
    with refused('BackupNotFound'):
        fsx.describe_backups(BackupIds=[begun['BackupId']])


def test_what_has_no_backups(cloud: Cloud, made: Make) -> None:
    fsx, bucket = cloud.client('fsx'), unique('repository')
    with refused('FileSystemNotFound'):
        fsx.create_backup(FileSystemId='fs-0123456789abcdef0')
    with refused('BadRequest', 'one of FileSystemId and VolumeId'):
        fsx.create_backup()
    scratch = made(LustreConfiguration={'DeploymentType': 'SCRATCH_2'})
    with refused('BadRequest', 'persistent'):
        fsx.create_backup(FileSystemId=scratch)
    linked = made()
    cloud.client('s3').create_bucket(Bucket=bucket)
    fsx.create_data_repository_association(
        FileSystemId=linked, FileSystemPath='/in', DataRepositoryPath=f's3://{bucket}'
    )
    with refused('BadRequest', 'linked'):
        fsx.create_backup(FileSystemId=linked)
    ontap = made(FileSystemType='ONTAP', StorageCapacity=1024, LustreConfiguration=None, OntapConfiguration=ONTAP)
    with refused('BadRequest', 'volumes'):
        fsx.create_backup(FileSystemId=ontap)


def test_one_may_fail(cloud: Cloud, made: Make) -> None:
    one = made()
    cloud.fault(kind='fail-backup')
    identity = str(cloud.client('fsx').create_backup(FileSystemId=one)['Backup']['BackupId'])
    until(lambda: backup(cloud, identity)['Lifecycle'] == 'FAILED', 'failed')
    assert 'could not finish' in backup(cloud, identity)['FailureDetails']['Message']
    finished(cloud, FileSystemId=one)


def lustre(network: Network, **more: Any) -> dict[str, Any]:
    properties = {
        'FileSystemType': 'LUSTRE',
        'StorageCapacity': SIZE,
        'SubnetIds': [network.subnet],
        'LustreConfiguration': CONFIGURATION,
        **more,
    }
    return {'Type': 'AWS::FSx::FileSystem', 'Properties': properties}


def test_a_stack_makes_a_file_system_of_a_backup_with_what_was_in_it(
    cloud: Cloud, made: Make, stack: Stack, network: Network
) -> None:
    one = made()
    write(cloud, one, 'before')
    identity = finished(cloud, FileSystemId=one)
    write(cloud, one, 'after')
    assert stack.create({'Files': lustre(network, BackupId=identity)}) == 'CREATE_COMPLETE', stack.reasons()
    restored = stack.ids()['Files']
    assert restored != one
    assert files(cloud, restored) == {'data.sas7bdat': 'before'}
    # It grows in place, and another backup would be another file system.
    bigger = lustre(network, BackupId=identity, StorageCapacity=2400)
    assert stack.update({'Files': bigger}) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['Files'] == restored
    other = finished(cloud, FileSystemId=one)
    assert stack.update({'Files': lustre(network, BackupId=other)}) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['Files'] != restored


@pytest.mark.parametrize(
    ('about', 'change'),
    [
        ('StorageCapacity', {'StorageCapacity': 2400}),
        ('PerUnitStorageThroughput', {'LustreConfiguration': {**LUSTRE, 'PerUnitStorageThroughput': 500}}),
        ('DataCompressionType', {'LustreConfiguration': {**LUSTRE, 'DataCompressionType': 'LZ4'}}),
    ],
)
def test_a_backup_is_restored_to_what_it_was(
    cloud: Cloud, made: Make, network: Network, about: str, change: dict[str, Any]
) -> None:
    identity = finished(cloud, FileSystemId=made())
    with refused('BadRequest', about):
        cloud.client('fsx').create_file_system_from_backup(BackupId=identity, SubnetIds=[network.subnet], **change)


def test_a_volume_of_ontap_is_made_of_its_backup(cloud: Cloud, made: Make) -> None:
    fsx = cloud.client('fsx')
    one = made(FileSystemType='ONTAP', StorageCapacity=1024, LustreConfiguration=None, OntapConfiguration=ONTAP)
    machine = fsx.create_storage_virtual_machine(FileSystemId=one, Name='sas')['StorageVirtualMachine']
    svm = machine['StorageVirtualMachineId']

    def is_there() -> bool:
        found = fsx.describe_storage_virtual_machines(StorageVirtualMachineIds=[svm])['StorageVirtualMachines'][0]
        return bool(found['Lifecycle'] == 'CREATED')

    until(is_there, 'the machine')
    configuration = {'StorageVirtualMachineId': svm, 'JunctionPath': '/sasdata', 'SizeInMegabytes': 1024}
    volume = fsx.create_volume(VolumeType='ONTAP', Name='sasdata', OntapConfiguration=configuration)['Volume']
    data = volume['VolumeId']
    until(lambda: fsx.describe_volumes(VolumeIds=[data])['Volumes'][0]['Lifecycle'] == 'CREATED', 'the volume')
    write(cloud, f'{one}/sasdata', 'mine')
    identity = finished(cloud, VolumeId=data)
    assert backup(cloud, identity)['ResourceType'] == 'VOLUME'
    again = {**configuration, 'JunctionPath': '/again'}
    with refused('BadRequest', 'bytes'):
        fsx.create_volume_from_backup(
            BackupId=identity, Name='again', OntapConfiguration={**again, 'SizeInMegabytes': 512}
        )
    fsx.create_volume_from_backup(BackupId=identity, Name='again', OntapConfiguration=again)
    assert files(cloud, f'{one}/again') == {'data.sas7bdat': 'mine'}
