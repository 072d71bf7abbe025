"""What a volume of OpenZFS is: FSx API reference, "CreateOpenZFSVolumeConfiguration"."""

from collections.abc import Mapping
from typing import Any

from ..json_service import without_none
from ..query import flag
from .state import FILE_SYSTEMS, VOLUMES, Record, available, bad, choose, end, shaped, volume_of, within

RECORD_SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""KiB, on SSD"""
NFS_CLIENTS = 25
KNOWN = {
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
_QUOTAS = ('StorageCapacityQuotaGiB', 'StorageCapacityReservationGiB')


def configuration(name: str, asked: Mapping[str, Any]) -> tuple[str, Record]:
    """Of a new volume: its file system, and what it is made with."""
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
    made = {**options(asked), 'ParentVolumeId': parent['VolumeId'], 'VolumePath': path}
    made.update(StorageCapacityQuotaGiB=quota, StorageCapacityReservationGiB=reserved)
    return parent['FileSystemId'], made


def options(asked: Mapping[str, Any]) -> Record:
    """What root volumes have, too."""
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


def changed(before: Record, asked: Record) -> Record:
    """What a volume is after an update."""
    after = options({**before, **asked})
    after.update({one: asked.get(one, before.get(one)) for one in _QUOTAS})
    return without_none({**before, **after})


def check_deletion(record: Record, asked: Mapping[str, Any]) -> None:
    """Refuse to delete a root volume, or one with others below; end those with it when that is asked for."""
    if 'ParentVolumeId' not in record['OpenZFSConfiguration']:
        raise bad(f'{record["VolumeId"]} is the root volume of a file system')
    below = record['OpenZFSConfiguration']['VolumePath'] + '/'
    children = [
        one
        for one in VOLUMES.values()
        if one['FileSystemId'] == record['FileSystemId'] and one['OpenZFSConfiguration']['VolumePath'].startswith(below)
    ]
    if children and 'DELETE_CHILD_VOLUMES_AND_SNAPSHOTS' not in (asked.get('Options') or []):
        raise bad(f'{record["VolumeId"]} has child volumes')
    for one in children:
        end(VOLUMES, 'VolumeId', 'fsx-volume', one)
