"""The file systems of FSx and EFS as a host finds them: by a name in DNS or an address, if security groups agree.

What is needed: "File system access control with Amazon VPC" and "Troubleshooting" of the FSx for Lustre guide,
"Mounting on Amazon EC2 with a DNS name" of the EFS guide (a mount target in the zone of the host), read 2026-11.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2, efs

from .ec2.reach import Ports, connects, primary_interface
from .ec2.state import LOCK as EC2_LOCK
from .ec2.state import Record
from .fsx.state import FILE_SYSTEMS, LOCK, MACHINES, VOLUMES

LUSTRE_PORTS: list[Ports] = [(988, 988), (1018, 1023)]
"""between clients and servers, and each begins connections"""
NFS_PORTS: list[Ports] = [(2049, 2049)]


@dataclass(frozen=True)
class Endpoint:
    """Where a file system answers, and what it lets be mounted."""

    file_system: str
    kind: str
    """LUSTRE, OPENZFS, ONTAP or EFS"""
    interfaces: list[Record]
    """The first is the one that clients mount."""
    name: str = ''
    versions: tuple[str, ...] = ()
    """of NFS"""
    nconnect: bool = True
    exports: dict[str, list[str]] = field(default_factory=dict)
    """paths of NFS, and the ranges that may mount each"""
    mount_name: str = ''
    """of Lustre"""


def look_up(instance_id: str, server: str) -> dict[str, Any]:
    """What an instance finds under a name or an address: ``{}`` for nothing; ``answers`` when the way is open."""
    with LOCK, EC2_LOCK:
        client = primary_interface(instance_id)
        found = _endpoint(server, client) if client else None
        if client is None or found is None:
            return {}
        told = {
            'id': found.file_system,
            'kind': found.kind,
            'address': found.interfaces[0]['PrivateIpAddress'],
            'client': client['PrivateIpAddress'],
        }
        if not _reached(found, client):
            return told
        return {
            **told,
            'answers': True,
            'versions': found.versions,
            'nconnect': found.nconnect,
            'exports': found.exports,
            'mountName': found.mount_name,
        }


def _reached(found: Endpoint, client: Record) -> bool:
    if found.kind != 'LUSTRE':
        return connects(client, found.interfaces[0], NFS_PORTS)
    return all(connects(client, one, LUSTRE_PORTS) and connects(one, client, LUSTRE_PORTS) for one in found.interfaces)


def _endpoint(server: str, client: Record) -> Endpoint | None:
    vpc = ec2._vpcs.get(client['VpcId']) or {}
    for one in (*_of_fsx(), *_of_efs(client)):
        if one.name == server:
            hostnames = one.kind != 'EFS' or vpc.get('EnableDnsHostnames', False)
            return one if vpc.get('EnableDnsSupport', True) and hostnames else None
        if server == one.interfaces[0]['PrivateIpAddress'] and one.interfaces[0]['VpcId'] == client['VpcId']:
            return one
    return None


def _of_fsx() -> Iterator[Endpoint]:
    for record in FILE_SYSTEMS.values():
        if record['Lifecycle'] != 'AVAILABLE':
            continue
        identity, kind = record['FileSystemId'], record['FileSystemType']
        interfaces = [dict(ec2._network_interfaces[one]) for one in record['NetworkInterfaceIds']]
        common = {'file_system': identity, 'kind': kind, 'interfaces': interfaces}
        if kind == 'LUSTRE':
            mount_name = record['LustreConfiguration']['MountName']
            yield Endpoint(**common, name=record['DNSName'], mount_name=mount_name)
        elif kind == 'OPENZFS':
            versions = ('3', '4.0', '4.1', '4.2')
            yield Endpoint(**common, name=record['DNSName'], versions=versions, exports=_openzfs_exports(identity))
        else:
            yield from _machines(common)


def _machines(common: Mapping[str, Any]) -> Iterator[Endpoint]:
    """The virtual machines of ONTAP: each is a server of its own."""
    for machine in MACHINES.values():
        if machine['FileSystemId'] != common['file_system'] or machine['Lifecycle'] not in ('CREATED', 'AVAILABLE'):
            continue
        exports = {
            one['OntapConfiguration']['JunctionPath']: ['0.0.0.0/0']
            for one in VOLUMES.values()
            if one.get('_machine') == machine['StorageVirtualMachineId']
            and one['Lifecycle'] in ('CREATED', 'AVAILABLE')
            and one['OntapConfiguration'].get('JunctionPath')
        }
        name = machine['Endpoints']['Nfs']['DNSName']
        yield Endpoint(**common, name=name, versions=('3', '4.0', '4.1', '4.2'), exports=exports)


def _openzfs_exports(file_system: str) -> dict[str, list[str]]:
    """Without an export of its own a volume is exported as its parent is; the root to everybody."""
    exports: dict[str, list[str]] = {}
    of_it = [one for one in VOLUMES.values() if one['FileSystemId'] == file_system and one['Lifecycle'] == 'AVAILABLE']
    for one in sorted(of_it, key=lambda one: str(one['OpenZFSConfiguration']['VolumePath'])):
        configuration = one['OpenZFSConfiguration']
        path = str(configuration['VolumePath'])
        own = [client['Clients'] for each in configuration.get('NfsExports') or [] for client in _clients(each)]
        ranges = ['0.0.0.0/0' if client == '*' else client for client in own]
        exports[path] = ranges or exports.get(path.rpartition('/')[0], ['0.0.0.0/0'])
    return exports


def _clients(export: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(export['ClientConfigurations'])


def _of_efs(client: Record) -> Iterator[Endpoint]:
    """A mount target in the zone of the host: the name of the file system leads to no other."""
    for target in efs._mount_targets.values():
        system = efs._file_systems.get(target['FileSystemId'])
        if system is None or target['LifeCycleState'] != 'available' or system['LifeCycleState'] != 'available':
            continue
        if target['AvailabilityZoneName'] != client['AvailabilityZone'] or target['VpcId'] != client['VpcId']:
            continue
        interface = dict(ec2._network_interfaces[target['NetworkInterfaceId']])
        groups = target.get('SecurityGroups')
        if groups:
            interface['Groups'] = [{'GroupId': one} for one in groups]
        identity = system['FileSystemId']
        yield Endpoint(
            file_system=identity,
            kind='EFS',
            interfaces=[interface],
            name=f'{identity}.efs.{get_region()}.amazonaws.com',
            versions=('4.0', '4.1'),
            nconnect=False,
            exports={'/': ['0.0.0.0/0']} if _lets_in(system.get('FileSystemPolicy')) else {'/': []},
        )


def _lets_in(policy: Any) -> bool:
    """Whether a file system policy lets in a host that mounts by plain NFS, which is anonymous and not encrypted."""
    if not policy:
        return True
    statements = (json.loads(policy) if isinstance(policy, str) else policy)['Statement']
    deny = [one for one in statements if one['Effect'] == 'Deny']
    if any('aws:SecureTransport' in json.dumps(one.get('Condition') or {}) for one in deny):
        return False
    return any(
        one['Effect'] == 'Allow'
        and one.get('Principal') in ('*', {'AWS': '*'})
        and any(
            action in ('*', 'elasticfilesystem:*', 'elasticfilesystem:ClientMount')
            for action in ([one['Action']] if isinstance(one['Action'], str) else one['Action'])
        )
        and 'aws:SecureTransport' not in json.dumps(one.get('Condition') or {})
        for one in statements
    )
