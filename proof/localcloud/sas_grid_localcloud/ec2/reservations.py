"""Capacity reservations: who starts in which, and that there is room for no more."""

from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from ..faults import capacity as shortage
from ..query import Refused
from .state import Record, new_id, tag_set

_reservations: dict[str, Record] = {}


def make(kind: str, zone: str, count: int, placement_group: str, is_open: bool) -> str:
    """Hold capacity. There has to be such capacity."""
    shortage.require(placement_group, kind, zone)
    identity = new_id('cr')
    _reservations[identity] = {
        'InstanceType': kind,
        'AvailabilityZone': zone,
        'InstanceCount': count,
        'PlacementGroup': placement_group,
        'open': is_open,
    }
    return identity


def resize(identity: str, count: int) -> None:
    """Another number of instances."""
    _reservations[identity]['InstanceCount'] = count


def cancel(identity: str) -> None:
    """Instances in it run on."""
    _reservations.pop(identity, None)


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeCapacityReservations: all that are here are active."""
    filters = {one['Name']: one.get('Value') or [] for one in request.get('Filter') or []}
    if set(filters) - {'state'}:
        raise Refused('InvalidParameterValue', f"The filter '{next(iter(set(filters) - {'state'}))}' is invalid")
    shown = _reservations if 'active' in filters.get('state', ['active']) else {}
    return {
        'capacityReservationSet': [
            {
                'capacityReservationId': identity,
                'instanceType': one['InstanceType'],
                'availabilityZone': one['AvailabilityZone'],
                'totalInstanceCount': int(one['InstanceCount']),
                'availableInstanceCount': int(one['InstanceCount']) - _used(identity),
                'state': 'active',
                'tagSet': tag_set(identity),
            }
            for identity, one in shown.items()
        ]
    }


def find(data: Mapping[str, Any], kind: str, zone: str, placement_group: str) -> str | None:
    """The reservation that a launch is in: the one that is named, or an open one of the same attributes with room."""
    named = (data.get('CapacityReservationSpecification') or {}).get('CapacityReservationTarget') or {}
    wanted = named.get('CapacityReservationId')
    if wanted:
        if wanted not in _reservations:
            raise Refused('InvalidCapacityReservationId.NotFound', f'The capacity reservation {wanted} does not exist')
        if not _fits(_reservations[wanted], kind, zone, placement_group):
            raise Refused('InvalidParameterValue', f'The capacity reservation {wanted} has other attributes')
        if not _free(wanted):
            raise Refused('ReservationCapacityExceeded', f'The capacity reservation {wanted} has no room left')
        return str(wanted)
    for identity, one in _reservations.items():
        if one['open'] and _fits(one, kind, zone, placement_group) and _free(identity):
            return identity
    # Elsewhere it is an order like any other.
    shortage.require(placement_group, kind, zone)
    return None


def _fits(one: Record, kind: str, zone: str, placement_group: str) -> bool:
    wanted = (one['InstanceType'], one['AvailabilityZone'], one['PlacementGroup'])
    return wanted == (kind, zone, placement_group)


def _free(identity: str) -> bool:
    return _used(identity) < int(_reservations[identity]['InstanceCount'])


def _used(identity: str) -> int:
    return sum(
        one.get('_reservation') == identity and one['State']['Name'] not in ('stopped', 'terminated')
        for one in ec2._instances.values()
    )
