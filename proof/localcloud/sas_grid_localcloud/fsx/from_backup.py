"""What is made of a backup: FSx API reference, "CreateFileSystemFromBackup" and "CreateVolumeFromBackup".

"You can only restore your backup to a file system of the same deployment type, storage class, throughput capacity,
storage capacity, data compression type, and AWS Region as the original." (FSx for Lustre User Guide, "Restoring
backups", read 2026-11-28)
"""

from collections.abc import Mapping
from typing import Any

from .. import signals
from ..json_service import without_none
from ..query import Refused
from . import file_systems, volumes
from .backups import restorable
from .lustre import VERSIONS
from .ontap_volumes import MIB
from .state import LOCK, Record, bad, once, shown

_SAME = ('DeploymentType', 'PerUnitStorageThroughput', 'ThroughputCapacity', 'DataCompressionType')
_TAKEN = (*_SAME, 'MetadataConfiguration', 'DataReadCacheConfiguration', 'AutomaticBackupRetentionDays')
"""as they were, unless something else is asked for"""


@once
def _file_system(request: Mapping[str, Any]) -> Record:
    with LOCK:
        backup = restorable(request['BackupId'], 'FILE_SYSTEM')
        before: Record = backup['FileSystem']
        if before['FileSystemType'] != 'LUSTRE':
            raise Refused('UnsupportedOperation', 'the embedded AWS makes file systems for Lustre of backups only')
        asked: Record = dict(request.get('LustreConfiguration') or {})
        was: Record = before['LustreConfiguration']
        for name in _SAME:
            _require_same(name, asked.get(name), was.get(name))
        # What is not named is SSD, also when the backup is of another class.
        _require_same('StorageType', request.get('StorageType') or 'SSD', before['StorageType'])
        _require_same('StorageCapacity', request.get('StorageCapacity'), before.get('StorageCapacity'))
        version = str(request.get('FileSystemTypeVersion') or before['FileSystemTypeVersion'])
        if version in VERSIONS and VERSIONS.index(version) < VERSIONS.index(before['FileSystemTypeVersion']):
            raise bad(f'FileSystemTypeVersion {version} is older than {before["FileSystemTypeVersion"]} of the backup')
        metadata = was.get('MetadataConfiguration') or {}
        if metadata.get('Mode') == 'AUTOMATIC':
            was = {**was, 'MetadataConfiguration': {'Mode': 'AUTOMATIC'}}
        wanted = {
            **{key: value for key, value in request.items() if key not in ('BackupId', 'ClientRequestToken')},
            'FileSystemType': 'LUSTRE',
            'FileSystemTypeVersion': version,
            'StorageType': before['StorageType'],
            'StorageCapacity': before.get('StorageCapacity'),
            'LustreConfiguration': without_none({**{name: was.get(name) for name in _TAKEN}, **asked}),
        }
        record = file_systems.make(without_none(wanted))
        record['_backup'] = backup['BackupId']
        signals.publish('files-copied', source=backup['BackupId'], target=record['FileSystemId'])
        return record


def _require_same(name: str, asked: Any, was: Any) -> None:
    if asked is not None and str(asked) != str(was):
        raise bad(f'{name} is {asked}; a backup is restored to what it was, {was}')


@once
def _volume(request: Mapping[str, Any]) -> Record:
    with LOCK:
        backup = restorable(request['BackupId'], 'VOLUME')
        was: Record = backup['Volume']['OntapConfiguration']
        asked: Record = dict(request.get('OntapConfiguration') or {})
        if not asked:
            raise Refused('MissingVolumeConfiguration', 'OntapConfiguration is required')
        _require_same('VolumeStyle', asked.get('VolumeStyle'), was.get('VolumeStyle'))
        if not {'SizeInBytes', 'SizeInMegabytes'} & set(asked):
            asked['SizeInBytes'] = was['SizeInBytes']
        size = int(asked.get('SizeInBytes') or int(asked['SizeInMegabytes']) * MIB)
        if size < was['SizeInBytes']:
            raise bad(f'the volume has {size} bytes, that of the backup {was["SizeInBytes"]}')
        record = volumes.make({**request, 'VolumeType': 'ONTAP', 'OntapConfiguration': asked})
        record['_backup'] = backup['BackupId']
        path = str(record['OntapConfiguration'].get('JunctionPath') or '').strip('/')
        if path:
            signals.publish('files-copied', source=backup['BackupId'], target=f'{record["FileSystemId"]}/{path}')
        return record


def create_file_system(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateFileSystemFromBackup."""
    return {'FileSystem': shown(_file_system(request))}


def create_volume(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateVolumeFromBackup."""
    return {'Volume': shown(_volume(request))}
