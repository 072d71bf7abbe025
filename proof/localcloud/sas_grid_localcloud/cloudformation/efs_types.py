"""AWS::EFS::*: ministack's resource types, waiting until what they make is available and what they delete is gone."""

from collections.abc import Callable
from typing import Any

from ministack.services import efs
from ministack.services.cloudformation import provisioners

from .registry import Properties, audit, run_on_thread
from .waiting import until

_SECONDS = 600.0

_TYPES: dict[str, tuple[Any, str]] = {
    'AWS::EFS::FileSystem': (
        efs._file_systems,
        'AvailabilityZoneName BackupPolicy BypassPolicyLockoutSafetyCheck Encrypted FileSystemPolicy '
        'FileSystemProtection FileSystemTags KmsKeyId LifecyclePolicies PerformanceMode '
        'ProvisionedThroughputInMibps ReplicationConfiguration ThroughputMode',
    ),
    'AWS::EFS::MountTarget': (
        efs._mount_targets,
        'FileSystemId IpAddress IpAddressType Ipv6Address SecurityGroups SubnetId',
    ),
    'AWS::EFS::AccessPoint': (
        efs._access_points,
        'AccessPointTags ClientToken FileSystemId PosixUser RootDirectory',
    ),
}


def install() -> None:
    """Guard the types."""
    for name, (store, known) in _TYPES.items():
        audit(name, frozenset(known.split()), afterwards=_ready(store))
        handler = provisioners._RESOURCE_HANDLERS[name]
        provisioners._RESOURCE_HANDLERS[name] = dict(handler, delete=_waiting(handler['delete'], store))
        run_on_thread(name)


def _ready(store: Any) -> Callable[[str, Properties], None]:
    def wait(identity: str, properties: Properties) -> None:
        until(lambda: store[identity]['LifeCycleState'] == 'available', f'{identity} becoming available', _SECONDS)

    return wait


def _waiting(own: Callable[[str, Properties], None], store: Any) -> Callable[[str, Properties], None]:
    def delete(identity: str, properties: Properties) -> None:
        own(identity, properties)
        until(lambda: identity not in store, f'{identity} being deleted', _SECONDS)

    return delete
