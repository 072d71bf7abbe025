"""FSx: life cycles, and what its API refuses."""

from collections.abc import Callable
from typing import Any

import pytest
from file_systems import LUSTRE, ONTAP, file_system

from conftest import Cloud, Network, unique, until
from errors import refused

Make = Callable[..., str]

OPENZFS = {'DeploymentType': 'SINGLE_AZ_HA_2', 'ThroughputCapacity': 160}
TIERED = {
    'DeploymentType': 'PERSISTENT_2',
    'ThroughputCapacity': 4000,
    'MetadataConfiguration': {'Mode': 'USER_PROVISIONED', 'Iops': 6000},
    'DataReadCacheConfiguration': {'SizingMode': 'PROPORTIONAL_TO_THROUGHPUT_CAPACITY'},
}


@pytest.fixture
def made(cloud: Cloud, network: Network) -> Make:
    """Makes available file systems."""

    def make(**more: Any) -> str:
        wanted = {'FileSystemType': 'LUSTRE', 'SubnetIds': [network.subnet], **more}
        one = str(cloud.client('fsx').create_file_system(**wanted)['FileSystem']['FileSystemId'])
        until(lambda: (file_system(cloud, one) or {})['Lifecycle'] == 'AVAILABLE', f'{one} available')
        return one

    return make


