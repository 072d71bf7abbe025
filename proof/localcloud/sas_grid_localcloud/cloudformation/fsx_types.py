"""FSx resource types: file systems, storage virtual machines, volumes, data repository associations."""

from collections.abc import Mapping
from typing import Any

from .. import fsx
from ..fsx.file_systems import CONFIGURATION
from ..fsx.state import ASSOCIATIONS, FILE_SYSTEMS, MACHINES, VOLUMES
from ..query import Refused
from .registry import Made, NotImplementedHere, Properties, ResourceType, register
from .waiting import until

_SECONDS = 3600.0

_BOOLEANS = {'true': True, 'false': False}


def typed(value: Any) -> Any:
    """Templates may carry numbers and booleans as text, the API does not take them so."""
    if isinstance(value, Mapping):
        return {key: typed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [typed(one) for one in value]
    if isinstance(value, str) and value in _BOOLEANS:
        return _BOOLEANS[value]
    return int(value) if isinstance(value, str) and value.isdigit() and not value.startswith('0') else value


_AS_TEXT = frozenset({'Tags', 'FileSystemTypeVersion', 'Name'})


def _request(properties: Properties, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    return {key: value if key in _AS_TEXT else typed(value) for key, value in properties.items() if key not in without}


def _ready(store: Any, identity: str) -> None:
    until(lambda: store[identity]['Lifecycle'] in ('AVAILABLE', 'CREATED'), f'{identity} becoming available', _SECONDS)


def _gone(action: str, store: Any, request: Mapping[str, Any], identity: str) -> None:
    try:
        fsx.call(action, request)
    except Refused as refused:
        if 'NotFound' not in refused.code and (store.get(identity) or {}).get('Lifecycle') != 'DELETING':
            raise
    until(lambda: identity not in store, f'{identity} being deleted', _SECONDS)


def _retag(store: Any, identity: str, old: Properties, new: Properties) -> None:
    resource = store[identity]['ResourceARN']
    keep = {tag['Key'] for tag in new.get('Tags') or []}
    dropped = [tag['Key'] for tag in old.get('Tags') or [] if tag['Key'] not in keep]
    if dropped:
        fsx.call('UntagResource', {'ResourceARN': resource, 'TagKeys': dropped})
    if new.get('Tags'):
        fsx.call('TagResource', {'ResourceARN': resource, 'Tags': list(new['Tags'])})


# --- AWS::FSx::FileSystem


def _without_options(request: dict[str, Any]) -> dict[str, Any]:
    """Options tell how to delete: CreateFileSystem does not take them."""
    own = request.get('OpenZFSConfiguration')
    return {**request, 'OpenZFSConfiguration': {k: v for k, v in own.items() if k != 'Options'}} if own else request


def _create_file_system(logical_id: str, properties: Properties, stack: str) -> Made:
    request = _without_options(_request(properties))
    if 'BackupId' in request:
        request.pop('FileSystemType')
    action = 'CreateFileSystemFromBackup' if 'BackupId' in request else 'CreateFileSystem'
    made = fsx.call(action, request)['FileSystem']
    identity = str(made['FileSystemId'])
    _ready(FILE_SYSTEMS, identity)
    return identity, _file_system_attributes(identity)


def _file_system_attributes(identity: str) -> dict[str, Any]:
    record = FILE_SYSTEMS[identity]
    found = {'Id': identity, 'ResourceARN': record['ResourceARN']}
    if 'DNSName' in record:
        found['DNSName'] = record['DNSName']
    if record['FileSystemType'] == 'LUSTRE':
        found['LustreMountName'] = record['LustreConfiguration']['MountName']
    if record['FileSystemType'] == 'OPENZFS':
        found['RootVolumeId'] = record['OpenZFSConfiguration']['RootVolumeId']
    return found


_FIXED = {
    'LustreConfiguration': (
        'DeploymentType',
        'PerUnitStorageThroughput',
        'CopyTagsToBackups',
        'ImportPath',
        'ExportPath',
        'ImportedFileChunkSize',
        'EfaEnabled',
    ),
    'OpenZFSConfiguration': (
        'DeploymentType',
        'PreferredSubnetId',
        'EndpointIpAddressRange',
        'RootVolumeConfiguration',
    ),
    'OntapConfiguration': ('DeploymentType', 'PreferredSubnetId', 'EndpointIpAddressRange'),
}
"""Members of a configuration that cannot be changed. On AWS a change of one replaces the file system, which
is a loss of data nobody asked the embedded AWS for: here it fails the update."""


def _update_file_system(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    name = CONFIGURATION[new['FileSystemType']]
    before, after = typed(old.get(name) or {}), typed(new.get(name) or {})
    for one in _FIXED[name]:
        if before.get(one) != after.get(one):
            raise NotImplementedHere(f'AWS::FSx::FileSystem {name}.{one} cannot be changed: it needs a new file system')
    changed = {
        key: value
        for key, value in after.items()
        if before.get(key) != value and key not in ('Options', 'CopyTagsToSnapshots')
    }
    request: dict[str, Any] = {'FileSystemId': identity, **({name: changed} if changed else {})}
    if new.get('StorageCapacity') != old.get('StorageCapacity'):
        request['StorageCapacity'] = typed(new['StorageCapacity'])
    fsx.call('UpdateFileSystem', request)
    _retag(FILE_SYSTEMS, identity, old, new)
    return identity, _file_system_attributes(identity)


def _delete_file_system(identity: str, properties: Properties) -> None:
    options = (properties.get('OpenZFSConfiguration') or {}).get('Options')
    request = {'FileSystemId': identity, **({'OpenZFSConfiguration': {'Options': options}} if options else {})}
    _gone('DeleteFileSystem', FILE_SYSTEMS, request, identity)


# --- AWS::FSx::StorageVirtualMachine


def _create_machine(logical_id: str, properties: Properties, stack: str) -> Made:
    made = fsx.call('CreateStorageVirtualMachine', {**properties})['StorageVirtualMachine']
    identity = str(made['StorageVirtualMachineId'])
    _ready(MACHINES, identity)
    return identity, _machine_attributes(identity)


def _machine_attributes(identity: str) -> dict[str, Any]:
    record = MACHINES[identity]
    return {
        'StorageVirtualMachineId': identity,
        'ResourceARN': record['ResourceARN'],
        'UUID': record['UUID'],
    }


def _update_machine(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    password = {'SvmAdminPassword': new['SvmAdminPassword']} if new.get('SvmAdminPassword') else {}
    fsx.call('UpdateStorageVirtualMachine', {'StorageVirtualMachineId': identity, **password})
    _retag(MACHINES, identity, old, new)
    return identity, _machine_attributes(identity)


def _delete_machine(identity: str, properties: Properties) -> None:
    _gone('DeleteStorageVirtualMachine', MACHINES, {'StorageVirtualMachineId': identity}, identity)


# --- AWS::FSx::Volume


def _create_volume(logical_id: str, properties: Properties, stack: str) -> Made:
    request = _request(properties)
    if request.get('OpenZFSConfiguration'):
        request = _without_options(request)
    request = {'VolumeType': 'ONTAP', **request}
    if 'BackupId' in request:
        request.pop('VolumeType')
    action = 'CreateVolumeFromBackup' if 'BackupId' in request else 'CreateVolume'
    made = fsx.call(action, request)['Volume']
    identity = str(made['VolumeId'])
    _ready(VOLUMES, identity)
    return identity, _volume_attributes(identity)


def _volume_attributes(identity: str) -> dict[str, Any]:
    record = VOLUMES[identity]
    found = {'VolumeId': identity, 'ResourceARN': record['ResourceARN']}
    unique = (record.get('OntapConfiguration') or {}).get('UUID')
    return {**found, **({'UUID': unique} if unique else {})}


def _update_volume(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    request: dict[str, Any] = {'VolumeId': identity, 'Name': new['Name']}
    for name in ('OntapConfiguration', 'OpenZFSConfiguration'):
        before, after = typed(old.get(name) or {}), typed(new.get(name) or {})
        changed = {key: value for key, value in after.items() if before.get(key) != value and key != 'Options'}
        if changed:
            request[name] = changed
    fsx.call('UpdateVolume', request)
    _retag(VOLUMES, identity, old, new)
    return identity, _volume_attributes(identity)


def _delete_volume(identity: str, properties: Properties) -> None:
    options = (properties.get('OpenZFSConfiguration') or {}).get('Options')
    request = {'VolumeId': identity, **({'OpenZFSConfiguration': {'Options': options}} if options else {})}
    _gone('DeleteVolume', VOLUMES, request, identity)


# --- AWS::FSx::DataRepositoryAssociation


def _create_association(logical_id: str, properties: Properties, stack: str) -> Made:
    made = fsx.call('CreateDataRepositoryAssociation', _request(properties))['Association']
    identity = str(made['AssociationId'])
    _ready(ASSOCIATIONS, identity)
    return identity, {'AssociationId': identity, 'ResourceARN': made['ResourceARN']}


def _update_association(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    request = {key: typed(new[key]) for key in ('S3', 'ImportedFileChunkSize') if key in new}
    fsx.call('UpdateDataRepositoryAssociation', {'AssociationId': identity, **request})
    _retag(ASSOCIATIONS, identity, old, new)
    return identity, {'AssociationId': identity, 'ResourceARN': ASSOCIATIONS[identity]['ResourceARN']}


def _delete_association(identity: str, properties: Properties) -> None:
    _gone('DeleteDataRepositoryAssociation', ASSOCIATIONS, {'AssociationId': identity}, identity)


TYPES = (
    ResourceType(
        'AWS::FSx::FileSystem',
        _create_file_system,
        _delete_file_system,
        frozenset(
            [
                'BackupId',
                'FileSystemType',
                'FileSystemTypeVersion',
                'KmsKeyId',
                'LustreConfiguration',
                'OntapConfiguration',
                'OpenZFSConfiguration',
                'SecurityGroupIds',
                'StorageCapacity',
                'StorageType',
                'SubnetIds',
                'Tags',
            ]
        ),
        _update_file_system,
        replacing=frozenset({'FileSystemTypeVersion', 'StorageType'}),
    ),
    ResourceType(
        'AWS::FSx::StorageVirtualMachine',
        _create_machine,
        _delete_machine,
        frozenset({'FileSystemId', 'Name', 'RootVolumeSecurityStyle', 'SvmAdminPassword', 'Tags'}),
        _update_machine,
    ),
    ResourceType(
        'AWS::FSx::Volume',
        _create_volume,
        _delete_volume,
        frozenset({'BackupId', 'Name', 'OntapConfiguration', 'OpenZFSConfiguration', 'Tags', 'VolumeType'}),
        _update_volume,
    ),
    ResourceType(
        'AWS::FSx::DataRepositoryAssociation',
        _create_association,
        _delete_association,
        frozenset(
            [
                'BatchImportMetaDataOnCreate',
                'DataRepositoryPath',
                'FileSystemId',
                'FileSystemPath',
                'ImportedFileChunkSize',
                'S3',
                'Tags',
            ]
        ),
        _update_association,
    ),
)


def install() -> None:
    """Register the types. FSx changes neither storage type nor version here."""
    for each in TYPES:
        register(each)
