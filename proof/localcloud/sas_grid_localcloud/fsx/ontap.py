"""FSx for NetApp ONTAP: what CreateFileSystem and UpdateFileSystem accept, and what describes show.

Values: FSx API reference, "CreateFileSystem", "CreateFileSystemOntapConfiguration", "UpdateFileSystem".
"""

from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_region

from .openzfs import KEPT, MODES, check_subnets, grow
from .state import Record, bad, check_schedule, choose, shaped, within

_FIRST = (128, 256, 512, 1024, 2048, 4096)
THROUGHPUTS = {
    'SINGLE_AZ_1': _FIRST,
    'MULTI_AZ_1': _FIRST,
    'SINGLE_AZ_2': (384, 768, 1536, 3072, 6144),
    'MULTI_AZ_2': (384, 768, 1536, 3072, 6144),
}
"""MB/s of one pair of file servers, by type of deployment; 384 and 768 only while there is one pair"""
_ONE_PAIR = (384, 768)
LEAST_GIB, MOST_GIB, MOST_GIB_IN_ALL, MOST_PAIRS = 1024, 524288, 1048576, 12
"""of one pair of file servers"""
MOST_GIB_FIRST = 196608
"""first generation"""
FREE_IOPS = 3
PASSWORD = r'[^\u0000\u0085\u2028\u2029\r\n]{8,50}'


def check(request: Mapping[str, Any]) -> Record:
    """What describes show of a new file system, or the refusal."""
    asked = request.get('OntapConfiguration') or {}
    deployment = choose('DeploymentType', asked.get('DeploymentType'), tuple(THROUGHPUTS))
    choose('StorageType', request.get('StorageType') or 'SSD', ('SSD',))
    pairs = within('HAPairs', asked.get('HAPairs') or 1, 1, MOST_PAIRS)
    if pairs > 1 and deployment != 'SINGLE_AZ_2':
        raise bad(f'HAPairs is {pairs}; {deployment} has one pair')
    check_subnets(request, asked, deployment.startswith('MULTI'))
    check_schedule(asked)
    shaped('FsxAdminPassword', asked.get('FsxAdminPassword'), PASSWORD)
    per_pair = _per_pair(asked, deployment, pairs)
    capacity = _capacity(request.get('StorageCapacity'), deployment, pairs)
    return {
        'DeploymentType': deployment,
        'HAPairs': pairs,
        'ThroughputCapacity': per_pair * pairs,
        'ThroughputCapacityPerHAPair': per_pair,
        'AutomaticBackupRetentionDays': int(asked.get('AutomaticBackupRetentionDays', 30)),
        'DailyAutomaticBackupStartTime': asked.get('DailyAutomaticBackupStartTime') or '05:00',
        'WeeklyMaintenanceStartTime': asked.get('WeeklyMaintenanceStartTime') or '7:05:00',
        'PreferredSubnetId': asked.get('PreferredSubnetId') or request['SubnetIds'][0],
        'RouteTableIds': asked.get('RouteTableIds'),
        'EndpointIpAddressRange': asked.get('EndpointIpAddressRange'),
        'DiskIopsConfiguration': _disk_iops(asked.get('DiskIopsConfiguration'), capacity),
        'FsxAdminPassword': '****' if asked.get('FsxAdminPassword') else None,
    }


def _per_pair(asked: Mapping[str, Any], deployment: str, pairs: int) -> int:
    whole, per_pair = asked.get('ThroughputCapacity'), asked.get('ThroughputCapacityPerHAPair')
    if (whole is None) == (per_pair is None):
        raise bad('one of ThroughputCapacity and ThroughputCapacityPerHAPair is required, and not both')
    allowed = tuple(one for one in THROUGHPUTS[deployment] if pairs == 1 or one not in _ONE_PAIR)
    if per_pair is not None:
        return int(choose('ThroughputCapacityPerHAPair', int(per_pair), allowed))
    assert whole is not None
    if int(whole) % pairs:
        raise bad(f'ThroughputCapacity {whole} is not a multiple of HAPairs {pairs}')
    return int(choose('ThroughputCapacity divided by HAPairs', int(whole) // pairs, allowed))


def _capacity(wanted: Any, deployment: str, pairs: int) -> int:
    most = min(MOST_GIB * pairs, MOST_GIB_IN_ALL) if deployment.endswith('_2') else MOST_GIB_FIRST
    return within('StorageCapacity', wanted, LEAST_GIB * pairs, most)


def _disk_iops(asked: Mapping[str, Any] | None, capacity: int) -> Record:
    mode = choose('DiskIopsConfiguration.Mode', (asked or {}).get('Mode') or 'AUTOMATIC', MODES)
    free = FREE_IOPS * capacity
    if mode == 'AUTOMATIC':
        if (asked or {}).get('Iops') is not None:
            raise bad('DiskIopsConfiguration.Iops is for USER_PROVISIONED only')
        return {'Mode': mode, 'Iops': free}
    return {'Mode': mode, 'Iops': within('DiskIopsConfiguration.Iops', (asked or {}).get('Iops'), free, 2_400_000)}


def endpoints(identity: str, addresses: list[str]) -> Record:
    """The addresses under which an administrator reaches the file system."""
    domain = f'{identity}.fsx.{get_region()}.amazonaws.com'
    return {
        'Management': {'DNSName': f'management.{domain}', 'IpAddresses': addresses},
        'Intercluster': {'DNSName': f'intercluster.{domain}', 'IpAddresses': addresses},
    }


def update(record: Record, request: Mapping[str, Any]) -> None:
    """Change a file system in place, or refuse."""
    shown: Record = dict(record['OntapConfiguration'])
    asked = request.get('OntapConfiguration') or {}
    check_schedule(asked)
    shaped('FsxAdminPassword', asked.get('FsxAdminPassword'), PASSWORD)
    deployment, pairs = shown['DeploymentType'], int(asked.get('HAPairs') or shown['HAPairs'])
    if pairs != shown['HAPairs'] and (deployment != 'SINGLE_AZ_2' or not shown['HAPairs'] < pairs <= MOST_PAIRS):
        raise bad(f'HAPairs cannot go from {shown["HAPairs"]} to {pairs}')
    shown['HAPairs'] = pairs
    capacity = request.get('StorageCapacity')
    if capacity is not None and int(capacity) != record['StorageCapacity']:
        grow(record, _capacity(capacity, deployment, pairs))
        if shown['DiskIopsConfiguration']['Mode'] == 'AUTOMATIC':
            shown['DiskIopsConfiguration'] = _disk_iops(None, int(capacity))
    if asked.get('ThroughputCapacity') is not None or asked.get('ThroughputCapacityPerHAPair') is not None:
        shown['ThroughputCapacityPerHAPair'] = _per_pair(asked, deployment, pairs)
    shown['ThroughputCapacity'] = shown['ThroughputCapacityPerHAPair'] * pairs
    if asked.get('DiskIopsConfiguration'):
        shown['DiskIopsConfiguration'] = _disk_iops(asked['DiskIopsConfiguration'], record['StorageCapacity'])
    for name in KEPT:
        if asked.get(name) is not None and name in shown:
            shown[name] = asked[name]
    record['OntapConfiguration'] = shown
