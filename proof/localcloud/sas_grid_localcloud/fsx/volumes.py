"""Volumes of ONTAP and OpenZFS. Values: FSx API reference, "CreateVolume", "CreateOntapVolumeConfiguration",
"CreateOpenZFSVolumeConfiguration"."""

import uuid
from collections.abc import Mapping
from typing import Any

from ..json_service import page, without_none
from ..query import Refused, flag
from .state import (
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
    choose,
    created,
    end,
    new_id,
    once,
    record_of,
    shaped,
    shown,
    within,
)

MIB = 1 << 20
LEAST_MIB, MOST_MIB = 20, 314572800
"""of a FlexVol volume: 20 MiB to 300 TiB"""
TIERING = ('SNAPSHOT_ONLY', 'AUTO', 'ALL', 'NONE')
RECORD_SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""KiB, on SSD"""
NFS_CLIENTS = 25
_CONFIGURATION = {'ONTAP': 'OntapConfiguration', 'OPENZFS': 'OpenZFSConfiguration'}
_ONTAP_KNOWN = {
    'CopyTagsToBackups',
    'JunctionPath',
    'OntapVolumeType',
    'SecurityStyle',
    'SizeInBytes',
    'SizeInMegabytes',
    'SnapshotPolicy',
    'StorageEfficiencyEnabled',
    'StorageVirtualMachineId',
    'TieringPolicy',
    'VolumeStyle',
}
_OPENZFS_KNOWN = {
    'CopyTagsToSnapshots',
    'DataCompressionType',
    'NfsExports',
    'ParentVolumeId',
    'ReadOnly',
    'RecordSizeKiB',
    'StorageCapacityQuotaGiB',
    'StorageCapacityReservationGiB',
    'UserAndGroupQuotas',
}


def volume_of(identity: Any) -> Record:
    """The volume, or FSx's refusal."""
    return record_of(VOLUMES, str(identity), 'VolumeNotFound', 'Volume')


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
    configuration = {**_openzfs_options(asked), 'VolumePath': '/fsx'}
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


