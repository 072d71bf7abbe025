"""Backups of file systems and of volumes of ONTAP: FSx API reference, "CreateBackup" and what goes with it.

A backup holds what is there when it is asked for ("point-in-time": FSx for Lustre User Guide, "Working with backups",
read 2026-11-28). Hosts are not asked to hold what they write.
"""

import functools
import time
from collections.abc import Mapping
from typing import Any

from .. import clock, history, settings, signals
from ..faults import backups as faults
from ..json_service import page, without_none
from ..query import Refused
from ..scope import in_scope
from .state import (
    ASSOCIATIONS,
    BACKUPS,
    FILE_SYSTEMS,
    LOCK,
    VOLUMES,
    Record,
    arn,
    available,
    bad,
    check_tags,
    created,
    file_system_of,
    new_id,
    once,
    record_of,
    shown,
    volume_of,
)

UNDER_WAY = ('PENDING', 'CREATING', 'TRANSFERRING', 'COPYING')
MOST = 500
"""User-initiated backups of an account in a region (ServiceLimit, TOTAL_USER_INITIATED_BACKUPS). The number is not
verified."""
_FILTERS = ('backup-type', 'file-system-id', 'file-system-type', 'volume-id')


def backup_of(identity: Any) -> Record:
    """The backup, or FSx's refusal."""
    return record_of(BACKUPS, str(identity), 'BackupNotFound', 'Backup')


@once
def _create(request: Mapping[str, Any]) -> Record:
    with LOCK:
        source, about = _source(request)
        if any(one['_source'] == source and one['Lifecycle'] in UNDER_WAY for one in BACKUPS.values()):
            raise Refused('BackupInProgress', f'Another backup of {source} is already under way.')
        if len(BACKUPS) >= MOST:
            raise Refused('ServiceLimitExceeded', f'There are {len(BACKUPS)} user-initiated backups; at most {MOST}')
        identity = new_id('backup')
        key = about['FileSystem'].get('KmsKeyId')
        record = {
            'BackupId': identity,
            'CreationTime': created(),
            'KmsKeyId': key,
            'Lifecycle': 'CREATING',
            'OwnerId': about['FileSystem']['OwnerId'],
            'ProgressPercent': 0,
            'ResourceARN': arn(f'backup/{identity}'),
            'Tags': check_tags(request.get('Tags')),
            'Type': 'USER_INITIATED',
            '_source': source,
            '_shown_from': time.monotonic() + settings.delays().visible,
            **about,
        }
        BACKUPS[identity] = record
        history.record('fsx-backup', identity, None, 'CREATING', source=source)
        signals.publish('files-copied', source=source_folder(record), target=identity)
        steps = ['TRANSFERRING'] if about['FileSystem']['FileSystemType'] == 'LUSTRE' else []
        steps.append('FAILED' if faults.fails() else 'AVAILABLE')
        _later(identity, steps)
        return record


def _source(request: Mapping[str, Any]) -> tuple[str, Record]:
    """What is backed up, and what the backup remembers of it."""
    system, volume = request.get('FileSystemId'), request.get('VolumeId')
    if (system is None) == (volume is None):
        raise bad('one of FileSystemId and VolumeId is required, and not both')
    if volume is not None:
        record = volume_of(volume)
        if record['VolumeType'] != 'ONTAP':
            raise bad(f'{volume} is a volume of {record["VolumeType"]}: back up its file system')
        if record['OntapConfiguration']['StorageVirtualMachineRoot']:
            raise bad(f'{volume} is the root volume of a storage virtual machine')
        available(record, str(volume))
        of = file_system_of(record['FileSystemId'])
        return str(volume), {'ResourceType': 'VOLUME', 'FileSystem': shown(of), 'Volume': shown(record)}
    record = file_system_of(system)
    kind = record['FileSystemType']
    available(record, str(system))
    if kind == 'ONTAP':
        raise bad(f'{system} is a file system of ONTAP: back up its volumes')
    if kind == 'LUSTRE':
        deployment = record['LustreConfiguration']['DeploymentType']
        if deployment.startswith('SCRATCH'):
            raise bad(f'{system} is {deployment}; backups are of persistent file systems only')
        if any(one['FileSystemId'] == system for one in ASSOCIATIONS.values()):
            raise bad(f'{system} is linked to a data repository; backups are of file systems without links only')
    return str(system), {'ResourceType': 'FILE_SYSTEM', 'FileSystem': shown(record)}


