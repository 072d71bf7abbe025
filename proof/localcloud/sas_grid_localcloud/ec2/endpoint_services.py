"""Services that a VPC can have endpoints for, by region and zone."""

import threading
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_region

from ..query import Refused
from ..rules.existing import offered_services
from .offerings import zones

_GATEWAYS = ('s3', 'dynamodb')

_lock = threading.Lock()
_withheld: set[tuple[str, str]] = set()
"""name and zone; a zone of '' is the whole region"""


def withhold(service: str, zone: str) -> None:
    """From now on there is no such service there. ``service`` is a whole name or its end (``ssm``)."""
    with _lock:
        _withheld.add((_name(service), zone))


def offer_all() -> None:
    """Every service is everywhere again."""
    with _lock:
        _withheld.clear()


def _name(service: str) -> str:
    return service if service.startswith(('com.', 'aws.', 'cn.')) else f'com.amazonaws.{get_region()}.{service}'


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeVpcEndpointServices."""
    found = {_name(service): 'Interface' for service in offered_services(get_region())}
    found.update({_name(service): 'Gateway' for service in _GATEWAYS})
    with _lock:
        withheld = set(_withheld)
    names = [name for name in sorted(found) if (name, '') not in withheld]
    for name in request.get('ServiceName') or []:
        if name not in names:
            raise Refused('InvalidServiceName', f"The Vpc Endpoint Service '{name}' does not exist")
    wanted = list(request.get('ServiceName') or names)
    for one in request.get('Filter') or []:
        values = [str(value) for value in one.get('Value') or []]
        if one['Name'] == 'service-name':
            wanted = [name for name in wanted if name in values]
        elif one['Name'] == 'service-type':
            wanted = [name for name in wanted if found[name] in values]
        else:
            raise Refused('InvalidParameterValue', f"The filter '{one['Name']}' is invalid")
    return {
        'serviceNameSet': wanted,
        'serviceDetailSet': [
            {
                'serviceName': name,
                'serviceType': [{'serviceType': found[name]}],
                'availabilityZoneSet': [zone for zone in zones() if (name, zone) not in withheld],
                'owner': 'amazon',
                'acceptanceRequired': False,
                'vpcEndpointPolicySupported': True,
            }
            for name in wanted
        ],
    }
