"""Nested stacks: outputs, limits, updates, and above all what stays when something fails or goes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, Network, unique, until
from stacks import Resources, Stack

VOLUME = {
    'Type': 'AWS::EC2::Volume',
    'DeletionPolicy': 'Retain',
    'UpdateReplacePolicy': 'Retain',
    'Properties': {'AvailabilityZone': 'us-east-1a', 'Size': 1, 'VolumeType': 'gp3'},
}
BROKEN = {**VOLUME, 'Properties': {'AvailabilityZone': 'us-east-1a', 'Size': 999999, 'VolumeType': 'gp3'}}
BUCKET = 'nested-templates'


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def nested(cloud: Cloud, resources: Resources, parameters: dict[str, Any] | None = None, **more: Any) -> Resources:
    """The resource of the parent, whose template is put where CDK puts it."""
    names = list(resources)
    template = {
        'Parameters': {name: {'Type': 'String'} for name in parameters or {}},
        'Resources': resources,
        'Outputs': {name: {'Value': {'Ref': name}} for name in names[:200]},
        **more,
    }
    s3 = cloud.client('s3')
    s3.create_bucket(Bucket=BUCKET)
    key = f'{unique("template")}.json'
    s3.put_object(Bucket=BUCKET, Key=key, Body=json.dumps(template).encode())
    properties: dict[str, Any] = {'TemplateURL': f'https://s3.us-east-1.amazonaws.com/{BUCKET}/{key}'}
    if parameters:
        properties['Parameters'] = parameters
    return {'Type': 'AWS::CloudFormation::Stack', 'Properties': properties}


def child_of(cloud: Cloud, stack: Stack, logical_id: str = 'More') -> dict[str, Any]:
    found = cloud.client('cloudformation').describe_stacks(StackName=stack.ids()[logical_id])['Stacks'][0]
    return dict(found)


def state_of(cloud: Cloud, volume_id: str) -> str:
    return str(cloud.client('ec2').describe_volumes(VolumeIds=[volume_id])['Volumes'][0]['State'])


def tier(volumes: int, interface: str | None = None, **more: Any) -> Resources:
    made: Resources = {f'V{number}': VOLUME for number in range(volumes)}
    if interface:
        made['Nic'] = {'Type': 'AWS::EC2::NetworkInterface', 'Properties': {'SubnetId': interface}}
    return {**made, **more}


def test_outputs_parameters_and_ids_are_as_on_aws(cloud: Cloud, stack: Stack) -> None:
    properties = {**VOLUME['Properties'], 'Size': {'Ref': 'Size'}}  # type: ignore[dict-item]
    inner = {'V': {**VOLUME, 'Properties': properties}}
    resources = {'More': nested(cloud, inner, {'Size': 3})}
    outputs = {'Volume': {'Fn::GetAtt': ['More', 'Outputs.V']}, 'Stack': {'Ref': 'More'}}
    assert stack.create(resources, outputs) == 'CREATE_COMPLETE', stack.reasons()
    volume, stack_id = stack.outputs()['Volume'], stack.outputs()['Stack']
    assert cloud.client('ec2').describe_volumes(VolumeIds=[volume])['Volumes'][0]['Size'] == 3
    child = child_of(cloud, stack)
    assert child['StackId'] == stack_id
    assert child['StackName'].startswith(f'{stack.name}-More-')
    assert child['StackStatus'] == 'CREATE_COMPLETE'


def test_a_deleted_stack_leaves_what_its_nested_stack_retains(cloud: Cloud, network: Network) -> None:
    stack = Stack(cloud)
    outputs = {'Volume': {'Fn::GetAtt': ['More', 'Outputs.V0']}, 'Nic': {'Fn::GetAtt': ['More', 'Outputs.Nic']}}
    assert stack.create({'More': nested(cloud, tier(1, network.subnet))}, outputs) == 'CREATE_COMPLETE', stack.reasons()
    told, child = stack.outputs(), child_of(cloud, stack)
    stack.delete()
    assert state_of(cloud, told['Volume']) == 'available'
    left = cloud.client('ec2').describe_network_interfaces(
        Filters=[{'Name': 'network-interface-id', 'Values': [told['Nic']]}]
    )
    assert left['NetworkInterfaces'] == []
    found = cloud.client('cloudformation').describe_stacks(StackName=child['StackId'])['Stacks'][0]
    assert found['StackStatus'] == 'DELETE_COMPLETE'


def test_growth_adds_and_changes_nothing_else(cloud: Cloud, stack: Stack) -> None:
    assert stack.create({'More': nested(cloud, tier(2))}) == 'CREATE_COMPLETE', stack.reasons()
    child = child_of(cloud, stack)
    before = volumes_of(cloud, child)
    assert stack.update({'More': nested(cloud, tier(4)), 'Again': nested(cloud, tier(1))}) == 'UPDATE_COMPLETE'
    after = child_of(cloud, stack)
    assert (after['StackId'], after['StackStatus']) == (child['StackId'], 'UPDATE_COMPLETE')
    now = volumes_of(cloud, after)
    assert {key: now[key] for key in before} == before
    assert set(now) == {'V0', 'V1', 'V2', 'V3'}


def volumes_of(cloud: Cloud, child: dict[str, Any]) -> dict[str, str]:
    found = cloud.client('cloudformation').describe_stack_resources(StackName=child['StackId'])['StackResources']
    return {one['LogicalResourceId']: one['PhysicalResourceId'] for one in found}


def test_what_an_update_removes_is_there_until_the_root_is_done(cloud: Cloud, stack: Stack, network: Network) -> None:
    """An update that takes volumes out of a nested stack and then fails is undone: with the same volumes."""
    assert stack.create({'More': nested(cloud, tier(3, network.subnet))}) == 'CREATE_COMPLETE', stack.reasons()
    before = volumes_of(cloud, child_of(cloud, stack))
    refused = {'More': nested(cloud, tier(1)), 'Refuse': {**BROKEN, 'DependsOn': 'More'}}
    assert stack.update(refused) == 'UPDATE_ROLLBACK_COMPLETE'
    assert volumes_of(cloud, child_of(cloud, stack)) == before
    assert state_of(cloud, before['V2']) == 'available'


def test_what_an_update_removes_goes_with_its_end_unless_it_is_retained(
    cloud: Cloud, stack: Stack, network: Network
) -> None:
    assert stack.create({'More': nested(cloud, tier(2, network.subnet))}) == 'CREATE_COMPLETE', stack.reasons()
    before = volumes_of(cloud, child_of(cloud, stack))
    assert stack.update({'More': nested(cloud, tier(1))}) == 'UPDATE_COMPLETE', stack.reasons()
    assert set(volumes_of(cloud, child_of(cloud, stack))) == {'V0'}
    assert state_of(cloud, before['V1']) == 'available'
    wanted = [{'Name': 'network-interface-id', 'Values': [before['Nic']]}]
    assert cloud.client('ec2').describe_network_interfaces(Filters=wanted)['NetworkInterfaces'] == []


def test_a_creation_that_fails_is_rolled_back_and_leaves_what_is_retained(cloud: Cloud) -> None:
    stack, mark = Stack(cloud), unique('mark')
    properties = {**VOLUME['Properties'], 'Tags': [{'Key': 'test', 'Value': mark}]}  # type: ignore[dict-item]
    tagged = {**VOLUME, 'Properties': properties}
    resources = {'More': nested(cloud, {'V0': tagged, 'Broken': {**BROKEN, 'DependsOn': 'V0'}})}
    assert stack.create(resources) == 'ROLLBACK_COMPLETE'
    assert 'was not successfully created: The following resource(s) failed to create: [Broken]' in stack.reasons()
    client = cloud.client('cloudformation')
    children = [one for one in client.describe_stacks()['Stacks'] if one['StackName'].startswith(f'{stack.name}-More-')]
    assert [one['StackStatus'] for one in children] in ([], ['DELETE_COMPLETE'])
    wanted = [{'Name': 'tag:test', 'Values': [mark]}]
    kept = cloud.client('ec2').describe_volumes(Filters=wanted)['Volumes']
    assert [one['State'] for one in kept] == ['available']
    stack.delete()


def test_without_rollback_the_next_update_goes_on_where_it_failed(cloud: Cloud, stack: Stack) -> None:
    client = cloud.client('cloudformation')
    resources = {'More': nested(cloud, tier(2, Broken={**BROKEN, 'DependsOn': ['V0', 'V1']}))}
    client.create_stack(StackName=stack.name, TemplateBody=json.dumps({'Resources': resources}), DisableRollback=True)
    assert stack.settled() == 'CREATE_FAILED'
    child = child_of(cloud, stack)
    before = volumes_of(cloud, child)
    assert (child['StackStatus'], set(before)) == ('CREATE_FAILED', {'V0', 'V1'})
    change(cloud, stack, {'More': nested(cloud, tier(3))})
    assert stack.settled() == 'UPDATE_COMPLETE', stack.reasons()
    after = child_of(cloud, stack)
    assert after['StackId'] == child['StackId']
    now = volumes_of(cloud, after)
    assert (now['V0'], now['V1'], set(now)) == (before['V0'], before['V1'], {'V0', 'V1', 'V2'})


def change(cloud: Cloud, stack: Stack, resources: Resources) -> None:
    """By a change set, as cdk does after a failure without rollback."""
    client, name = cloud.client('cloudformation'), unique('change')
    client.create_change_set(
        StackName=stack.name,
        ChangeSetName=name,
        ChangeSetType='UPDATE',
        TemplateBody=json.dumps({'Resources': resources}),
    )
    ready = ('CREATE_COMPLETE', 'FAILED')
    until(
        lambda: client.describe_change_set(StackName=stack.name, ChangeSetName=name)['Status'] in ready,
        'change set',
        10,
    )
    client.execute_change_set(StackName=stack.name, ChangeSetName=name, DisableRollback=True)


@pytest.mark.parametrize(
    ('what', 'resources', 'more', 'says'),
    [
        ('501 resources', tier(501), {'Outputs': {}}, 'Number of resources, 501, is greater than maximum allowed, 500'),
        (
            '201 outputs',
            tier(1),
            {'Outputs': {f'O{number}': {'Value': 'x'} for number in range(201)}},
            'Number of outputs, 201, is greater than maximum allowed, 200',
        ),
        (
            '201 parameters',
            tier(1),
            {'Parameters': {f'P{number}': {'Type': 'String', 'Default': 'x'} for number in range(201)}},
            'Number of parameters, 201, is greater than maximum allowed, 200',
        ),
        ('more than 1 MB', tier(1), {'Metadata': {'x': 'x' * 1_000_000}}, 'may not exceed 1000000 bytes'),
        ('an unknown type', {'X': {'Type': 'AWS::No::Such'}}, {'Outputs': {}}, 'AWS::No::Such'),
        ('a parameter without a value', tier(1), {'Parameters': {'P': {'Type': 'String'}}}, 'P'),
    ],
)
def test_limits_are_those_of_cloudformation(
    cloud: Cloud, what: str, resources: Resources, more: dict[str, Any], says: str
) -> None:
    stack = Stack(cloud)
    assert stack.create({'More': nested(cloud, resources, **more)}) == 'ROLLBACK_COMPLETE', what
    assert says in stack.reasons()
    stack.delete()


def test_a_parameter_that_the_template_lacks_is_refused(cloud: Cloud) -> None:
    stack = Stack(cloud)
    assert stack.create({'More': nested(cloud, tier(1), {'Known': 'x'})}) == 'CREATE_COMPLETE', stack.reasons()
    resources = {'More': nested(cloud, tier(1))}
    resources['More']['Properties']['Parameters'] = {'Unknown': 'x'}
    assert stack.update(resources) == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'Parameters: [Unknown] do not exist in the template' in stack.reasons()
    stack.delete()
