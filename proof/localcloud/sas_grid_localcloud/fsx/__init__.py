"""FSx: file systems for Lustre, OpenZFS and ONTAP, their volumes and backups, as API and CloudFormation see them."""

from collections.abc import Callable, Mapping
from typing import Any

from ..json_service import JsonService, page, without_none
from ..query import Refused
from . import associations, backups, file_systems, from_backup, machines, volumes
from .state import ASSOCIATIONS, BACKUPS, FILE_SYSTEMS, LOCK, MACHINES, VOLUMES, Record, check_tags


def _resource(resource: str) -> Record:
    for store in (FILE_SYSTEMS, MACHINES, VOLUMES, ASSOCIATIONS, BACKUPS):
        for one in store.values():
            if one['ResourceARN'] == resource:
                return dict_of(one)
    raise Refused('ResourceNotFound', f'{resource} does not exist')


def dict_of(record: Any) -> Record:
    """Stores of ministack are untyped: say once that records are dictionaries (the same object comes back)."""
    assert isinstance(record, dict)
    return record


def _tag(request: Mapping[str, Any]) -> dict[str, Any]:
    with LOCK:
        record = _resource(request['ResourceARN'])
        merged = {tag['Key']: tag['Value'] for tag in record['Tags']}
        merged.update({tag['Key']: tag['Value'] for tag in check_tags(request['Tags'])})
        record['Tags'] = check_tags([{'Key': key, 'Value': value} for key, value in merged.items()])
    return {}


def _untag(request: Mapping[str, Any]) -> dict[str, Any]:
    with LOCK:
        record = _resource(request['ResourceARN'])
        record['Tags'] = [tag for tag in record['Tags'] if tag['Key'] not in request['TagKeys']]
    return {}


def _list_tags(request: Mapping[str, Any]) -> dict[str, Any]:
    with LOCK:
        chosen, token = page(_resource(request['ResourceARN'])['Tags'], request, 'MaxResults', 'NextToken')
        return without_none({'Tags': chosen, 'NextToken': token})


ACTIONS: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    'CreateFileSystem': file_systems.create,
    'DescribeFileSystems': file_systems.describe,
    'UpdateFileSystem': file_systems.update,
    'DeleteFileSystem': file_systems.delete,
    'CreateFileSystemFromBackup': from_backup.create_file_system,
    'CreateBackup': backups.create,
    'DescribeBackups': backups.describe,
    'DeleteBackup': backups.delete,
    'CreateVolumeFromBackup': from_backup.create_volume,
    'CreateStorageVirtualMachine': machines.create,
    'DescribeStorageVirtualMachines': machines.describe,
    'UpdateStorageVirtualMachine': machines.update,
    'DeleteStorageVirtualMachine': machines.delete,
    'CreateVolume': volumes.create,
    'DescribeVolumes': volumes.describe,
    'UpdateVolume': volumes.update,
    'DeleteVolume': volumes.delete,
    'CreateDataRepositoryAssociation': associations.create,
    'DescribeDataRepositoryAssociations': associations.describe,
    'UpdateDataRepositoryAssociation': associations.update,
    'DeleteDataRepositoryAssociation': associations.delete,
    'TagResource': _tag,
    'UntagResource': _untag,
    'ListTagsForResource': _list_tags,
}

SERVICE = JsonService('fsx', 'AWSSimbaAPIService_v20180301', ACTIONS, 'BadRequest')


def install() -> None:
    """Put the service into ministack."""
    SERVICE.install()


def call(action: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """An action, called in-process. Raises Refused."""
    return SERVICE.call(action, request)
