"""FSx for Lustre: what CreateFileSystem and UpdateFileSystem accept, and what describes show.

Values: FSx API reference, "CreateFileSystem", "CreateFileSystemLustreConfiguration",
"CreateFileSystemLustreMetadataConfiguration", "UpdateFileSystemLustreConfiguration".
"""

import uuid
from collections.abc import Mapping
from typing import Any

from ..query import Refused, flag
from .state import Record, bad, check_schedule, choose, shaped, within

Configuration = Mapping[str, Any]

DEPLOYMENTS = ('SCRATCH_1', 'SCRATCH_2', 'PERSISTENT_1', 'PERSISTENT_2')
PER_UNIT = {
    ('PERSISTENT_1', 'SSD'): (50, 100, 200),
    ('PERSISTENT_1', 'HDD'): (12, 40),
    ('PERSISTENT_2', 'SSD'): (125, 250, 500, 1000),
}
"""MB/s per TiB"""
HDD_STEP = {12: 6000, 40: 1800}
"""GiB, by MB/s per TiB"""
VERSIONS = ('2.10', '2.12', '2.15')
TIERED_STEP, TIERED_MOST = 4000, 2_000_000
"""MB/s of throughput of Intelligent-Tiering"""
_BEFORE_ASSOCIATIONS = ('ImportPath', 'ExportPath', 'ImportedFileChunkSize', 'AutoImportPolicy')


def check(request: Mapping[str, Any]) -> Record:
    """What describes show of a new file system, or the refusal."""
    asked: Configuration = request.get('LustreConfiguration') or {}
    deployment = choose('DeploymentType', asked.get('DeploymentType') or 'SCRATCH_1', DEPLOYMENTS)
    storage = choose('StorageType', request.get('StorageType') or 'SSD', ('SSD', 'HDD', 'INTELLIGENT_TIERING'))
    scratch = deployment.startswith('SCRATCH')
    if len(request['SubnetIds']) != 1:
        raise Refused('InvalidNetworkSettings', 'a Lustre file system has exactly one subnet')
    if deployment != {'HDD': 'PERSISTENT_1', 'INTELLIGENT_TIERING': 'PERSISTENT_2'}.get(storage, deployment):
        raise bad(f'StorageType {storage} is not available for {deployment}')
    if scratch and request.get('KmsKeyId'):
        raise bad(f'KmsKeyId is not supported for {deployment}: it is encrypted with the key of the service')
    if scratch and asked.get('AutomaticBackupRetentionDays'):
        raise bad(f'automatic backups are not supported for {deployment}')
    if deployment == 'PERSISTENT_2' and any(asked.get(name) for name in _BEFORE_ASSOCIATIONS):
        raise bad(f'{", ".join(_BEFORE_ASSOCIATIONS)} are not supported for PERSISTENT_2; use an association')
    check_schedule(asked)
    choose('DataCompressionType', asked.get('DataCompressionType') or 'NONE', ('NONE', 'LZ4'))
    _check_drive_cache(asked, storage)
    per_unit = _per_unit(asked, deployment, storage)
    capacity = request.get('StorageCapacity')
    _check_capacity(capacity, deployment, storage, per_unit)
    return {
        'DeploymentType': deployment,
        'PerUnitStorageThroughput': per_unit,
        'MountName': 'fsx' if deployment == 'SCRATCH_1' else uuid.uuid4().hex[:8],
        'WeeklyMaintenanceStartTime': asked.get('WeeklyMaintenanceStartTime') or '7:05:00',
        'DailyAutomaticBackupStartTime': asked.get('DailyAutomaticBackupStartTime'),
        'AutomaticBackupRetentionDays': None if scratch else int(asked.get('AutomaticBackupRetentionDays') or 0),
        'CopyTagsToBackups': flag(asked.get('CopyTagsToBackups')),
        'DataCompressionType': asked.get('DataCompressionType') or 'NONE',
        'DriveCacheType': asked.get('DriveCacheType'),
        'EfaEnabled': flag(asked.get('EfaEnabled')),
        'LogConfiguration': _log(asked.get('LogConfiguration')),
        'RootSquashConfiguration': _root_squash(asked.get('RootSquashConfiguration')),
        'MetadataConfiguration': _metadata(asked.get('MetadataConfiguration'), deployment, storage, capacity),
        'ThroughputCapacity': _tiered_throughput(asked, storage),
        'DataReadCacheConfiguration': _read_cache(asked, storage),
    }


def version_of(request: Mapping[str, Any], shown: Configuration) -> str:
    """The version of Lustre. ("CreateFileSystem", FileSystemTypeVersion)"""
    with_metadata = bool(shown.get('MetadataConfiguration'))
    newest = shown['DeploymentType'] == 'PERSISTENT_2'
    default = ('2.15' if with_metadata else '2.12') if newest else '2.10'
    wanted = str(choose('FileSystemTypeVersion', request.get('FileSystemTypeVersion') or default, VERSIONS))
    if (newest and wanted == '2.10') or (with_metadata and wanted != '2.15'):
        raise bad(f'FileSystemTypeVersion {wanted} is not supported for this deployment')
    return wanted


