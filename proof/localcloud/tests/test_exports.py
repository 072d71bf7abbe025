"""What a stack exports and another imports stays as it is."""

from collections.abc import Iterator

import pytest

from conftest import Cloud, unique
from errors import refused
from stacks import Resources, Stack


def queue(retention: int = 60) -> Resources:
    return {'Queue': {'Type': 'AWS::SQS::Queue', 'Properties': {'MessageRetentionPeriod': retention}}}


def exported(name: str, value: object) -> Resources:
    return {'Out': {'Value': value, 'Export': {'Name': name}}}


def importing(name: str) -> Resources:
    parameter = {'Type': 'String', 'Value': {'Fn::ImportValue': name}}
    return {'Imported': {'Type': 'AWS::SSM::Parameter', 'Properties': parameter}}


@pytest.fixture
def pair(cloud: Cloud) -> Iterator[tuple[Stack, Stack, str]]:
    """A stack that exports, one that imports it, and the export's name."""
    producer, consumer, name = Stack(cloud), Stack(cloud), unique('export')
    assert producer.create(queue(), exported(name, 'one')) == 'CREATE_COMPLETE'
    assert consumer.create(importing(name)) == 'CREATE_COMPLETE', consumer.reasons()
    yield producer, consumer, name
    consumer.delete()
    producer.delete()


@pytest.mark.parametrize(
    ('what', 'outputs'),
    [
        ('delete', lambda name: {}),
        ('delete', lambda name: exported(f'{name}-renamed', 'one')),
        ('update', lambda name: exported(name, 'two')),
    ],
)
def test_what_is_imported_is_not_dropped_renamed_or_changed(
    cloud: Cloud, pair: tuple[Stack, Stack, str], what: str, outputs: object
) -> None:
    producer, consumer, name = pair
    assert callable(outputs)
    assert producer.update(queue(120), outputs(name)) == 'UPDATE_ROLLBACK_COMPLETE'
    expected = f'Update canceled. Cannot {what} export {name} as it is in use by {consumer.name}.'
    assert expected in producer.reasons()
    listed = {one['Name']: one['Value'] for one in cloud.client('cloudformation').list_exports()['Exports']}
    assert listed[name] == 'one'
    # What the update had changed is as before.
    shown = cloud.client('sqs').get_queue_attributes(
        QueueUrl=producer.ids()['Queue'], AttributeNames=['MessageRetentionPeriod']
    )
    assert shown['Attributes']['MessageRetentionPeriod'] == '60'


def test_a_stack_whose_export_is_imported_is_not_deleted(cloud: Cloud, pair: tuple[Stack, Stack, str]) -> None:
    producer, consumer, name = pair
    with refused('ValidationError', f'Cannot delete export {name} as it is in use by {consumer.name}'):
        cloud.client('cloudformation').delete_stack(StackName=producer.name)


def test_what_nobody_imports_goes_and_can_be_exported_by_another(cloud: Cloud) -> None:
    first, second, name = Stack(cloud), Stack(cloud), unique('export')
    assert first.create(queue(), exported(name, 'one')) == 'CREATE_COMPLETE'
    assert second.create(queue(), exported(name, 'two')) == 'ROLLBACK_COMPLETE'
    assert f'Export with name {name} is already exported by stack {first.name}' in second.reasons()
    assert first.update(queue(120)) == 'UPDATE_COMPLETE'
    third = Stack(cloud)
    assert third.create(importing(name)) == 'ROLLBACK_COMPLETE'
    for stack in (first, second, third):
        stack.delete()
