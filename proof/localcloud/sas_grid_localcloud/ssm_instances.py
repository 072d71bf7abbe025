"""Instances whose agents are registered with Systems Manager."""

import time
from typing import Any

from ministack.services import ec2

from .ec2 import impairment
from .ec2.state import tags_of
from .hosts import agents, boot
from .hosts.documents import Refused


def describe(request: dict[str, Any]) -> dict[str, Any]:
    """DescribeInstanceInformation."""
    wanted: set[str] | None = None
    for item in [*(request.get('Filters') or []), *(request.get('InstanceInformationFilterList') or [])]:
        key = str(item.get('Key') or item.get('key'))
        values = set(item.get('Values') or item.get('valueSet') or [])
        if key.startswith('tag:'):
            values = {one for one in ec2._instances if _tag(one, key.removeprefix('tag:')) in values}
        elif key == 'PingStatus':
            values = {one for one in ec2._instances if _ping(one) in values}
        elif key != 'InstanceIds':
            raise Refused('InvalidInstanceInformationFilterValue', f'the filter {key} is not implemented')
        wanted = values if wanted is None else wanted & values
    found = []
    for instance, facts in ec2._instances.items():
        if (boot.online(instance) or boot.lost(instance)) and (wanted is None or instance in wanted):
            found.append(
                {
                    'InstanceId': instance,
                    'PingStatus': _ping(instance),
                    'LastPingDateTime': time.time(),
                    'AgentVersion': agents.version(instance),
                    'PlatformType': 'Linux',
                    'ResourceType': 'EC2Instance',
                    'IPAddress': facts.get('PrivateIpAddress', ''),
                }
            )
    return {'InstanceInformationList': found}


def _ping(instance: str) -> str:
    """An agent that went silent counts as there for minutes on AWS; here until the status check fails."""
    return 'Online' if impairment.seconds_impaired(instance) is None else 'ConnectionLost'


def _tag(instance: str, key: str) -> str | None:
    return next((tag['Value'] for tag in tags_of(instance) if tag['Key'] == key), None)
