"""Storage virtual machines of ONTAP: each has a root volume and endpoints of its own."""

import uuid
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2 as ministack_ec2

from ..json_service import page, without_none
from ..query import Refused
from . import ontap, volumes
from .state import (
    LOCK,
    MACHINES,
    VOLUMES,
    Record,
    arn,
    available,
    bad,
    begin,
    check_tags,
    choose,
    created,
    end,
    file_system_of,
    new_id,
    once,
    record_of,
    shaped,
    shown,
)

SECURITY_STYLES = ('UNIX', 'NTFS', 'MIXED')
LONGEST_NAME = 47


def machine_of(identity: Any) -> Record:
    """The storage virtual machine, or FSx's refusal."""
    return record_of(MACHINES, str(identity), 'StorageVirtualMachineNotFound', 'Storage virtual machine')


@once
def _create(request: Mapping[str, Any]) -> Record:
    if request.get('ActiveDirectoryConfiguration'):
        raise Refused('UnsupportedOperation', 'ActiveDirectoryConfiguration is not implemented by the embedded AWS')
    with LOCK:
        file_system = file_system_of(request['FileSystemId'])
        if file_system['FileSystemType'] != 'ONTAP':
            raise bad(f'{file_system["FileSystemId"]} is not an ONTAP file system')
        available(file_system, file_system['FileSystemId'])
        name = str(request['Name'])
        shaped('Name', name, rf'[A-Za-z0-9_]{{1,{LONGEST_NAME}}}')
        shaped('SvmAdminPassword', request.get('SvmAdminPassword'), ontap.PASSWORD)
        style = choose('RootVolumeSecurityStyle', request.get('RootVolumeSecurityStyle') or 'UNIX', SECURITY_STYLES)
        if any(one['FileSystemId'] == file_system['FileSystemId'] and one['Name'] == name for one in MACHINES.values()):
            raise bad(f'{file_system["FileSystemId"]} has a storage virtual machine {name} already')
        identity = new_id('svm')
        record = {
            'CreationTime': created(),
            'Endpoints': _endpoints(identity, file_system),
            'FileSystemId': file_system['FileSystemId'],
            'Name': name,
            'ResourceARN': arn(f'storage-virtual-machine/{file_system["FileSystemId"]}/{identity}'),
            'StorageVirtualMachineId': identity,
            'Subtype': 'DEFAULT',
            'UUID': str(uuid.uuid4()),
            'RootVolumeSecurityStyle': style,
            'Tags': check_tags(request.get('Tags')),
        }
        volumes.add_machine_root(record, style)
        return begin(MACHINES, 'StorageVirtualMachineId', 'fsx-svm', record, 'CREATED')


def _endpoints(identity: str, file_system: Mapping[str, Any]) -> Record:
    domain = f'{identity}.{file_system["FileSystemId"]}.fsx.{get_region()}.amazonaws.com'
    known = ministack_ec2._network_interfaces
    addresses = [known[one]['PrivateIpAddress'] for one in file_system['NetworkInterfaceIds'] if one in known]
    return {
        'Nfs': {'DNSName': domain, 'IpAddresses': addresses[:1]},
        'Management': {'DNSName': domain, 'IpAddresses': addresses[:1]},
        'Iscsi': {'DNSName': f'iscsi.{domain}', 'IpAddresses': addresses},
    }


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateStorageVirtualMachine."""
    return {'StorageVirtualMachine': shown(_create(request))}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeStorageVirtualMachines."""
    with LOCK:
        wanted = request.get('StorageVirtualMachineIds') or []
        found = [machine_of(one) for one in wanted] if wanted else list(MACHINES.values())
        for one in request.get('Filters') or []:
            if one['Name'] != 'file-system-id':
                raise bad(f'unknown filter {one["Name"]}')
            found = [record for record in found if record['FileSystemId'] in one['Values']]
        chosen, token = page(found, request, 'MaxResults', 'NextToken')
        return without_none({'StorageVirtualMachines': [shown(one) for one in chosen], 'NextToken': token})


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateStorageVirtualMachine: its password, which nothing shows."""
    with LOCK:
        record = machine_of(request['StorageVirtualMachineId'])
        available(record, record['StorageVirtualMachineId'])
        shaped('SvmAdminPassword', request.get('SvmAdminPassword'), ontap.PASSWORD)
        return {'StorageVirtualMachine': shown(record)}


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteStorageVirtualMachine: its volumes other than the root must be gone."""
    with LOCK:
        record = machine_of(request['StorageVirtualMachineId'])
        identity = record['StorageVirtualMachineId']
        mine = [one for one in VOLUMES.values() if one.get('_machine') == identity]
        if any(not one['OntapConfiguration']['StorageVirtualMachineRoot'] for one in mine):
            raise bad(f'{identity} has volumes; delete them first')
        for one in mine:
            end(VOLUMES, 'VolumeId', 'fsx-volume', one)
        end(MACHINES, 'StorageVirtualMachineId', 'fsx-svm', record)
        return {'StorageVirtualMachineId': identity, 'Lifecycle': record['Lifecycle']}
