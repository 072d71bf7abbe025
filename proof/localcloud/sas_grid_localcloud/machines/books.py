"""What EC2's books say of instances, subnets, interfaces and volumes, in the lab's terms."""

import ipaddress
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2
from sas_grid_lab.instance_facts import InstanceFacts
from sas_grid_lab.network import Subnet

from .. import settings
from ..permissions import callers
from ..scope import own_scope


@contextmanager
def _books() -> Iterator[Any]:
    with own_scope():
        yield ec2


def facts_of(instance: Mapping[str, Any], user_data: str) -> InstanceFacts:
    """What the metadata service tells of an instance."""
    identity = str(instance['InstanceId'])
    with _books() as books:
        vpc = books._vpcs.get(instance['VpcId']) or {}
        primary = next(
            (
                one
                for one, record in books._network_interfaces.items()
                if (held := record.get('Attachment')) and held['InstanceId'] == identity and held['DeviceIndex'] == 0
            ),
            'eni-primary',
        )
        role = callers.role_of(identity) or ''
        region = get_region()
    zone = str(instance['Placement']['AvailabilityZone'])
    return InstanceFacts(
        region=region,
        zone=zone,
        zone_id=f'use1-az{ord(zone[-1]) - ord("a") + 1}',
        account=settings.ACCOUNT,
        subnet_id=str(instance['SubnetId']),
        vpc_id=str(instance['VpcId']),
        vpc_cidr=str(vpc.get('CidrBlock') or ''),
        image_id=str(instance['ImageId']),
        instance_type=str(instance['InstanceType']),
        primary_interface=str(primary),
        role=role.rsplit('/', 1)[-1],
        # By the key the embedded AWS knows who calls.
        access_key=identity,
        host_name=f'ip-{str(instance["PrivateIpAddress"]).replace(".", "-")}',
        user_data=user_data,
    )


def subnet_of(subnet_id: str) -> Subnet:
    """A subnet as a bridge. Its name has at most 15 characters."""
    with _books() as books:
        cidr = str(books._subnets[subnet_id]['CidrBlock'])
    return Subnet(ipaddress.IPv4Network(cidr), f'net-{subnet_id[-11:]}')


def subnet_of_interface(interface_id: str) -> str:
    """The id of the subnet that an interface is in."""
    with _books() as books:
        return str(books._network_interfaces[interface_id]['SubnetId'])


def volume(volume_id: str) -> tuple[int, bool]:
    """Size in MiB, and whether several instances may have it."""
    with _books() as books:
        record = books._volumes.get(volume_id) or {}
        return int(record.get('Size') or 10) * 1024, bool(record.get('MultiAttachEnabled'))


def power_switched_off(instance_id: str) -> None:
    """The system powered off by itself: EC2 stops or terminates the instance, as it was told at its launch."""
    from ..ec2 import instances

    with _books() as books:
        instance = books._instances.get(instance_id)
        if instance is None or instance['State']['Name'] != 'running':
            return
        if instance['InstanceInitiatedShutdownBehavior'] == 'terminate':
            instances.start_terminating(instance)
        else:
            instances.stop({'InstanceId': [instance_id]})