@once
def _create(request: Mapping[str, Any]) -> Record:
    kind = choose('VolumeType', request['VolumeType'], tuple(_CONFIGURATION))
    asked = request.get(_CONFIGURATION[kind])
    if not asked:
        raise Refused('MissingVolumeConfiguration', f'{_CONFIGURATION[kind]} is required for {kind}')
    unknown = sorted(set(asked) - (_ONTAP_KNOWN if kind == 'ONTAP' else _OPENZFS_KNOWN))
    if unknown:
        raise Refused('UnsupportedOperation', f'{", ".join(unknown)} is not implemented by the embedded AWS')
    with LOCK:
        make = _ontap if kind == 'ONTAP' else _openzfs
        file_system, configuration = make(str(request['Name']), asked)
        return _new(file_system, kind, str(request['Name']), configuration, check_tags(request.get('Tags')))


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateVolume."""
    return {'Volume': shown(_create(request))}


def _ontap(name: str, asked: Mapping[str, Any]) -> tuple[str, Record]:
    shaped('Name', name, r'[A-Za-z_]\w{0,202}')
    machine = record_of(
        MACHINES, str(asked['StorageVirtualMachineId']), 'StorageVirtualMachineNotFound', 'Storage virtual machine'
    )
    available(machine, machine['StorageVirtualMachineId'])
    identity = machine['StorageVirtualMachineId']
    if any(one['Name'] == name and one.get('_machine') == identity for one in VOLUMES.values()):
        raise bad(f'{identity} has a volume {name} already')
    style = choose('VolumeStyle', asked.get('VolumeStyle') or 'FLEXVOL', ('FLEXVOL',))
    path = asked.get('JunctionPath')
    shaped('JunctionPath', path, r'/[^\u0000\r\n]{1,254}')
    taken = [one['OntapConfiguration'].get('JunctionPath') for one in VOLUMES.values() if one['_machine'] == identity]
    if path and path in taken:
        raise bad(f'JunctionPath {path} is in use on {identity}')
    return machine['FileSystemId'], {
        'FlexCacheEndpointType': 'NONE',
        'JunctionPath': path,
        'SecurityStyle': choose(
            'SecurityStyle', asked.get('SecurityStyle') or machine['RootVolumeSecurityStyle'], ('UNIX', 'NTFS', 'MIXED')
        ),
        **_ontap_size(asked),
        'StorageEfficiencyEnabled': flag(asked.get('StorageEfficiencyEnabled')),
        'StorageVirtualMachineId': identity,
        'StorageVirtualMachineRoot': False,
        'TieringPolicy': _tiering(asked.get('TieringPolicy')),
        'OntapVolumeType': choose('OntapVolumeType', asked.get('OntapVolumeType') or 'RW', ('RW', 'DP')),
        'SnapshotPolicy': asked.get('SnapshotPolicy') or 'default',
        'CopyTagsToBackups': flag(asked.get('CopyTagsToBackups')),
        'VolumeStyle': style,
        'UUID': str(uuid.uuid4()),
    }


def _ontap_size(asked: Mapping[str, Any]) -> Record:
    in_bytes, in_mib = asked.get('SizeInBytes'), asked.get('SizeInMegabytes')
    if (in_bytes is None) == (in_mib is None):
        raise bad('one of SizeInBytes and SizeInMegabytes is required, and not both')
    if in_bytes is not None:
        size = within('SizeInBytes', in_bytes, LEAST_MIB * MIB, MOST_MIB * MIB)
        return {'SizeInBytes': size, 'SizeInMegabytes': size // MIB}
    size = within('SizeInMegabytes', in_mib, LEAST_MIB, MOST_MIB)
    return {'SizeInBytes': size * MIB, 'SizeInMegabytes': size}


def _tiering(asked: Mapping[str, Any] | None) -> Record:
    name = choose('TieringPolicy.Name', (asked or {}).get('Name') or 'SNAPSHOT_ONLY', TIERING)
    period = (asked or {}).get('CoolingPeriod')
    if period is None:
        return {'Name': name}
    if name not in ('SNAPSHOT_ONLY', 'AUTO'):
        raise bad(f'TieringPolicy.CoolingPeriod is not for {name}')
    return {'Name': name, 'CoolingPeriod': within('TieringPolicy.CoolingPeriod', period, 2, 183)}


def _openzfs(name: str, asked: Mapping[str, Any]) -> tuple[str, Record]:
    parent = volume_of(asked['ParentVolumeId'])
    available(parent, parent['VolumeId'])
    available(FILE_SYSTEMS[parent['FileSystemId']], parent['FileSystemId'])
    if parent['VolumeType'] != 'OPENZFS':
        raise bad(f'{parent["VolumeId"]} is not an OpenZFS volume')
    shaped('Name', name, r'[A-Za-z0-9_.\-]{1,203}')
    path = f'{parent["OpenZFSConfiguration"]["VolumePath"]}/{name}'
    if any(
        one.get('OpenZFSConfiguration', {}).get('VolumePath') == path
        for one in VOLUMES.values()
        if one['FileSystemId'] == parent['FileSystemId']
    ):
        raise bad(f'{path} exists already')
    quota, reserved = asked.get('StorageCapacityQuotaGiB'), asked.get('StorageCapacityReservationGiB')
    for what, value in (('StorageCapacityQuotaGiB', quota), ('StorageCapacityReservationGiB', reserved)):
        if value is not None:
            within(what, value, -1, 2**31 - 1)
    if quota not in (None, -1) and int(reserved or 0) > int(quota):
        raise bad(f'StorageCapacityReservationGiB {reserved} exceeds StorageCapacityQuotaGiB {quota}')
    options = {**_openzfs_options(asked), 'ParentVolumeId': parent['VolumeId'], 'VolumePath': path}
    options.update(StorageCapacityQuotaGiB=quota, StorageCapacityReservationGiB=reserved)
    return parent['FileSystemId'], options


def _openzfs_options(asked: Mapping[str, Any]) -> Record:
    exports = list(asked.get('NfsExports') or [])
    if len(exports) > 1 or any(len(one['ClientConfigurations']) > NFS_CLIENTS for one in exports):
        raise bad(f'NfsExports has one entry with at most {NFS_CLIENTS} clients')
    return {
        'RecordSizeKiB': int(choose('RecordSizeKiB', int(asked.get('RecordSizeKiB') or 128), RECORD_SIZES)),
        'DataCompressionType': choose(
            'DataCompressionType', asked.get('DataCompressionType') or 'NONE', ('NONE', 'ZSTD', 'LZ4')
        ),
        'CopyTagsToSnapshots': flag(asked.get('CopyTagsToSnapshots')),
        'ReadOnly': flag(asked.get('ReadOnly')),
        'NfsExports': exports or None,
        'UserAndGroupQuotas': asked.get('UserAndGroupQuotas'),
    }


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


_ONTAP_CHANGEABLE = _ONTAP_KNOWN - {'StorageVirtualMachineId', 'OntapVolumeType', 'VolumeStyle'}


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateVolume."""
    with LOCK:
        record = volume_of(request['VolumeId'])
        available(record, record['VolumeId'])
        name = _CONFIGURATION[record['VolumeType']]
        asked, before = dict(request.get(name) or {}), record[name]
        if record['VolumeType'] == 'ONTAP':
            fixed = sorted(set(asked) - _ONTAP_CHANGEABLE)
            if fixed:
                raise bad(f'{", ".join(fixed)} cannot be changed')
            if 'SizeInBytes' in asked or 'SizeInMegabytes' in asked:
                asked.update(_ontap_size(asked))
            if 'TieringPolicy' in asked:
                asked['TieringPolicy'] = _tiering(asked['TieringPolicy'])
            for one in ('StorageEfficiencyEnabled', 'CopyTagsToBackups'):
                if one in asked:
                    asked[one] = flag(asked[one])
            record[name] = {**before, **asked}
        else:
            options = _openzfs_options({**before, **asked})
            options.update({one: asked.get(one, before.get(one)) for one in _QUOTAS})
            record[name] = without_none({**before, **options})
        if request.get('Name'):
            record['Name'] = str(request['Name'])
        return {'Volume': shown(record)}


