"""Lifecycle policies: kept and shown. Nothing is done by them here."""

from .listing import listed
from .state import POLICIES, Record, Request, arn_of, exists_already, found, now, of_request, shown
from .tokens import once

_MEMBERS = ('description', 'status', 'executionRole', 'resourceType', 'policyDetails', 'resourceSelection')


def make(request: Request) -> Record:
    """A new policy."""
    name = str(request['name'])
    arn = arn_of('lifecycle-policy', name)
    if arn in POLICIES:
        raise exists_already('LifecyclePolicy', arn)
    made = {'arn': arn, 'name': name, 'status': 'ENABLED', **of_request(request, *_MEMBERS)}
    POLICIES[arn] = {**made, 'dateCreated': now(), 'tags': dict(request.get('tags') or {})}
    return found(POLICIES, arn, 'lifecycle policy')


def change(arn: str, request: Request) -> Record:
    """The same policy with other rules."""
    policy = found(POLICIES, arn, 'lifecycle policy')
    policy.update(of_request(request, *_MEMBERS), dateUpdated=now())
    return policy


def remove(arn: str) -> None:
    """It is gone."""
    found(POLICIES, arn, 'lifecycle policy')
    POLICIES.pop(arn)


@once
def create(request: Request) -> Record:
    """CreateLifecyclePolicy."""
    return {'lifecyclePolicyArn': make(request)['arn']}


@once
def update(request: Request) -> Record:
    """UpdateLifecyclePolicy."""
    return {'lifecyclePolicyArn': change(str(request['lifecyclePolicyArn']), request)['arn']}


def get(request: Request) -> Record:
    """GetLifecyclePolicy."""
    return {'lifecyclePolicy': shown(found(POLICIES, str(request['lifecyclePolicyArn']), 'lifecycle policy'))}


def list_all(request: Request) -> Record:
    """ListLifecyclePolicies."""
    rest = ('policyDetails', 'resourceSelection')
    summaries = [{key: value for key, value in one.items() if key not in rest} for one in POLICIES.values()]
    return listed('lifecyclePolicySummaryList', summaries, request)


def delete(request: Request) -> Record:
    """DeleteLifecyclePolicy."""
    remove(str(request['lifecyclePolicyArn']))
    return {'lifecyclePolicyArn': request['lifecyclePolicyArn']}
