"""FSx: life cycles, what its API refuses, and its CloudFormation types."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Cloud, Network, unique, until
from errors import refused
from stacks import Stack

Make = Callable[..., str]

LUSTRE = {'DeploymentType': 'PERSISTENT_2', 'PerUnitStorageThroughput': 250}
OPENZFS = {'DeploymentType': 'SINGLE_AZ_HA_2', 'ThroughputCapacity': 160}
ONTAP = {'DeploymentType': 'SINGLE_AZ_2', 'ThroughputCapacityPerHAPair': 384}
TIERED = {
    'DeploymentType': 'PERSISTENT_2',
    'ThroughputCapacity': 4000,
    'MetadataConfiguration': {'Mode': 'USER_PROVISIONED', 'Iops': 6000},
    'DataReadCacheConfiguration': {'SizingMode': 'PROPORTIONAL_TO_THROUGHPUT_CAPACITY'},
}


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


@pytest.fixture(scope='module')
def other_subnet(cloud: Cloud, network: Network) -> str:
    made = cloud.client('ec2').create_subnet(VpcId=network.vpc, CidrBlock='10.9.8.0/24', AvailabilityZone='us-east-1b')
    return str(made['Subnet']['SubnetId'])


def file_system(cloud: Cloud, identity: str) -> dict[str, Any] | None:
    found = cloud.client('fsx').describe_file_systems()['FileSystems']
    return next((one for one in found if one['FileSystemId'] == identity), None)


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


def test_ontap_in_two_zones_with_a_machine_and_a_volume(
    cloud: Cloud, stack: Stack, network: Network, other_subnet: str
) -> None:
    subnets = [network.subnet, other_subnet]
    resources = {
        'Files': {
            'Type': 'AWS::FSx::FileSystem',
            'Properties': {
                'FileSystemType': 'ONTAP',
                'StorageCapacity': 1024,
                'SubnetIds': subnets,
                'OntapConfiguration': {
                    'DeploymentType': 'MULTI_AZ_2',
                    'ThroughputCapacityPerHAPair': 384,
                    'PreferredSubnetId': network.subnet,
                },
            },
        },
        'Machine': {
            'Type': 'AWS::FSx::StorageVirtualMachine',
            'Properties': {'FileSystemId': {'Ref': 'Files'}, 'Name': 'sas', 'RootVolumeSecurityStyle': 'UNIX'},
        },
        'Data': {
            'Type': 'AWS::FSx::Volume',
            'Properties': {
                'Name': 'sasdata',
                'VolumeType': 'ONTAP',
                'OntapConfiguration': {
                    'StorageVirtualMachineId': {'Ref': 'Machine'},
                    'JunctionPath': '/sasdata',
                    'SizeInMegabytes': '1024000',
                    'StorageEfficiencyEnabled': 'true',
                    'TieringPolicy': {'Name': 'NONE'},
                },
            },
        },
    }
    assert stack.create(resources, {'Machine': {'Fn::GetAtt': ['Machine', 'UUID']}}) == 'CREATE_COMPLETE', (
        stack.reasons()
    )
    ids, fsx = stack.ids(), cloud.client('fsx')
    machine = fsx.describe_storage_virtual_machines(StorageVirtualMachineIds=[ids['Machine']])[
        'StorageVirtualMachines'
    ][0]
    assert machine['Lifecycle'] == 'CREATED'
    assert machine['Endpoints']['Nfs']['DNSName'].startswith(f'{ids["Machine"]}.{ids["Files"]}.fsx.')
    assert machine['UUID'] == stack.outputs()['Machine']
    volume = fsx.describe_volumes(VolumeIds=[ids['Data']])['Volumes'][0]['OntapConfiguration']
    assert (volume['JunctionPath'], volume['SizeInMegabytes']) == ('/sasdata', 1024000)
    with refused('BadRequest', 'in use'):
        fsx.create_volume(
            VolumeType='ONTAP',
            Name='other',
            OntapConfiguration={
                'StorageVirtualMachineId': ids['Machine'],
                'JunctionPath': '/sasdata',
                'SizeInMegabytes': 1024,
            },
        )
    with refused('BadRequest', 'storage virtual machines'):
        fsx.delete_file_system(FileSystemId=ids['Files'])
    stack.delete()
    assert file_system(cloud, ids['Files']) is None


def lustre(network: Network, **more: Any) -> dict[str, Any]:
    properties = {
        'FileSystemType': 'LUSTRE',
        'StorageCapacity': 4800,
        'SubnetIds': [network.subnet],
        'LustreConfiguration': {**LUSTRE, 'MetadataConfiguration': {'Mode': 'AUTOMATIC'}},
        **more,
    }
    return {'Type': 'AWS::FSx::FileSystem', 'Properties': properties}


def test_a_lustre_stack_grows_in_place(cloud: Cloud, stack: Stack, network: Network) -> None:
    bucket = unique('repository')
    cloud.client('s3').create_bucket(Bucket=bucket)
    link = {
        'Type': 'AWS::FSx::DataRepositoryAssociation',
        'Properties': {
            'FileSystemId': {'Ref': 'Files'},
            'FileSystemPath': '/in',
            'DataRepositoryPath': f's3://{bucket}',
            'BatchImportMetaDataOnCreate': 'true',
        },
    }
    outputs = {
        'Dns': {'Fn::GetAtt': ['Files', 'DNSName']},
        'Mount': {'Fn::GetAtt': ['Files', 'LustreMountName']},
        'Arn': {'Fn::GetAtt': ['Files', 'ResourceARN']},
    }
    assert stack.create({'Files': lustre(network), 'Link': link}, outputs) == 'CREATE_COMPLETE', stack.reasons()
    first = stack.ids()['Files']
    told = stack.outputs()
    assert told['Dns'] == f'{first}.fsx.us-east-1.amazonaws.com'
    assert told['Arn'].endswith(f':file-system/{first}')
    assert told['Mount'] == (file_system(cloud, first) or {})['LustreConfiguration']['MountName']
    bigger = lustre(network, StorageCapacity=7200)
    assert stack.update({'Files': bigger, 'Link': link}, outputs) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.ids()['Files'] == first
    assert (file_system(cloud, first) or {})['StorageCapacity'] == 7200
    scratch = lustre(network, StorageCapacity=7200, LustreConfiguration={'DeploymentType': 'SCRATCH_2'})
    assert stack.update({'Files': scratch, 'Link': link}, outputs) == 'UPDATE_ROLLBACK_COMPLETE'
    assert stack.ids()['Files'] == first


def test_an_impossible_file_system_fails_its_stack(stack: Stack, network: Network) -> None:
    assert stack.create({'Files': lustre(network, StorageCapacity=5000)}) == 'ROLLBACK_COMPLETE'
    assert 'multiples of 2400 GiB' in stack.reasons()


def test_a_retained_file_system_survives_its_stack(cloud: Cloud, stack: Stack, network: Network) -> None:
    kept = {**lustre(network), 'DeletionPolicy': 'Retain', 'UpdateReplacePolicy': 'Retain'}
    assert stack.create({'Files': kept}) == 'CREATE_COMPLETE'
    identity = stack.ids()['Files']
    stack.delete()
    assert (file_system(cloud, identity) or {})['Lifecycle'] == 'AVAILABLE'
