"""FSx: its CloudFormation types."""

from collections.abc import Iterator
from typing import Any

import pytest
from file_systems import LUSTRE, file_system

from conftest import Cloud, Network, unique
from errors import refused
from stacks import Stack


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


@pytest.fixture(scope='module')
def other_subnet(cloud: Cloud, network: Network) -> str:
    made = cloud.client('ec2').create_subnet(VpcId=network.vpc, CidrBlock='10.9.8.0/24', AvailabilityZone='us-east-1b')
    return str(made['Subnet']['SubnetId'])


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