def _check_capacity(capacity: Any, deployment: str, storage: str, per_unit: int | None) -> None:
    if storage == 'INTELLIGENT_TIERING':
        if capacity is not None:
            raise bad('StorageCapacity is elastic with INTELLIGENT_TIERING and cannot be set')
        return
    if capacity is None:
        raise bad('StorageCapacity is required')
    size = within('StorageCapacity', capacity, 1, 2**31 - 1)
    if storage == 'HDD':
        step = HDD_STEP[per_unit or 12]
        fits = size % step == 0
    else:
        step = 3600 if deployment == 'SCRATCH_1' else 2400
        fits = size in (1200, 2400) or size % step == 0
    if not fits:
        start = '' if storage == 'HDD' else '1200, 2400 and '
        raise bad(f'StorageCapacity is {size}; valid values of {deployment} {storage}: {start}multiples of {step} GiB')


def _per_unit(asked: Configuration, deployment: str, storage: str) -> int | None:
    wanted = asked.get('PerUnitStorageThroughput')
    allowed = PER_UNIT.get((deployment, storage))
    if allowed is None:
        if wanted is not None:
            raise bad(f'PerUnitStorageThroughput is not supported for {deployment} with {storage}')
        return None
    if wanted is None or not str(wanted).isdigit() or int(wanted) not in allowed:
        values = ', '.join(map(str, allowed))
        raise Refused(
            'InvalidPerUnitStorageThroughput',
            f'PerUnitStorageThroughput is {wanted}; valid values of {deployment} {storage}: {values}',
        )
    return int(wanted)


def _check_drive_cache(asked: Configuration, storage: str) -> None:
    wanted = asked.get('DriveCacheType')
    if storage == 'HDD':
        choose('DriveCacheType', wanted, ('NONE', 'READ'))
    elif wanted:
        raise bad('DriveCacheType is supported for HDD storage only')