def source_folder(record: Record) -> str:
    """Where the files are that it is made of, below the folder of all file systems."""
    if record['ResourceType'] == 'FILE_SYSTEM':
        return str(record['_source'])
    path = str((record['Volume']['OntapConfiguration'].get('JunctionPath') or '').strip('/'))
    return f'{record["Volume"]["FileSystemId"]}/{path}'


def _later(identity: str, steps: list[str]) -> None:
    seconds = settings.delays().fsx_backup / max(1, len(steps))
    clock.after(seconds, in_scope(functools.partial(_go_on, identity, steps)))


def _go_on(identity: str, steps: list[str]) -> None:
    with LOCK:
        record = BACKUPS.get(identity)
        if record is None:
            return
        history.record('fsx-backup', identity, record['Lifecycle'], steps[0])
        record['Lifecycle'] = steps[0]
        record['ProgressPercent'] = 100 if steps[0] == 'AVAILABLE' else 50
        if steps[0] == 'FAILED':
            record['FailureDetails'] = {'Message': 'Amazon FSx could not finish the backup'}
        if steps[1:]:
            _later(identity, steps[1:])


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateBackup."""
    return {'Backup': shown(_create(request))}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeBackups. One that was just made may be missing, unless it is named."""
    with LOCK:
        wanted = request.get('BackupIds') or []
        if wanted:
            return {'Backups': [shown(backup_of(one)) for one in wanted]}
        found = [one for one in BACKUPS.values() if time.monotonic() >= one['_shown_from']]
        for one in request.get('Filters') or []:
            if one['Name'] not in _FILTERS:
                raise bad(f'unknown filter {one["Name"]}; valid values: {", ".join(_FILTERS)}')
            found = [record for record in found if _filtered(record, one['Name']) in one['Values']]
        chosen, token = page(found, request, 'MaxResults', 'NextToken', 50)
        return without_none({'Backups': [shown(one) for one in chosen], 'NextToken': token})


def _filtered(record: Record, name: str) -> Any:
    if name == 'backup-type':
        return record['Type']
    if name == 'volume-id':
        return (record.get('Volume') or {}).get('VolumeId')
    return record['FileSystem']['FileSystemId' if name == 'file-system-id' else 'FileSystemType']


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteBackup: it is gone at once, with what it holds."""
    with LOCK:
        record = backup_of(request['BackupId'])
        identity = record['BackupId']
        if record['Lifecycle'] in UNDER_WAY:
            raise Refused('BackupInProgress', f'{identity} is {record["Lifecycle"]}')
        for one in (*FILE_SYSTEMS.values(), *VOLUMES.values()):
            if one.get('_backup') == identity and one['Lifecycle'] == 'CREATING':
                restored = one.get('FileSystemId')
                raise Refused('BackupRestoring', f'{identity} is being restored as {restored}')
        BACKUPS.pop(identity)
        history.record('fsx-backup', identity, record['Lifecycle'], 'DELETED')
        signals.publish('file-system-gone', file_system=identity)
        return {'BackupId': identity, 'Lifecycle': 'DELETED'}


def restorable(identity: Any, kind: str) -> Record:
    """A backup that something can be made of, or FSx's refusal."""
    record = backup_of(identity)
    if record['ResourceType'] != kind:
        raise bad(f'{identity} is of a {record["ResourceType"]}, not of a {kind}')
    if record['Lifecycle'] != 'AVAILABLE':
        raise bad(f'{identity} is {record["Lifecycle"]}; a backup is restored when it is AVAILABLE')
    return record
