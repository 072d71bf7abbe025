"""Data repository associations: a directory of a Lustre file system that is linked to a bucket or prefix.

Values: FSx API reference, "CreateDataRepositoryAssociation". Nothing is copied between the two here.
"""

from collections.abc import Mapping
from typing import Any

from ministack.services import s3

from ..json_service import page, without_none
from ..query import flag
from .state import (
    ASSOCIATIONS,
    LOCK,
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
    record_of,
    shaped,
    shown,
    within,
)

MOST = 8
"""of one file system"""
_EVENTS = {'NEW', 'CHANGED', 'DELETED'}


def association_of(identity: Any) -> Record:
    """The association, or FSx's refusal."""
    return record_of(ASSOCIATIONS, str(identity), 'DataRepositoryAssociationNotFound', 'Data repository association')


@once
def _create(request: Mapping[str, Any]) -> Record:
    with LOCK:
        file_system = file_system_of(request['FileSystemId'])
        identity = file_system['FileSystemId']
        available(file_system, identity)
        deployment = (file_system.get('LustreConfiguration') or {}).get('DeploymentType')
        if deployment not in ('SCRATCH_2', 'PERSISTENT_1', 'PERSISTENT_2'):
            raise bad(f'{identity} is not a Lustre file system that can be linked to a bucket')
        if file_system['StorageType'] == 'INTELLIGENT_TIERING':
            raise bad('data repository associations are not supported with INTELLIGENT_TIERING')
        path = str(request.get('FileSystemPath') or '/')
        shaped('FileSystemPath', path, r'/[^\u0000\r\n]{0,4095}')
        _check_overlap(identity, path)
        repository = str(request['DataRepositoryPath'])
        shaped('DataRepositoryPath', repository, r's3://[^/\s]{3,63}(/.*)?')
        if repository.split('/')[2] not in s3._buckets:
            raise bad(f'the bucket of {repository} does not exist, or FSx has no access to it')
        key = new_id('dra')
        record = {
            'AssociationId': key,
            'BatchImportMetaDataOnCreate': flag(request.get('BatchImportMetaDataOnCreate')),
            'CreationTime': created(),
            'DataRepositoryPath': repository,
            'FileSystemId': identity,
            'FileSystemPath': path,
            'ImportedFileChunkSize': within(
                'ImportedFileChunkSize', request.get('ImportedFileChunkSize') or 1024, 1, 512000
            ),
            'ResourceARN': arn(f'association/{identity}/{key}'),
            'S3': _policies(request.get('S3')),
            'Tags': check_tags(request.get('Tags')),
        }
        return begin(ASSOCIATIONS, 'AssociationId', 'fsx-association', record)


def _check_overlap(file_system: str, path: str) -> None:
    mine = [one['FileSystemPath'] for one in ASSOCIATIONS.values() if one['FileSystemId'] == file_system]
    if len(mine) >= MOST:
        raise bad(f'{file_system} has {len(mine)} data repository associations; at most {MOST}')
    wanted = path.rstrip('/') + '/'
    for one in mine:
        other = one.rstrip('/') + '/'
        if wanted.startswith(other) or other.startswith(wanted):
            raise bad(f'FileSystemPath {path} overlaps with {one}, which is linked already')


def _policies(asked: Mapping[str, Any] | None) -> Record | None:
    for name, policy in (asked or {}).items():
        events = list((policy or {}).get('Events') or [])
        if name not in ('AutoImportPolicy', 'AutoExportPolicy') or set(events) - _EVENTS:
            raise bad(f'{name} {events} is not valid; events are {", ".join(sorted(_EVENTS))}')
    return dict(asked) if asked else None


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateDataRepositoryAssociation."""
    return {'Association': shown(_create(request))}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeDataRepositoryAssociations."""
    with LOCK:
        wanted = request.get('AssociationIds') or []
        found = [association_of(one) for one in wanted] if wanted else list(ASSOCIATIONS.values())
        for one in request.get('Filters') or []:
            if one['Name'] != 'file-system-id':
                raise bad(f'unknown filter {one["Name"]}')
            found = [record for record in found if record['FileSystemId'] in one['Values']]
        chosen, token = page(found, request, 'MaxResults', 'NextToken')
        return without_none({'Associations': [shown(one) for one in chosen], 'NextToken': token})


def update(request: Mapping[str, Any]) -> dict[str, Any]:
    """UpdateDataRepositoryAssociation."""
    with LOCK:
        record = association_of(request['AssociationId'])
        available(record, record['AssociationId'])
        if request.get('ImportedFileChunkSize') is not None:
            size = within('ImportedFileChunkSize', request['ImportedFileChunkSize'], 1, 512000)
            record['ImportedFileChunkSize'] = size
        if request.get('S3') is not None:
            record['S3'] = _policies(request['S3'])
        return {'Association': shown(record)}


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteDataRepositoryAssociation. The data stay in both places."""
    with LOCK:
        record = association_of(request['AssociationId'])
        end(ASSOCIATIONS, 'AssociationId', 'fsx-association', record)
        return {
            'AssociationId': record['AssociationId'],
            'Lifecycle': record['Lifecycle'],
            'DeleteDataInFileSystem': False,
        }