_QUOTAS = ('StorageCapacityQuotaGiB', 'StorageCapacityReservationGiB')


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteVolume. Final backups are not made."""
    with LOCK:
        record = volume_of(request['VolumeId'])
        identity = record['VolumeId']
        if record['VolumeType'] == 'ONTAP' and record['OntapConfiguration']['StorageVirtualMachineRoot']:
            raise bad(f'{identity} is the root volume of a storage virtual machine')
        if record['VolumeType'] == 'OPENZFS':
            _check_openzfs_deletion(record, request.get('OpenZFSConfiguration') or {})
        end(VOLUMES, 'VolumeId', 'fsx-volume', record)
        return {'VolumeId': identity, 'Lifecycle': record['Lifecycle']}


def _check_openzfs_deletion(record: Record, options: Mapping[str, Any]) -> None:
    if 'ParentVolumeId' not in record['OpenZFSConfiguration']:
        raise bad(f'{record["VolumeId"]} is the root volume of a file system')
    below = record['OpenZFSConfiguration']['VolumePath'] + '/'
    children = [
        one
        for one in VOLUMES.values()
        if one['FileSystemId'] == record['FileSystemId'] and one['OpenZFSConfiguration']['VolumePath'].startswith(below)
    ]
    if children and 'DELETE_CHILD_VOLUMES_AND_SNAPSHOTS' not in (options.get('Options') or []):
        raise bad(f'{record["VolumeId"]} has child volumes')
    for one in children:
        end(VOLUMES, 'VolumeId', 'fsx-volume', one)
