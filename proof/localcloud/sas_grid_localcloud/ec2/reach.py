"""Who gets through to whom: security groups, of which both sides have a say.

Connections are tracked, so an answer needs no rule of its own ("Security group connection tracking", EC2 User Guide).
Rules that name a prefix list or IPv6 let nobody through here. Network ACLs and routes are not looked at.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
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
    opened = [one for one in openings(source, destination) if one.protocol in (ANY, 'tcp')]
    return all(any(one.first <= first <= last <= one.last for one in opened) for first, last in ports)


@dataclass(frozen=True, order=True)
class Opening:
    """What may begin from one interface to another."""

    protocol: str
    """``tcp``, ``udp``, ``icmp``, a number, or ANY"""
    first: int
    last: int
    """ports; all of them where the protocol has none"""


ANY = '-1'
_ALL_PORTS = (0, 65535)
_NAMES = {'1': 'icmp', '6': 'tcp', '17': 'udp'}


def openings(source: Record, destination: Record) -> list[Opening]:
    """What the groups of both sides let through; nothing from one VPC to another."""
    if source['VpcId'] != destination['VpcId']:
        return []
    outgoing = _openings(source, 'IpPermissionsEgress', destination)
    incoming = _openings(destination, 'IpPermissions', source)
    both = {_common(one, other) for one in outgoing for other in incoming}
    return sorted(one for one in both if one)


def _common(one: Opening, other: Opening) -> Opening | None:
    if ANY not in (one.protocol, other.protocol) and one.protocol != other.protocol:
        return None
    first, last = max(one.first, other.first), min(one.last, other.last)
    protocol = other.protocol if one.protocol == ANY else one.protocol
    return Opening(protocol, first, last) if first <= last else None


def _openings(own: Record, direction: str, peer: Record) -> list[Opening]:
    groups = [ec2._security_groups.get(one['GroupId']) or {} for one in own['Groups']]
    return [_opening(rule) for group in groups for rule in group.get(direction, []) if _means(rule, peer)]


def _opening(rule: dict[str, Any]) -> Opening:
    protocol = str(rule.get('IpProtocol'))
    protocol = _NAMES.get(protocol, protocol)
    if protocol not in ('tcp', 'udp'):
        return Opening(protocol, *_ALL_PORTS)
    return Opening(protocol, int(rule['FromPort']), int(rule['ToPort']))


def _means(rule: dict[str, Any], peer: Record) -> bool:
    """Whether a rule names this interface, by a group or by its address."""
    groups = {one['GroupId'] for one in peer['Groups']}
    if any(pair.get('GroupId') in groups for pair in rule.get('UserIdGroupPairs') or []):
        return True
    address = ipaddress.ip_address(peer['PrivateIpAddress'])
    return any(address in ipaddress.ip_network(one['CidrIp'], strict=False) for one in rule.get('IpRanges') or [])
