"""Volumes of ONTAP and OpenZFS: FSx API reference, "CreateVolume" and what goes with it."""

import uuid
from collections.abc import Mapping
from typing import Any

from ..json_service import page, without_none
from ..query import Refused
from . import ontap_volumes, openzfs_volumes
from .state import (
    LOCK,
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
    new_id,
    once,
    shown,
    volume_of,
)

_KIND = {'ONTAP': ontap_volumes, 'OPENZFS': openzfs_volumes}
_CONFIGURATION = {'ONTAP': 'OntapConfiguration', 'OPENZFS': 'OpenZFSConfiguration'}


def _new(file_system: str, kind: str, name: str, configuration: Record, tags: list[dict[str, str]]) -> Record:
    identity = new_id('fsvol')
    return begin(
        VOLUMES,
        'VolumeId',
        'fsx-volume',
        {
            'CreationTime': created(),
            'FileSystemId': file_system,
            'Name': name,
            'ResourceARN': arn(f'volume/{file_system}/{identity}'),
            'Tags': tags,
            'VolumeId': identity,
            'VolumeType': kind,
            '_machine': configuration.get('StorageVirtualMachineId'),
            _CONFIGURATION[kind]: without_none(configuration),
        },
        'CREATED' if kind == 'ONTAP' else 'AVAILABLE',
    )


def add_openzfs_root(file_system: Record, asked: Mapping[str, Any]) -> str:
    """The root volume of a new OpenZFS file system, mounted as /fsx."""
    configuration = {**openzfs_volumes.options(asked), 'VolumePath': '/fsx'}
    return str(_new(file_system['FileSystemId'], 'OPENZFS', 'fsx', configuration, [])['VolumeId'])


def add_machine_root(machine: Record, style: str) -> None:
    """The root volume of a new storage virtual machine."""
    configuration = {
        'JunctionPath': '/',
        'SecurityStyle': style,
        'SizeInMegabytes': 1024,
        'StorageVirtualMachineId': machine['StorageVirtualMachineId'],
        'StorageVirtualMachineRoot': True,
        'OntapVolumeType': 'RW',
        'UUID': str(uuid.uuid4()),
    }
    _new(machine['FileSystemId'], 'ONTAP', f'{machine["Name"]}_root', configuration, [])


def make(request: Mapping[str, Any]) -> Record:
    """A new volume, or the refusal."""
    kind = choose('VolumeType', request['VolumeType'], tuple(_CONFIGURATION))
    asked = request.get(_CONFIGURATION[kind])
    if not asked:
        raise Refused('MissingVolumeConfiguration', f'{_CONFIGURATION[kind]} is required for {kind}')
    unknown = sorted(set(asked) - _KIND[kind].KNOWN)
    if unknown:
        raise Refused('UnsupportedOperation', f'{", ".join(unknown)} is not implemented by the embedded AWS')
    with LOCK:
        file_system, configuration = _KIND[kind].configuration(str(request['Name']), asked)
        return _new(file_system, kind, str(request['Name']), configuration, check_tags(request.get('Tags')))


_create = once(make)


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateVolume."""
    return {'Volume': shown(_create(request))}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeVolumes."""
    with LOCK:
        wanted = request.get('VolumeIds') or []
        found = [volume_of(one) for one in wanted] if wanted else list(VOLUMES.values())
        for one in request.get('Filters') or []:
            keys = {'file-system-id': 'FileSystemId', 'storage-virtual-machine-id': '_machine'}
            if one['Name'] not in keys:
                raise bad(f'unknown filter {one["Name"]}')
            found = [record for record in found if record.get(keys[one['Name']]) in one['Values']]
        chosen, token = page(found, request, 'MaxResults', 'NextToken')
        return without_none({'Volumes': [shown(one) for one in chosen], 'NextToken': token})


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateVolume."""
    with LOCK:
        record = volume_of(request['VolumeId'])
        available(record, record['VolumeId'])
        name = _CONFIGURATION[record['VolumeType']]
        asked, before = dict(request.get(name) or {}), record[name]
        record[name] = _KIND[record['VolumeType']].changed(before, asked)
        if request.get('Name'):
            record['Name'] = str(request['Name'])
        return {'Volume': shown(record)}


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteVolume. Final backups are not made."""
    with LOCK:
        record = volume_of(request['VolumeId'])
        identity = record['VolumeId']
        if record['VolumeType'] == 'ONTAP' and record['OntapConfiguration']['StorageVirtualMachineRoot']:
            raise bad(f'{identity} is the root volume of a storage virtual machine')
        if record['VolumeType'] == 'OPENZFS':
            openzfs_volumes.check_deletion(record, request.get('OpenZFSConfiguration') or {})
        end(VOLUMES, 'VolumeId', 'fsx-volume', record)
        return {'VolumeId': identity, 'Lifecycle': record['Lifecycle']}