def test_a_lustre_file_system_takes_time_and_has_what_a_client_mounts(cloud: Cloud, network: Network) -> None:
    fsx, ec2 = cloud.client('fsx'), cloud.client('ec2')
    group = ec2.create_security_group(VpcId=network.vpc, GroupName=unique('lustre'), Description='lustre')['GroupId']
    lustre = {'IpProtocol': 'tcp', 'FromPort': 988, 'ToPort': 1023, 'UserIdGroupPairs': [{'GroupId': group}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[lustre])
    wanted = {
        'FileSystemType': 'LUSTRE',
        'StorageCapacity': 4800,
        'SubnetIds': [network.subnet],
        'SecurityGroupIds': [group],
        'LustreConfiguration': {**LUSTRE, 'MetadataConfiguration': {'Mode': 'AUTOMATIC'}},
        'Tags': [{'Key': 'Name', 'Value': 'data'}],
        'ClientRequestToken': unique('token'),
    }
    with cloud.still():
        one = fsx.create_file_system(**wanted)['FileSystem']
        assert one['Lifecycle'] == 'CREATING'
        with refused('BadRequest', 'CREATING'):
            fsx.update_file_system(FileSystemId=one['FileSystemId'], StorageCapacity=7200)
    assert one['DNSName'] == f'{one["FileSystemId"]}.fsx.us-east-1.amazonaws.com'
    assert len(one['LustreConfiguration']['MountName']) == 8
    assert one['LustreConfiguration']['MetadataConfiguration'] == {'Mode': 'AUTOMATIC', 'Iops': 6000}
    assert one['FileSystemTypeVersion'] == '2.15'
    again = fsx.create_file_system(**wanted)['FileSystem']
    assert again['FileSystemId'] == one['FileSystemId']
    with refused('IncompatibleParameterError'):
        fsx.create_file_system(**{**wanted, 'StorageCapacity': 7200})
    until(lambda: (file_system(cloud, one['FileSystemId']) or {})['Lifecycle'] == 'AVAILABLE', 'available')
    states = [line['to'] for line in cloud.history(kind='fsx-file-system', id=one['FileSystemId'])]
    assert states == ['CREATING', 'AVAILABLE']
    assert fsx.list_tags_for_resource(ResourceARN=one['ResourceARN'])['Tags'] == [{'Key': 'Name', 'Value': 'data'}]
    interface = one['NetworkInterfaceIds'][0]
    shown = cloud.client('ec2').describe_network_interfaces(NetworkInterfaceIds=[interface])['NetworkInterfaces'][0]
    assert shown['SubnetId'] == network.subnet
    assert fsx.delete_file_system(FileSystemId=one['FileSystemId'])['Lifecycle'] == 'DELETING'
    until(lambda: file_system(cloud, one['FileSystemId']) is None, 'gone')
    with refused('FileSystemNotFound'):
        fsx.describe_file_systems(FileSystemIds=[one['FileSystemId']])
    with refused('InvalidNetworkInterfaceID.NotFound'):
        cloud.client('ec2').describe_network_interfaces(NetworkInterfaceIds=[interface])


@pytest.mark.parametrize(
    ('code', 'about', 'wanted'),
    [
        ('BadRequest', '3600', {'StorageCapacity': 3600, 'LustreConfiguration': LUSTRE}),
        (
            'InvalidPerUnitStorageThroughput',
            '125, 250, 500, 1000',
            {'StorageCapacity': 1200, 'LustreConfiguration': {**LUSTRE, 'PerUnitStorageThroughput': 200}},
        ),
        (
            'InvalidPerUnitStorageThroughput',
            'None',
            {'StorageCapacity': 1200, 'LustreConfiguration': {'DeploymentType': 'PERSISTENT_2'}},
        ),
        (
            'BadRequest',
            'not available',
            {'StorageCapacity': 6000, 'StorageType': 'HDD', 'LustreConfiguration': LUSTRE},
        ),
        (
            'BadRequest',
            'Iops is 9000',
            {
                'StorageCapacity': 1200,
                'LustreConfiguration': {
                    **LUSTRE,
                    'MetadataConfiguration': {'Mode': 'USER_PROVISIONED', 'Iops': 9000},
                },
            },
        ),
        (
            'BadRequest',
            'PERSISTENT_2 only',
            {
                'StorageCapacity': 1200,
                'LustreConfiguration': {
                    'DeploymentType': 'SCRATCH_2',
                    'MetadataConfiguration': {'Mode': 'AUTOMATIC'},
                },
            },
        ),
        (
            'BadRequest',
            'automatic backups',
            {
                'StorageCapacity': 1200,
                'LustreConfiguration': {'DeploymentType': 'SCRATCH_2', 'AutomaticBackupRetentionDays': 7},
            },
        ),
        (
            'BadRequest',
            'use an association',
            {'StorageCapacity': 1200, 'LustreConfiguration': {**LUSTRE, 'ImportPath': 's3://b'}},
        ),
        (
            'BadRequest',
            '2.10',
            {'StorageCapacity': 1200, 'FileSystemTypeVersion': '2.10', 'LustreConfiguration': LUSTRE},
        ),
        (
            'BadRequest',
            'elastic',
            {'StorageType': 'INTELLIGENT_TIERING', 'StorageCapacity': 1200, 'LustreConfiguration': TIERED},
        ),
        (
            'BadRequest',
            'multiples of 4000',
            {'StorageType': 'INTELLIGENT_TIERING', 'LustreConfiguration': {**TIERED, 'ThroughputCapacity': 5000}},
        ),
        (
            'BadRequest',
            '6000 and 12000',
            {
                'StorageType': 'INTELLIGENT_TIERING',
                'LustreConfiguration': {
                    **TIERED,
                    'MetadataConfiguration': {'Mode': 'USER_PROVISIONED', 'Iops': 24000},
                },
            },
        ),
        (
            'BadRequest',
            'ThroughputCapacity is 100',
            {
                'FileSystemType': 'OPENZFS',
                'StorageCapacity': 64,
                'OpenZFSConfiguration': {**OPENZFS, 'ThroughputCapacity': 100},
            },
        ),
        (
            'BadRequest',
            '64 to 524288',
            {'FileSystemType': 'OPENZFS', 'StorageCapacity': 32, 'OpenZFSConfiguration': OPENZFS},
        ),
        (
            'BadRequest',
            'two',
            {
                'FileSystemType': 'OPENZFS',
                'StorageCapacity': 64,
                'OpenZFSConfiguration': {'DeploymentType': 'MULTI_AZ_1', 'ThroughputCapacity': 160},
            },
        ),
        ('MissingFileSystemConfiguration', 'OntapConfiguration', {'FileSystemType': 'ONTAP', 'StorageCapacity': 1024}),
        (
            'BadRequest',
            '2048 to',
            {
                'FileSystemType': 'ONTAP',
                'StorageCapacity': 1024,
                'OntapConfiguration': {**ONTAP, 'HAPairs': 2, 'ThroughputCapacityPerHAPair': 1536},
            },
        ),
        (
            'BadRequest',
            'not both',
            {
                'FileSystemType': 'ONTAP',
                'StorageCapacity': 1024,
                'OntapConfiguration': {'DeploymentType': 'SINGLE_AZ_1'},
            },
        ),
    ],
)
def test_impossible_file_systems(cloud: Cloud, network: Network, code: str, about: str, wanted: dict[str, Any]) -> None:
    with refused(code, about):
        cloud.client('fsx').create_file_system(**{'FileSystemType': 'LUSTRE', 'SubnetIds': [network.subnet], **wanted})


def test_lustre_grows_and_never_shrinks(cloud: Cloud, made: Make) -> None:
    fsx = cloud.client('fsx')
    one = made(StorageCapacity=4800, LustreConfiguration={**LUSTRE, 'MetadataConfiguration': {'Mode': 'AUTOMATIC'}})
    grown = fsx.update_file_system(FileSystemId=one, StorageCapacity=12000)['FileSystem']
    assert grown['LustreConfiguration']['MetadataConfiguration']['Iops'] == 12000
    with refused('BadRequest', 'never shrinks'):
        fsx.update_file_system(FileSystemId=one, StorageCapacity=4800)
    with refused('BadRequest', 'only grow'):
        fsx.update_file_system(
            FileSystemId=one,
            LustreConfiguration={'MetadataConfiguration': {'Mode': 'USER_PROVISIONED', 'Iops': 6000}},
        )
    fsx.update_file_system(FileSystemId=one, LustreConfiguration={'PerUnitStorageThroughput': 500})
    shown = file_system(cloud, one) or {}
    assert shown['LustreConfiguration']['PerUnitStorageThroughput'] == 500


def test_intelligent_tiering(cloud: Cloud, made: Make) -> None:
    one = file_system(cloud, made(StorageType='INTELLIGENT_TIERING', LustreConfiguration=TIERED)) or {}
    assert 'StorageCapacity' not in one
    assert one['LustreConfiguration']['ThroughputCapacity'] == 4000
    with refused('BadRequest', 'not supported with INTELLIGENT_TIERING'):
        cloud.client('fsx').create_data_repository_association(
            FileSystemId=one['FileSystemId'], FileSystemPath='/a', DataRepositoryPath='s3://bucket-of-mine'
        )


def test_associations_do_not_overlap(cloud: Cloud, made: Make) -> None:
    fsx, bucket = cloud.client('fsx'), unique('repository')
    cloud.client('s3').create_bucket(Bucket=bucket)
    one = made(StorageCapacity=1200, LustreConfiguration=LUSTRE)

    def link(path: str, repository: str = f's3://{bucket}/x') -> Any:
        return fsx.create_data_repository_association(
            FileSystemId=one,
            FileSystemPath=path,
            DataRepositoryPath=repository,
            S3={'AutoImportPolicy': {'Events': ['NEW', 'CHANGED']}, 'AutoExportPolicy': {'Events': ['NEW']}},
        )['Association']

    first = link('/in')
    assert first['Lifecycle'] == 'CREATING'
    with refused('BadRequest', 'overlaps'):
        link('/in/deeper')
    with refused('BadRequest', 'does not exist'):
        link('/other', 's3://no-such-bucket-at-all')
    until(
        lambda: (
            fsx.describe_data_repository_associations(AssociationIds=[first['AssociationId']])['Associations'][0][
                'Lifecycle'
            ]
            == 'AVAILABLE'
        ),
        'linked',
    )


def test_openzfs_has_a_root_volume_and_children(cloud: Cloud, made: Make) -> None:
    fsx = cloud.client('fsx')
    one = made(FileSystemType='OPENZFS', StorageCapacity=64, OpenZFSConfiguration=OPENZFS)
    root = (file_system(cloud, one) or {})['OpenZFSConfiguration']['RootVolumeId']
    child = fsx.create_volume(
        VolumeType='OPENZFS', Name='data', OpenZFSConfiguration={'ParentVolumeId': root, 'RecordSizeKiB': 1024}
    )['Volume']
    assert child['OpenZFSConfiguration']['VolumePath'] == '/fsx/data'
    with refused('BadRequest', 'RecordSizeKiB is 100'):
        fsx.create_volume(
            VolumeType='OPENZFS', Name='x', OpenZFSConfiguration={'ParentVolumeId': root, 'RecordSizeKiB': 100}
        )
    with refused('BadRequest', 'child volumes'):
        fsx.delete_file_system(FileSystemId=one)
    with refused('BadRequest', 'root volume'):
        fsx.delete_volume(VolumeId=root)
    fsx.delete_file_system(FileSystemId=one, OpenZFSConfiguration={'Options': ['DELETE_CHILD_VOLUMES_AND_SNAPSHOTS']})
    until(lambda: file_system(cloud, one) is None, 'gone')