def automatic_metadata_iops(capacity: int) -> int:
    """Lustre User Guide, "Lustre metadata performance configuration": the default by storage capacity."""
    for most, iops in ((1200, 1500), (2400, 3000), (9600, 6000), (45600, 12000)):
        if capacity <= most:
            return iops
    return 12000 * -(-capacity // 24000)


def _metadata(asked: Configuration | None, deployment: str, storage: str, capacity: Any) -> Record | None:
    tiered = storage == 'INTELLIGENT_TIERING'
    if not asked:
        if tiered:
            raise bad('MetadataConfiguration is required with INTELLIGENT_TIERING')
        return None
    if deployment != 'PERSISTENT_2':
        raise bad('MetadataConfiguration is supported for PERSISTENT_2 only')
    mode = choose('MetadataConfiguration.Mode', asked.get('Mode'), ('AUTOMATIC', 'USER_PROVISIONED'))
    if mode == 'AUTOMATIC':
        if tiered:
            raise bad('MetadataConfiguration.Mode AUTOMATIC is supported for SSD only')
        if asked.get('Iops') is not None:
            raise bad('MetadataConfiguration.Iops is for USER_PROVISIONED only')
        return {'Mode': mode, 'Iops': automatic_metadata_iops(int(capacity))}
    return {'Mode': mode, 'Iops': _metadata_iops(asked.get('Iops'), tiered)}


def _metadata_iops(wanted: Any, tiered: bool) -> int:
    iops = within('MetadataConfiguration.Iops', wanted, 1500, 192000)
    if iops not in (6000, 12000) and (tiered or (iops not in (1500, 3000) and iops % 12000)):
        rest = '6000 and 12000' if tiered else '1500, 3000, 6000 and multiples of 12000 up to 192000'
        raise bad(f'MetadataConfiguration.Iops is {iops}; valid values: {rest}')
    return iops


def _tiered_throughput(asked: Configuration, storage: str) -> int | None:
    wanted = asked.get('ThroughputCapacity')
    if storage != 'INTELLIGENT_TIERING':
        if wanted is not None:
            raise bad('ThroughputCapacity is for INTELLIGENT_TIERING only')
        return None
    throughput = within('ThroughputCapacity', wanted, TIERED_STEP, TIERED_MOST)
    if throughput % TIERED_STEP:
        raise bad(f'ThroughputCapacity is {throughput}; valid values: multiples of {TIERED_STEP} MB/s')
    return throughput


def _read_cache(asked: Configuration, storage: str) -> Record | None:
    wanted = asked.get('DataReadCacheConfiguration')
    if storage != 'INTELLIGENT_TIERING':
        if wanted:
            raise bad('DataReadCacheConfiguration is for INTELLIGENT_TIERING only')
        return None
    return read_cache(wanted, 'DataReadCacheConfiguration')


def read_cache(wanted: Configuration | None, name: str) -> Record:
    """The SSD read cache of Intelligent-Tiering, of Lustre and OpenZFS alike."""
    modes = ('NO_CACHE', 'USER_PROVISIONED', 'PROPORTIONAL_TO_THROUGHPUT_CAPACITY')
    mode = choose(f'{name}.SizingMode', (wanted or {}).get('SizingMode'), modes)
    size = (wanted or {}).get('SizeGiB')
    if (size is not None) != (mode == 'USER_PROVISIONED'):
        raise bad(f'{name}.SizeGiB is for USER_PROVISIONED, which needs it')
    return {'SizingMode': mode, **({'SizeGiB': within(f'{name}.SizeGiB', size, 32, 2**31 - 1)} if size else {})}


def _log(asked: Configuration | None) -> Record:
    levels = ('DISABLED', 'WARN_ONLY', 'ERROR_ONLY', 'WARN_ERROR')
    level = choose('LogConfiguration.Level', (asked or {}).get('Level') or 'DISABLED', levels)
    destination = (asked or {}).get('Destination')
    return {'Level': level, **({'Destination': destination} if destination else {})}


def _root_squash(asked: Configuration | None) -> Record | None:
    if not asked:
        return None
    shaped('RootSquashConfiguration.RootSquash', asked.get('RootSquash'), r'\d{1,10}:\d{1,10}')
    return dict(asked)


def update(record: Record, request: Mapping[str, Any]) -> None:
    """Change a file system in place, or refuse. ("UpdateFileSystem")"""
    shown: Record = dict(record['LustreConfiguration'])
    asked: Configuration = request.get('LustreConfiguration') or {}
    storage, deployment = record['StorageType'], shown['DeploymentType']
    check_schedule({**shown, **asked, 'AutomaticBackupRetentionDays': asked.get('AutomaticBackupRetentionDays') or 0})
    capacity = request.get('StorageCapacity')
    if capacity is not None and int(capacity) != record['StorageCapacity']:
        _check_growth(record['StorageCapacity'], int(capacity), deployment, storage, shown['PerUnitStorageThroughput'])
        record['StorageCapacity'] = int(capacity)
        metadata = shown.get('MetadataConfiguration')
        if metadata and metadata['Mode'] == 'AUTOMATIC':
            shown['MetadataConfiguration'] = {**metadata, 'Iops': automatic_metadata_iops(int(capacity))}
    if asked.get('PerUnitStorageThroughput') is not None:
        shown['PerUnitStorageThroughput'] = _per_unit(asked, deployment, storage)
    if asked.get('ThroughputCapacity') is not None:
        wanted = _tiered_throughput(asked, storage) or 0
        if wanted < int(shown['ThroughputCapacity']):
            raise bad('ThroughputCapacity can only be increased')
        shown['ThroughputCapacity'] = wanted
    if asked.get('MetadataConfiguration'):
        before, kind = shown.get('MetadataConfiguration'), deployment
        after = _metadata(asked['MetadataConfiguration'], kind, storage, record['StorageCapacity']) or {}
        if before is None:
            raise bad('this file system was created without a metadata configuration')
        if int(after['Iops']) < int(before['Iops']):
            raise bad(f'metadata IOPS cannot go from {before["Iops"]} to {after["Iops"]}: they can only grow')
        shown['MetadataConfiguration'] = after
    if asked.get('DataReadCacheConfiguration'):
        shown['DataReadCacheConfiguration'] = _read_cache(asked, storage)
    if asked.get('LogConfiguration'):
        shown['LogConfiguration'] = _log(asked['LogConfiguration'])
    if asked.get('RootSquashConfiguration'):
        shown['RootSquashConfiguration'] = _root_squash(asked['RootSquashConfiguration'])
    for name in ('WeeklyMaintenanceStartTime', 'DailyAutomaticBackupStartTime', 'DataCompressionType'):
        if asked.get(name):
            shown[name] = asked[name]
    if asked.get('AutomaticBackupRetentionDays') is not None:
        if deployment.startswith('SCRATCH') and asked['AutomaticBackupRetentionDays']:
            raise bad(f'automatic backups are not supported for {deployment}')
        shown['AutomaticBackupRetentionDays'] = int(asked['AutomaticBackupRetentionDays'])
    record['LustreConfiguration'] = shown


def _check_growth(before: int, after: int, deployment: str, storage: str, per_unit: int | None) -> None:
    """Lustre User Guide, "Managing storage capacity": it grows, by a tenth at least, never shrinks."""
    if deployment == 'SCRATCH_1':
        raise bad('the storage capacity of SCRATCH_1 cannot be changed')
    _check_capacity(after, deployment, storage, per_unit)
    if after * 10 < before * 11:
        raise bad(
            f'StorageCapacity cannot go from {before} to {after} GiB: it grows by at least 10 %, and never shrinks'
        )
