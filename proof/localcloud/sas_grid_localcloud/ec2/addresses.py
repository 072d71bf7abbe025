"""Private addresses of a subnet, and the parts of it that are reserved (subnet CIDR reservations)."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from ..query import Refused
from .state import LOCK, Record, born, new_id, requested_tags, set_tags, subnet_record, tag_set

reservations: dict[str, Record] = {}
"""By reservation id."""


def take(subnet_id: str, wanted: str | None = None) -> str:
    """A free address of the subnet: the wanted one, or one that EC2 chooses outside all reservations."""
    subnet = subnet_record(subnet_id)
    network = ipaddress.IPv4Network(subnet['CidrBlock'])
    used = _used(subnet_id)
    if wanted:
        address = _address(wanted)
        if address not in network:
            raise Refused('InvalidParameterValue', f"Address {wanted} does not fall within the subnet's address range")
        # The first four addresses and the last of every subnet are kept by AWS.
        if int(address) - int(network.network_address) < 4 or address == network.broadcast_address:
            raise Refused('InvalidParameterValue', f"Address {wanted} is in subnet's reserved address range")
        if wanted in used:
            raise Refused('InvalidIPAddress.InUse', f'Address {wanted} is in use.')
        return wanted
    reserved = [ipaddress.IPv4Network(one['cidr']) for one in reservations.values() if one['subnetId'] == subnet_id]
    for position in range(4, network.num_addresses - 1):
        candidate = network[position]
        if str(candidate) not in used and not any(candidate in block for block in reserved):
            return str(candidate)
    raise Refused(
        'InsufficientFreeAddressesInSubnet',
        f"There are not enough free addresses in subnet '{subnet_id}' to satisfy the requested number of instances.",
    )


def create_reservation(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateSubnetCidrReservation."""
    subnet = subnet_record(str(request.get('SubnetId')))
    kind = request.get('ReservationType')
    if kind not in ('explicit', 'prefix'):
        raise Refused('InvalidParameterValue', f'Value ({kind}) for parameter reservationType is invalid.')
    try:
        block = ipaddress.IPv4Network(str(request.get('Cidr')))
    except ValueError:
        raise Refused('InvalidSubnet.Range', f"The CIDR '{request.get('Cidr')}' is invalid.") from None
    network = ipaddress.IPv4Network(subnet['CidrBlock'])
    if not block.subnet_of(network):
        raise Refused('InvalidSubnet.Range', f"The CIDR '{block}' is not within the subnet's CIDR.")
    with LOCK:
        for other in reservations.values():
            if other['subnetId'] == subnet['SubnetId'] and ipaddress.IPv4Network(other['cidr']).overlaps(block):
                raise Refused('InvalidSubnet.Conflict', f"The CIDR '{block}' conflicts with another reservation")
        record = born(
            {
                'subnetCidrReservationId': new_id('scr'),
                'subnetId': subnet['SubnetId'],
                'cidr': str(block),
                'reservationType': kind,
                'ownerId': get_account_id(),
                'description': request.get('Description') or '',
            }
        )
        reservations[record['subnetCidrReservationId']] = record
        set_tags(record['subnetCidrReservationId'], requested_tags(request, 'subnet-cidr-reservation'))
    return {'subnetCidrReservation': _shown(record)}


def delete_reservation(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteSubnetCidrReservation."""
    wanted = str(request.get('SubnetCidrReservationId'))
    record = reservations.pop(wanted, None)
    if record is None:
        raise Refused('InvalidSubnetCidrReservationID.NotFound', f"The reservation '{wanted}' does not exist")
    return {'deletedSubnetCidrReservation': _shown(record)}


def get_reservations(request: Mapping[str, Any]) -> dict[str, Any]:
    """GetSubnetCidrReservations."""
    subnet = subnet_record(str(request.get('SubnetId')))
    found = [_shown(one) for one in reservations.values() if one['subnetId'] == subnet['SubnetId']]
    return {'subnetIpv4CidrReservationSet': found, 'subnetIpv6CidrReservationSet': []}


def _shown(record: Record) -> dict[str, Any]:
    public = {name: value for name, value in record.items() if not name.startswith('_')}
    return {**public, 'tagSet': tag_set(record['subnetCidrReservationId'])}


def _used(subnet_id: str) -> set[str]:
    return {str(one['PrivateIpAddress']) for one in ec2._network_interfaces.values() if one['SubnetId'] == subnet_id}


def _address(text: str) -> ipaddress.IPv4Address:
    try:
        return ipaddress.IPv4Address(text)
    except ValueError:
        raise Refused('InvalidParameterValue', f'invalid value for parameter address: {text}') from None
