"""Who gets through to whom: security groups, of which both sides have a say.

Connections are tracked, so an answer needs no rule of its own ("Security group connection tracking", EC2 User Guide).
Rules that name a prefix list or IPv6 let nobody through here. Network ACLs and routes are not looked at.
"""

import ipaddress
from collections.abc import Iterable
from typing import Any

from ministack.services import ec2

from .state import Record

Ports = tuple[int, int]


def primary_interface(instance_id: str) -> Record | None:
    """The interface by which an instance leaves for the network."""
    for one in ec2._network_interfaces.values():
        held = one.get('Attachment')
        if held and held['InstanceId'] == instance_id and int(held['DeviceIndex']) == 0:
            return dict(one)
    return None


def connects(source: Record, destination: Record, ports: Iterable[Ports]) -> bool:
    """Whether TCP connections from one interface to these ports of another are let out and in."""
    return source['VpcId'] == destination['VpcId'] and all(
        _allowed(source, 'IpPermissionsEgress', destination, one)
        and _allowed(destination, 'IpPermissions', source, one)
        for one in ports
    )


def _allowed(own: Record, direction: str, peer: Record, ports: Ports) -> bool:
    groups = [ec2._security_groups.get(one['GroupId']) or {} for one in own['Groups']]
    return any(_matches(rule, peer, ports) for group in groups for rule in group.get(direction, []))


def _matches(rule: dict[str, Any], peer: Record, ports: Ports) -> bool:
    protocol = str(rule.get('IpProtocol'))
    if protocol not in ('-1', 'tcp', '6'):
        return False
    if protocol != '-1' and not int(rule['FromPort']) <= ports[0] <= ports[1] <= int(rule['ToPort']):
        return False
    groups = {one['GroupId'] for one in peer['Groups']}
    if any(pair.get('GroupId') in groups for pair in rule.get('UserIdGroupPairs') or []):
        return True
    address = ipaddress.ip_address(peer['PrivateIpAddress'])
    return any(address in ipaddress.ip_network(one['CidrIp'], strict=False) for one in rule.get('IpRanges') or [])
