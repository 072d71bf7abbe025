"""Interface endpoints, which take interfaces of their own, and the subnets and groups that interfaces use."""

from collections.abc import Callable
from typing import Any

from ministack.services import ec2
from ministack.services.cloudformation import provisioners

from ..ec2 import interfaces
from ..ec2.interfaces import drop_interfaces
from ..ec2.state import LOCK
from ..query import Refused
from .registry import Properties, run_on_thread
from .waiting import until

_IN_USE_SECONDS = 10.0


def add_endpoint_interfaces(endpoint_id: str, properties: Properties) -> None:
    """An interface endpoint takes an address in each of its subnets, as on AWS."""
    endpoint = ec2._vpc_endpoints[endpoint_id]
    with LOCK:
        if properties.get('VpcEndpointType') != 'Interface' or endpoint['NetworkInterfaceIds']:
            return
        for subnet in properties.get('SubnetIds') or []:
            groups = list(properties.get('SecurityGroupIds') or [])
            made = interfaces.new_interface(subnet, groups=groups, description='VPC Endpoint', kind='vpc_endpoint')
            made['Status'] = 'in-use'
            endpoint['NetworkInterfaceIds'].append(made['NetworkInterfaceId'])


def delete_endpoint(physical_id: str, properties: Properties) -> None:
    """The endpoint's interfaces go with it."""
    endpoint = ec2._vpc_endpoints.get(physical_id)
    with LOCK:
        if endpoint:
            drop_interfaces(endpoint['NetworkInterfaceIds'])
    provisioners._ec2_vpc_endpoint_delete(physical_id, properties)


def install() -> None:
    """Subnets and groups that an interface uses are not deleted; CloudFormation tries for a while, as on AWS."""
    _guard('AWS::EC2::Subnet', lambda one, physical_id: one['SubnetId'] == physical_id)
    _guard(
        'AWS::EC2::SecurityGroup',
        lambda one, physical_id: physical_id in [group['GroupId'] for group in one['Groups']],
    )


def _guard(name: str, uses: Callable[[dict[str, Any], str], bool]) -> None:
    handler = provisioners._RESOURCE_HANDLERS[name]
    own = handler['delete']

    def users(physical_id: str) -> list[str]:
        return [one['NetworkInterfaceId'] for one in ec2._network_interfaces.values() if uses(one, physical_id)]

    def delete(physical_id: str, properties: Properties) -> None:
        try:
            until(lambda: not users(physical_id), f'{physical_id} being free', _IN_USE_SECONDS)
        except TimeoutError:
            by = ', '.join(users(physical_id))
            raise Refused(
                'DependencyViolation', f'{physical_id} has dependencies and cannot be deleted: {by}'
            ) from None
        own(physical_id, properties)

    provisioners._RESOURCE_HANDLERS[name] = dict(handler, delete=delete)
    run_on_thread(name)
