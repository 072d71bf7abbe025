"""Mixed instances policies, as far as they say which types are launched in which order: On-Demand, ``prioritized``."""

from collections.abc import Mapping
from typing import Any

from ..ec2.state import Record
from ..query import Refused


def check(properties: Mapping[str, Any]) -> None:
    """Refuse what Auto Scaling refuses, and what is not implemented here."""
    policy = properties.get('MixedInstancesPolicy')
    if policy is None:
        return
    if properties.get('LaunchTemplate'):
        raise Refused('ValidationError', 'A group has a launch template or a mixed instances policy, not both')
    types = [str(one.get('InstanceType') or '') for one in _overrides(policy)]
    twice = sorted({one for one in types if types.count(one) > 1})
    if twice:
        # Its words: terraform-aws-modules/terraform-aws-eks#368.
        raise Refused(
            'ValidationError',
            'Cannot add same instance type override more than once. '
            f'Remove these duplicates from the request and try again: [{", ".join(twice)}]',
        )
    distribution = dict(policy.get('InstancesDistribution') or {})
    share = distribution.pop('OnDemandPercentageAboveBaseCapacity', 100)
    if distribution != {'OnDemandAllocationStrategy': 'prioritized'} or int(share) != 100 or '' in types:
        raise Refused(
            'ValidationError',
            'a MixedInstancesPolicy but On-Demand and prioritized is not implemented by the embedded AWS',
        )


def put(group: Record, policy: Mapping[str, Any]) -> None:
    """The group launches by the policy, if there is one."""
    group['_overrides'] = _overrides(policy) if policy else []
    if policy:
        group['LaunchTemplate'] = dict(policy['LaunchTemplate']['LaunchTemplateSpecification'])


def choices(group: Record, template: Record) -> list[tuple[Record, Record]]:
    """What a launch tries, in order: a template, and what is said besides."""
    overrides = group.get('_overrides') or []
    return [
        (dict(one.get('LaunchTemplateSpecification') or template), {'InstanceType': one['InstanceType']})
        for one in overrides
    ] or [(template, {})]


def _overrides(policy: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list((policy.get('LaunchTemplate') or {}).get('Overrides') or [])
