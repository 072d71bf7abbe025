"""What a volume of ONTAP is: FSx API reference, "CreateOntapVolumeConfiguration"."""

import uuid
from collections.abc import Mapping
from typing import Any

from ..query import flag
from .state import MACHINES, VOLUMES, Record, available, bad, choose, record_of, shaped, within

MIB = 1 << 20
LEAST_MIB, MOST_MIB = 20, 314572800
"""of a FlexVol volume: 20 MiB to 300 TiB"""
TIERING = ('SNAPSHOT_ONLY', 'AUTO', 'ALL', 'NONE')
KNOWN = {
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
_CHANGEABLE = KNOWN - {'StorageVirtualMachineId', 'OntapVolumeType', 'VolumeStyle'}


def configuration(name: str, asked: Mapping[str, Any]) -> tuple[str, Record]:
    """Of a new volume: its file system, and what it is made with."""
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
        **_size(asked),
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


def _size(asked: Mapping[str, Any]) -> Record:
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


def changed(before: Record, asked: Record) -> Record:
    """What a volume is after an update."""
    fixed = sorted(set(asked) - _CHANGEABLE)
    if fixed:
        raise bad(f'{", ".join(fixed)} cannot be changed')
    if 'SizeInBytes' in asked or 'SizeInMegabytes' in asked:
        asked.update(_size(asked))
    if 'TieringPolicy' in asked:
        asked['TieringPolicy'] = _tiering(asked['TieringPolicy'])
    for one in ('StorageEfficiencyEnabled', 'CopyTagsToBackups'):
        if one in asked:
            asked[one] = flag(asked[one])
    return {**before, **asked}
