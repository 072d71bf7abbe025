"""AWS::EC2::CapacityReservation."""

from ministack.services import ec2

from ..ec2 import reservations
from ..query import Refused
from .registry import Made, Properties, ResourceType, register


def _create_reservation(logical_id: str, properties: Properties, stack: str) -> Made:
    arn = str(properties.get('PlacementGroupArn') or '')
    name = arn.partition(':placement-group/')[2]
    if name and name not in ec2._placement_groups:
        raise Refused('InvalidPlacementGroup.Unknown', f"The placement group '{name}' is unknown.")
    identity = reservations.make(
        str(properties['InstanceType']),
        str(properties['AvailabilityZone']),
        int(properties['InstanceCount']),
        name,
        properties.get('InstanceMatchCriteria', 'open') == 'open',
    )
    return identity, {'Id': identity}


def _update_reservation(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
    reservations.resize(physical_id, int(new['InstanceCount']))
    return physical_id, {'Id': physical_id}


def _delete_reservation(physical_id: str, properties: Properties) -> None:
    reservations.cancel(physical_id)


def install() -> None:
    """Register the type."""
    register(
        ResourceType(
            'AWS::EC2::CapacityReservation',
            _create_reservation,
            _delete_reservation,
            frozenset(
                [
                    'AvailabilityZone',
                    'InstanceCount',
                    'InstanceMatchCriteria',
                    'InstancePlatform',
                    'InstanceType',
                    'PlacementGroupArn',
                ]
            ),
            _update_reservation,
        )
    )
