"""FSx for OpenZFS: what CreateFileSystem and UpdateFileSystem accept, and what describes show.

Values: FSx API reference, "CreateFileSystem", "CreateFileSystemOpenZFSConfiguration", "UpdateFileSystem".
"""

from collections.abc import Mapping
from typing import Any

from ..query import flag
from .lustre import read_cache
from .state import Record, bad, check_schedule, choose, within

FIRST = (64, 128, 256, 512, 1024, 2048, 3072, 4096)
SECOND = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
THROUGHPUTS = {
    'SINGLE_AZ_1': FIRST,
    'SINGLE_AZ_HA_1': FIRST,
    'SINGLE_AZ_2': SECOND,
    'SINGLE_AZ_HA_2': SECOND,
    'MULTI_AZ_1': SECOND,
}
"""MB/s, by type of deployment"""
LEAST_GIB, MOST_GIB = 64, 524288
FREE_IOPS = 3
"""of each GiB"""
MOST_IOPS = {FIRST: 160000, SECOND: 400000}


def check(request: Mapping[str, Any]) -> Record:
    """What describes show of a new file system, or the refusal."""
    asked = request.get('OpenZFSConfiguration') or {}
    deployment = choose('DeploymentType', asked.get('DeploymentType'), tuple(THROUGHPUTS))
    throughput = choose('ThroughputCapacity', asked.get('ThroughputCapacity'), THROUGHPUTS[deployment])
    storage = choose('StorageType', request.get('StorageType') or 'SSD', ('SSD', 'INTELLIGENT_TIERING'))
    multi = deployment == 'MULTI_AZ_1'
    check_subnets(request, asked, multi)
    check_schedule(asked)
    tiered = storage == 'INTELLIGENT_TIERING'
    if tiered and not multi:
        raise bad('INTELLIGENT_TIERING is available for MULTI_AZ_1 only')
    if tiered and (request.get('StorageCapacity') is not None or asked.get('DiskIopsConfiguration')):
        raise bad('StorageCapacity and DiskIopsConfiguration cannot be set with INTELLIGENT_TIERING')
    if not tiered and asked.get('ReadCacheConfiguration'):
        raise bad('ReadCacheConfiguration is for INTELLIGENT_TIERING only')
    if not tiered:
        within('StorageCapacity', request.get('StorageCapacity'), LEAST_GIB, MOST_GIB)
    cache = read_cache(asked.get('ReadCacheConfiguration'), 'ReadCacheConfiguration') if tiered else None
    return {
        'DeploymentType': deployment,
        'ThroughputCapacity': throughput,
        'AutomaticBackupRetentionDays': int(asked.get('AutomaticBackupRetentionDays', 30)),
        'DailyAutomaticBackupStartTime': asked.get('DailyAutomaticBackupStartTime') or '05:00',
        'WeeklyMaintenanceStartTime': asked.get('WeeklyMaintenanceStartTime') or '7:05:00',
        'CopyTagsToBackups': flag(asked.get('CopyTagsToBackups')),
        'CopyTagsToVolumes': flag(asked.get('CopyTagsToVolumes')),
        'PreferredSubnetId': asked.get('PreferredSubnetId'),
        'RouteTableIds': asked.get('RouteTableIds'),
        'EndpointIpAddressRange': asked.get('EndpointIpAddressRange'),
        'DiskIopsConfiguration': None
        if tiered
        else disk_iops(asked.get('DiskIopsConfiguration'), int(request['StorageCapacity']), deployment),
        'ReadCacheConfiguration': cache,
    }


def check_subnets(request: Mapping[str, Any], asked: Mapping[str, Any], multi: bool) -> None:
    """One subnet, or two of which one is preferred."""
    subnets = list(request['SubnetIds'])
    if len(subnets) != (2 if multi else 1) or len(set(subnets)) != len(subnets):
        raise bad(f'{len(subnets)} subnets; a file system of this deployment has {"two" if multi else "one"}')
    if multi and asked.get('PreferredSubnetId') not in subnets:
        raise bad('PreferredSubnetId is required and must be one of SubnetIds')
    if not multi and asked.get('PreferredSubnetId') not in (None, subnets[0]):
        raise bad('PreferredSubnetId is for Multi-AZ deployments')


def disk_iops(asked: Mapping[str, Any] | None, capacity: int, deployment: str) -> Record:
    """IOPS as they come with the storage, or as asked for."""
    mode = choose('DiskIopsConfiguration.Mode', (asked or {}).get('Mode') or 'AUTOMATIC', MODES)
    free = FREE_IOPS * capacity
    if mode == 'AUTOMATIC':
        if (asked or {}).get('Iops') is not None:
            raise bad('DiskIopsConfiguration.Iops is for USER_PROVISIONED only')
        return {'Mode': mode, 'Iops': free}
    most = MOST_IOPS.get(THROUGHPUTS.get(deployment, SECOND), MOST_IOPS[SECOND])
    return {'Mode': mode, 'Iops': within('DiskIopsConfiguration.Iops', (asked or {}).get('Iops'), free, most)}


MODES = ('AUTOMATIC', 'USER_PROVISIONED')


def update(record: Record, request: Mapping[str, Any]) -> None:
    """Change a file system in place, or refuse."""
    shown: Record = dict(record['OpenZFSConfiguration'])
    asked = request.get('OpenZFSConfiguration') or {}
    check_schedule(asked)
    capacity = request.get('StorageCapacity')
    if capacity is not None and int(capacity) != record.get('StorageCapacity'):
        grow(record, within('StorageCapacity', capacity, LEAST_GIB, MOST_GIB))
        if shown['DiskIopsConfiguration']['Mode'] == 'AUTOMATIC':
            shown['DiskIopsConfiguration'] = disk_iops(None, int(capacity), shown['DeploymentType'])
    if asked.get('ThroughputCapacity') is not None:
        allowed = THROUGHPUTS[shown['DeploymentType']]
        shown['ThroughputCapacity'] = choose('ThroughputCapacity', int(asked['ThroughputCapacity']), allowed)
    if asked.get('DiskIopsConfiguration'):
        shown['DiskIopsConfiguration'] = disk_iops(
            asked['DiskIopsConfiguration'], record['StorageCapacity'], shown['DeploymentType']
        )
    if asked.get('ReadCacheConfiguration'):
        shown['ReadCacheConfiguration'] = read_cache(asked['ReadCacheConfiguration'], 'ReadCacheConfiguration')
    for name in KEPT:
        if asked.get(name) is not None:
            shown[name] = asked[name]
    record['OpenZFSConfiguration'] = shown


def grow(record: Record, after: int) -> None:
    """SSD storage grows by a tenth at least and never shrinks ("UpdateFileSystem", StorageCapacity)."""
    before = int(record['StorageCapacity'])
    if after * 10 < before * 11:
        raise bad(
            f'StorageCapacity cannot go from {before} to {after} GiB: it grows by at least 10 %, and never shrinks'
        )
    record['StorageCapacity'] = after


KEPT = (
    'AutomaticBackupRetentionDays',
    'CopyTagsToBackups',
    'CopyTagsToVolumes',
    'DailyAutomaticBackupStartTime',
    'WeeklyMaintenanceStartTime',
)
