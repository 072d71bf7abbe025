"""Instances with a creation policy: CloudFormation makes them all, and waits for what they tell."""

from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, until
from errors import refused
from sas_grid_localcloud.cloudformation.instance_signals import in_a_row
from stacks import Resources, Stack, body


def instance(count: int = 1, timeout: str = 'PT20S', **more: Any) -> Resources:
    policy = {'ResourceSignal': {'Count': count, 'Timeout': timeout}}
    properties = {'ImageId': 'ami-00000000', 'InstanceType': 'm5.large'}
    return {'Type': 'AWS::EC2::Instance', 'CreationPolicy': policy, 'Properties': properties, **more}


VPC = {'Type': 'AWS::EC2::VPC', 'Properties': {'CidrBlock': '10.7.0.0/16'}}


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def tell(cloud: Cloud, stack: Stack, resource: str, status: str = 'SUCCESS', name: str = 'i-1') -> None:
    cloud.client('cloudformation').signal_resource(
        StackName=stack.name, LogicalResourceId=resource, UniqueId=name, Status=status
    )


def begun(cloud: Cloud, stack: Stack, resources: Resources, last: str) -> None:
    """The stack is being made, and its last instance waits."""
    cloud.client('cloudformation').create_stack(StackName=stack.name, TemplateBody=body(resources))
    events = cloud.client('cloudformation').describe_stack_events
    until(lambda: f"'LogicalResourceId': '{last}'" in str(events(StackName=stack.name)), 'the last one')


def test_they_come_in_a_row_and_what_needs_one_comes_later() -> None:
    resources = {
        'A': instance(),
        'B': {**VPC, 'DependsOn': 'A'},
        'C': VPC,
        'D': instance(),
        'E': {**VPC, 'DependsOn': 'B'},
    }
    assert in_a_row(['A', 'B', 'C', 'D', 'E'], resources) == ['C', 'A', 'D', 'B', 'E']


def test_all_are_made_before_any_is_waited_for(cloud: Cloud, stack: Stack) -> None:
    begun(cloud, stack, {'A': instance(), 'B': instance(), 'C': {**VPC, 'DependsOn': 'A'}}, 'B')
    assert 'C' not in stack.ids()
    tell(cloud, stack, 'A')
    # A signal that comes again counts once.
    tell(cloud, stack, 'A')
    tell(cloud, stack, 'B')
    assert stack.settled() == 'CREATE_COMPLETE'
    assert 'C' in stack.ids()
    assert 'Received SUCCESS signal with UniqueId i-1' in stack.reasons()
    with refused('ValidationError'):
        tell(cloud, stack, 'A', name='late')


def test_one_that_fails_fails_the_stack_and_says_why(cloud: Cloud, stack: Stack) -> None:
    begun(cloud, stack, {'A': instance(), 'B': instance()}, 'B')
    tell(cloud, stack, 'A', 'FAILURE', 'node1: cannot install tuned')
    assert stack.settled() == 'ROLLBACK_COMPLETE'
    assert 'Received FAILURE signal with UniqueId node1: cannot install tuned' in stack.reasons()


def test_one_that_says_nothing_fails_the_stack(stack: Stack) -> None:
    assert stack.create({'A': instance(timeout='PT1S')}) == 'ROLLBACK_COMPLETE'
    assert 'Failed to receive 1 resource signal(s) within the specified duration' in stack.reasons()


def test_one_that_is_there_already_is_not_waited_for(cloud: Cloud, stack: Stack) -> None:
    without = {key: value for key, value in instance().items() if key != 'CreationPolicy'}
    assert stack.create({'A': without}) == 'CREATE_COMPLETE'
    before = stack.ids()['A']
    assert stack.update({'A': instance(timeout='PT1S'), 'B': VPC}) == 'UPDATE_COMPLETE'
    assert stack.ids()['A'] == before
