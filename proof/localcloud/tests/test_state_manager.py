"""AWS::SSM::Association on a stack: made, changed and deleted, and applied to an instance by its tag."""

from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, start_cloud, stop_cloud, until
from errors import refused
from stacks import Stack


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    running = start_cloud(
        tmp_path_factory.mktemp('manager') / 'state', environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'}
    )
    yield running
    stop_cloud(running)


def resources(words: str, **more: Any) -> dict[str, Any]:
    step = {
        'action': 'aws:runShellScript',
        'name': 'note',
        'inputs': {'runCommand': [f'echo {words} >>"$SAS_GRID_ROOT/noted"']},
    }
    return {
        'Document': {
            'Type': 'AWS::SSM::Document',
            'Properties': {
                'DocumentType': 'Command',
                'UpdateMethod': 'NewVersion',
                'Content': {'schemaVersion': '2.2', 'mainSteps': [step]},
            },
        },
        'Association': {
            'Type': 'AWS::SSM::Association',
            'Properties': {
                'Name': {'Ref': 'Document'},
                'DocumentVersion': '$LATEST',
                'AssociationName': 'notes',
                'Targets': [{'Key': 'tag:role', 'Values': ['server']}],
                'ComplianceSeverity': 'HIGH',
                **more,
            },
        },
    }


def test_a_stack_applies_a_document_to_what_has_the_tag(cloud: Cloud) -> None:
    ec2, ssm, stack = cloud.client('ec2'), cloud.client('ssm'), Stack(cloud)
    vpc = ec2.create_vpc(CidrBlock='10.6.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.6.0.0/24', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    tags = [{'ResourceType': 'instance', 'Tags': [{'Key': 'role', 'Value': 'server'}]}]
    wanted = {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': subnet}
    instance = ec2.run_instances(MinCount=1, MaxCount=1, TagSpecifications=tags, **wanted)['Instances'][0]['InstanceId']
    file = cloud.state / 'hosts' / instance / 'noted'

    def noted() -> list[str]:
        return file.read_text().split() if file.exists() else []

    until(lambda: ssm.describe_instance_information()['InstanceInformationList'], 'the agent')
    stack.create(resources('first', ScheduleExpression='rate(1 day)', WaitForSuccessTimeoutSeconds=30))
    assert noted() == ['first']
    found = ssm.list_associations()['Associations']
    assert [(one['AssociationName'], one['ScheduleExpression']) for one in found] == [('notes', 'rate(1 day)')]
    identity = found[0]['AssociationId']
    assert stack.ids()['Association'] == identity

    stack.update(resources('first', ScheduleExpression='rate(2 days)'))
    until(lambda: noted() == ['first', 'first'], 'it is applied when it changes')
    stack.update(resources('second', ScheduleExpression='rate(2 days)'))
    until(lambda: noted() == ['first', 'first', 'second'], 'it is applied when its document changes')
    assert ssm.describe_association(AssociationId=identity)['AssociationDescription']['AssociationVersion'] == '2'
    quiet = {'ScheduleExpression': 'cron(0 2 ? * SUN *)', 'ApplyOnlyAtCronInterval': True}
    stack.update(resources('second', **quiet))
    ssm.start_associations_once(AssociationIds=[identity])
    until(lambda: len(noted()) == 4, 'it is applied when somebody asks')

    stack.delete()
    assert ssm.list_associations()['Associations'] == []
    with pytest.raises(ssm.exceptions.AssociationDoesNotExist):
        ssm.describe_association(AssociationId=identity)
    assert noted() == ['first', 'first', 'second', 'second']


def test_a_stack_whose_first_run_fails_is_not_made(cloud: Cloud) -> None:
    stack = Stack(cloud)
    made = resources('x; exit 1', WaitForSuccessTimeoutSeconds=30)
    assert stack.create(made) == 'ROLLBACK_COMPLETE'
    assert 'did not succeed within 30 s; its status: Failed' in stack.reasons()
    assert cloud.client('ssm').list_associations()['Associations'] == []
    stack.delete()


def test_a_document_that_is_replaced_takes_its_versions_along(cloud: Cloud) -> None:
    ssm, stack = cloud.client('ssm'), Stack(cloud)

    def document(words: str, **more: Any) -> dict[str, Any]:
        made = resources(words)['Document']
        return {'Document': {**made, 'Properties': {**made['Properties'], 'UpdateMethod': 'Replace', **more}}}

    assert stack.create(document('one')) == 'CREATE_COMPLETE'
    first = stack.ids()['Document']
    assert stack.update(document('two')) == 'UPDATE_COMPLETE'
    second = stack.ids()['Document']
    assert second != first
    assert 'echo two' in ssm.get_document(Name=second)['Content']
    with refused('InvalidDocument', first):
        ssm.get_document(Name=first)
    # One that keeps its name gets a version more instead.
    assert stack.update(document('three', UpdateMethod='NewVersion')) == 'UPDATE_COMPLETE'
    assert stack.ids()['Document'] == second
    assert ssm.get_document(Name=second)['DocumentVersion'] == '2'
    stack.delete()
