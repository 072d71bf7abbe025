"""File systems: create, describe, update, delete."""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import ec2 as ministack_ec2

from .. import signals
from ..ec2 import interfaces
from ..ec2.interfaces import drop_interfaces
from ..ec2.state import LOCK as EC2_LOCK
from ..ec2.state import subnet_record
from ..json_service import page, without_none
from ..query import Refused
from . import lustre, ontap, openzfs, volumes
from .state import (
    ASSOCIATIONS,
    FILE_SYSTEMS,
    LOCK,
    MACHINES,
    VOLUMES,
    Record,
    arn,
    available,
    bad,
    begin,
    check_tags,
    created,
    end,
    file_system_of,
    new_id,
    once,
    shown,
)

CONFIGURATION = {'LUSTRE': 'LustreConfiguration', 'OPENZFS': 'OpenZFSConfiguration', 'ONTAP': 'OntapConfiguration'}
_CHECK: dict[str, Callable[[Mapping[str, Any]], Record]] = {
    'LUSTRE': lustre.check,
    'OPENZFS': openzfs.check,
    'ONTAP': ontap.check,
}
_UPDATE: dict[str, Callable[[Record, Mapping[str, Any]], None]] = {
    'LUSTRE': lustre.update,
    'OPENZFS': openzfs.update,
    'ONTAP': ontap.update,
}
DELETE_CHILDREN = 'DELETE_CHILD_VOLUMES_AND_SNAPSHOTS'
_KNOWN = {
    'ClientRequestToken',
    'FileSystemType',
    'FileSystemTypeVersion',
    'KmsKeyId',
    'SecurityGroupIds',
    'StorageCapacity',
    'StorageType',
    'SubnetIds',
    'Tags',
    *CONFIGURATION.values(),
}


def make(request: Mapping[str, Any]) -> Record:
    """A new file system, or the refusal."""
    kind = str(request['FileSystemType'])
    if kind not in CONFIGURATION or set(request) - _KNOWN:
        unknown = ', '.join(sorted(set(request) - _KNOWN)) or f'FileSystemType {kind}'
        raise Refused('UnsupportedOperation', f'{unknown} is not implemented by the embedded AWS')
    name = CONFIGURATION[kind]
    if kind != 'LUSTRE' and not request.get(name):
        raise Refused('MissingFileSystemConfiguration', f'{name} is required for {kind}')
    for other in set(CONFIGURATION.values()) - {name}:
        if request.get(other):
            raise bad(f'{other} is not for file systems of type {kind}')
    configuration = _CHECK[kind](request)
    tags = check_tags(request.get('Tags'))
    with LOCK:
        identity = new_id('fs')
        attached = _interfaces(identity, list(request['SubnetIds']), list(request.get('SecurityGroupIds') or []))
        record = {
            'OwnerId': get_account_id(),
            'CreationTime': created(),
            'FileSystemId': identity,
            'FileSystemType': kind,
            'StorageCapacity': request.get('StorageCapacity'),
            'StorageType': request.get('StorageType') or 'SSD',
            'VpcId': subnet_record(request['SubnetIds'][0])['VpcId'],
            'SubnetIds': list(request['SubnetIds']),
            'NetworkInterfaceIds': [one['NetworkInterfaceId'] for one in attached],
            'KmsKeyId': request.get('KmsKeyId') or _service_key(configuration),
            'ResourceARN': arn(f'file-system/{identity}'),
            'Tags': tags,
            name: configuration,
        }
        addresses = [one['PrivateIpAddress'] for one in attached]
        if kind == 'LUSTRE':
            record['FileSystemTypeVersion'] = lustre.version_of(request, configuration)
        if kind == 'OPENZFS':
            configuration['EndpointIpAddress'] = addresses[0]
            root = (request[name] or {}).get('RootVolumeConfiguration') or {}
            configuration['RootVolumeId'] = volumes.add_openzfs_root(record, root)
        if kind == 'ONTAP':
            configuration['Endpoints'] = ontap.endpoints(identity, addresses)
        else:
            record['DNSName'] = f'{identity}.fsx.{get_region()}.amazonaws.com'
        record[name] = without_none(configuration)
        return begin(FILE_SYSTEMS, 'FileSystemId', 'fsx-file-system', record)


