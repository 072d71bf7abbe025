"""Wait conditions with a creation policy: CloudFormation makes the other resources meanwhile."""

from collections.abc import Iterator

import pytest

from conftest import Cloud, until
from errors import refused
from sas_grid_localcloud.cloudformation.wait_conditions import waiting_last
from stacks import Resources, Stack, body

VPC = {'Type': 'AWS::EC2::VPC', 'Properties': {'CidrBlock': '10.7.0.0/16'}}


def condition(count: int, timeout: str = 'PT20S') -> Resources:
    policy = {'ResourceSignal': {'Count': count, 'Timeout': timeout}}
    return {'Type': 'AWS::CloudFormation::WaitCondition', 'CreationPolicy': policy}


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def test_what_waits_comes_last_and_what_needs_it_later_still() -> None:
    resources = {
        'A': condition(1),
        'B': {**VPC, 'DependsOn': 'A'},
        'C': VPC,
        'D': {**VPC, 'DependsOn': 'B'},
    }
    assert waiting_last(['A', 'B', 'C', 'D'], resources) == ['C', 'A', 'B', 'D']


def test_it_completes_with_its_signals_and_the_stack_can_be_updated(cloud: Cloud, stack: Stack) -> None:
    client = cloud.client('cloudformation')
    resources = {'A': condition(2), 'B': VPC}
    client.create_stack(StackName=stack.name, TemplateBody=body(resources))
    until(lambda: 'B' in stack.ids(), 'the other resource while it waits')
    client.signal_resource(StackName=stack.name, LogicalResourceId='A', UniqueId='one', Status='SUCCESS')
    # A signal that comes again counts once.
    client.signal_resource(StackName=stack.name, LogicalResourceId='A', UniqueId='one', Status='SUCCESS')
    with refused('ValidationError', 'not waiting'):
        client.signal_resource(StackName=stack.name, LogicalResourceId='B', UniqueId='one', Status='SUCCESS')
    client.signal_resource(StackName=stack.name, LogicalResourceId='A', UniqueId='two', Status='SUCCESS')
    assert stack.settled() == 'CREATE_COMPLETE'
    with refused('ValidationError'):
        client.signal_resource(StackName=stack.name, LogicalResourceId='A', UniqueId='late', Status='SUCCESS')
    assert stack.update({**resources, 'C': {**VPC, 'Properties': {'CidrBlock': '10.8.0.0/16'}}}) == 'UPDATE_COMPLETE'


def test_a_signal_that_comes_before_its_turn_counts(cloud: Cloud, stack: Stack) -> None:
    client = cloud.client('cloudformation')
    # The first keeps the second from its turn.
    client.create_stack(StackName=stack.name, TemplateBody=body({'A': condition(1), 'B': condition(1)}))
    until(lambda: 'A' in str(client.describe_stack_events(StackName=stack.name)), 'the first waits')
    for name in ('B', 'A'):
        client.signal_resource(StackName=stack.name, LogicalResourceId=name, UniqueId='one', Status='SUCCESS')
    assert stack.settled() == 'CREATE_COMPLETE'


def test_without_its_signals_the_stack_fails(stack: Stack) -> None:
    assert stack.create({'A': condition(2, 'PT1S'), 'B': VPC}) == 'ROLLBACK_COMPLETE'
    assert 'Received 0 conditions when expecting 2' in stack.reasons()