_create = once(make)


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateFileSystem."""
    return {'FileSystem': shown(_create(request))}


def _service_key(configuration: Mapping[str, Any]) -> str | None:
    if str(configuration.get('DeploymentType')).startswith('SCRATCH'):
        return None
    return f'arn:aws:kms:{get_region()}:{get_account_id()}:key/aws-fsx'


def _interfaces(identity: str, subnets: list[str], groups: list[str]) -> list[Record]:
    """The file servers' interfaces: they take addresses, and their subnets and groups cannot be deleted."""
    made = []
    with EC2_LOCK:
        try:
            for subnet in subnets:
                description = f'Created by Amazon FSx for {identity}'
                made.append(interfaces.new_interface(subnet, groups=groups, description=description))
        except Refused as refused:
            drop_interfaces([one['NetworkInterfaceId'] for one in made])
            raise Refused('InvalidNetworkSettings', refused.message) from refused
        for one in made:
            one['Status'] = 'in-use'
    return made


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeFileSystems."""
    with LOCK:
        wanted = request.get('FileSystemIds') or []
        found = [file_system_of(one) for one in wanted] if wanted else list(FILE_SYSTEMS.values())
        chosen, token = page(found, request, 'MaxResults', 'NextToken')
        return without_none({'FileSystems': [shown(one) for one in chosen], 'NextToken': token})


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateFileSystem. Changes take effect at once here."""
    with LOCK:
        record = file_system_of(request['FileSystemId'])
        available(record, record['FileSystemId'])
        kind = record['FileSystemType']
        for other in set(CONFIGURATION.values()) - {CONFIGURATION[kind]}:
            if request.get(other):
                raise bad(f'{other} is not for file systems of type {kind}')
        _UPDATE[kind](record, request)
        return {'FileSystem': shown(record)}


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteFileSystem. Final backups are not made."""
    with LOCK:
        record = file_system_of(request['FileSystemId'])
        identity, kind = record['FileSystemId'], record['FileSystemType']
        if record['Lifecycle'] in ('CREATING', 'DELETING'):
            raise bad(f'{identity} is in the {record["Lifecycle"]} lifecycle state')
        if kind == 'ONTAP' and any(one['FileSystemId'] == identity for one in MACHINES.values()):
            raise bad(f'{identity} has storage virtual machines; delete them first')
        if kind == 'OPENZFS':
            _delete_openzfs_volumes(record, request.get('OpenZFSConfiguration') or {})
        for one in [one for one in ASSOCIATIONS.values() if one['FileSystemId'] == identity]:
            end(ASSOCIATIONS, 'AssociationId', 'fsx-association', one)
        end(
            FILE_SYSTEMS,
            'FileSystemId',
            'fsx-file-system',
            record,
            lambda: _release(identity, record['NetworkInterfaceIds']),
        )
        return {'FileSystemId': identity, 'Lifecycle': record['Lifecycle']}


def _delete_openzfs_volumes(record: Record, options: Mapping[str, Any]) -> None:
    root = record['OpenZFSConfiguration']['RootVolumeId']
    of_it = [one for one in VOLUMES.values() if one['FileSystemId'] == record['FileSystemId']]
    if any(one['VolumeId'] != root for one in of_it) and DELETE_CHILDREN not in (options.get('Options') or []):
        raise bad(f'{record["FileSystemId"]} has child volumes; delete them, or use the option {DELETE_CHILDREN}')
    for one in of_it:
        end(VOLUMES, 'VolumeId', 'fsx-volume', one)


def _release(identity: str, ids: list[str]) -> None:
    with EC2_LOCK:
        drop_interfaces([one for one in ids if one in ministack_ec2._network_interfaces])
    signals.publish('file-system-gone', file_system=identity)
