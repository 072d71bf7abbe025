"""CloudFormation: what is not implemented fails loudly, what is retained stays, what must be replaced is."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Cloud, Network, instance_state, unique, until, volume_state
from errors import refused
from stacks import Resources, Stack


@pytest.fixture
def stack(cloud: Cloud) -> Iterator[Stack]:
    made = Stack(cloud)
    yield made
    made.delete()


def disk(**more: Any) -> Resources:
    tags = [{'Key': 'Name', 'Value': 'disk'}]
    properties = {'AvailabilityZone': 'us-east-1a', 'Size': 10, 'VolumeType': 'gp3', 'Tags': tags, **more}
    return {'Type': 'AWS::EC2::Volume', 'Properties': properties}


def test_an_unknown_property_fails_and_is_named(stack: Stack) -> None:
    assert stack.create({'Disk': disk(OutpostArn='arn:x')}) == 'ROLLBACK_COMPLETE'
    expected = 'AWS::EC2::Volume property OutpostArn (logical id Disk) is not implemented by the embedded AWS'
    assert expected in stack.reasons()


@pytest.mark.parametrize(
    ('kind', 'properties', 'named'),
    [
        ('AWS::SQS::Queue', {'MadeUp': 'x'}, 'AWS::SQS::Queue property MadeUp (logical id One)'),
        ('AWS::EC2::LaunchTemplate', {'LaunchTemplateData': {'RamDiskId': 'x'}}, 'LaunchTemplateData.RamDiskId'),
        ('AWS::AutoScaling::AutoScalingGroup', {'InstanceMaintenancePolicy': {}}, 'InstanceMaintenancePolicy'),
    ],
)
def test_what_is_missing_is_never_silent(stack: Stack, kind: str, properties: Resources, named: str) -> None:
    assert stack.create({'One': {'Type': kind, 'Properties': properties}}) == 'ROLLBACK_COMPLETE'
    assert named in stack.reasons()


def test_an_unknown_type_is_refused(stack: Stack) -> None:
    with refused('ValidationError', 'AWS::SageMaker::Model'):
        stack.create({'One': {'Type': 'AWS::SageMaker::Model', 'Properties': {}}})


def test_retained_volumes_survive_their_stack(cloud: Cloud, stack: Stack) -> None:
    kept = {**disk(), 'DeletionPolicy': 'Retain', 'UpdateReplacePolicy': 'Retain'}
    assert stack.create({'Kept': kept, 'Gone': disk()}) == 'CREATE_COMPLETE'
    ids = stack.ids()
    stack.delete()
    assert volume_state(cloud, ids['Kept']) == ('available', [])
    assert volume_state(cloud, ids['Gone']) is None


def test_changes_in_place(cloud: Cloud, stack: Stack) -> None:
    assert stack.create({'Disk': disk()}) == 'CREATE_COMPLETE'
    first = stack.ids()['Disk']
    assert stack.update({'Disk': disk(Size=20, Iops=4000)}) == 'UPDATE_COMPLETE'
    assert stack.ids()['Disk'] == first
    shown = cloud.client('ec2').describe_volumes(VolumeIds=[first])['Volumes'][0]
    assert (shown['Size'], shown['Iops']) == (20, 4000)
    tags = {tag['Key']: tag['Value'] for tag in shown['Tags']}
    assert tags['Name'] == 'disk'
    assert tags['aws:cloudformation:logical-id'] == 'Disk'


def test_a_failed_update_goes_back(cloud: Cloud, stack: Stack) -> None:
    assert stack.create({'Disk': disk()}) == 'CREATE_COMPLETE'
    assert stack.update({'Disk': disk(Size=5)}) == 'UPDATE_ROLLBACK_COMPLETE'
    found = cloud.client('ec2').describe_volumes(VolumeIds=[stack.ids()['Disk']])['Volumes'][0]
    assert found['Size'] == 10


def test_a_record_is_in_its_zone_and_leaves_the_one_it_moves_from(cloud: Cloud, stack: Stack) -> None:
    zones: Resources = {
        name: {'Type': 'AWS::Route53::HostedZone', 'Properties': {'Name': 'corp.example.com'}} for name in ('A', 'B')
    }

    def record(zone: str, name: str = 'files.corp.example.com') -> Resources:
        properties = {'HostedZoneId': {'Ref': zone}, 'Name': name, 'Type': 'A', 'TTL': '60'}
        return {'Type': 'AWS::Route53::RecordSet', 'Properties': {**properties, 'ResourceRecords': ['10.0.0.1']}}

    def records(zone: str) -> list[str]:
        found = cloud.client('route53').list_resource_record_sets(HostedZoneId=stack.ids()[zone])
        return [one['Name'] for one in found['ResourceRecordSets'] if one['Type'] == 'A']

    assert stack.create({**zones, 'Name': record('A')}) == 'CREATE_COMPLETE'
    for zone, left in (('B', 'A'), ('A', 'B')):
        assert stack.update({**zones, 'Name': record(zone)}) == 'UPDATE_COMPLETE'
        assert (records(zone), records(left)) == (['files.corp.example.com.'], [])
    assert stack.update({**zones, 'Name': record('A', 'files.other.example.com')}) == 'UPDATE_ROLLBACK_COMPLETE'
    assert 'is not permitted in zone corp.example.com.' in stack.reasons()
    assert records('A') == ['files.corp.example.com.']


def test_interfaces_attachments_and_instances(cloud: Cloud, network: Network, stack: Stack) -> None:
    resources = {
        'Host': {
            'Type': 'AWS::EC2::Instance',
            'Properties': {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'SubnetId': network.subnet},
        },
        'Interface': {
            'Type': 'AWS::EC2::NetworkInterface',
            'Properties': {'SubnetId': network.subnet, 'PrivateIpAddress': '10.9.2.9', 'GroupSet': [network.group]},
        },
        'Attached': {
            'Type': 'AWS::EC2::NetworkInterfaceAttachment',
            'Properties': {
                'InstanceId': {'Ref': 'Host'},
                'NetworkInterfaceId': {'Ref': 'Interface'},
                'DeviceIndex': '1',
            },
        },
        'Disk': disk(),
        'Mounted': {
            'Type': 'AWS::EC2::VolumeAttachment',
            'Properties': {'InstanceId': {'Ref': 'Host'}, 'VolumeId': {'Ref': 'Disk'}, 'Device': '/dev/sdf'},
        },
    }
    assert stack.create(resources) == 'CREATE_COMPLETE'
    ids = stack.ids()
    assert volume_state(cloud, ids['Disk']) == ('in-use', [(ids['Host'], 'attached')])
    stack.delete()
    assert instance_state(cloud, ids['Host']) == 'terminated'
    assert volume_state(cloud, ids['Disk']) is None
    left = cloud.client('ec2').describe_network_interfaces(
        Filters=[{'Name': 'private-ip-address', 'Values': ['10.9.2.9']}]
    )
    assert left['NetworkInterfaces'] == []


def test_properties_that_ministack_drops_are_put_in_place(cloud: Cloud, stack: Stack) -> None:
    resources = {
        'Table': {
            'Type': 'AWS::DynamoDB::Table',
            'Properties': {
                'KeySchema': [{'AttributeName': 'k', 'KeyType': 'HASH'}],
                'AttributeDefinitions': [{'AttributeName': 'k', 'AttributeType': 'S'}],
                'BillingMode': 'PAY_PER_REQUEST',
                'PointInTimeRecoverySpecification': {'PointInTimeRecoveryEnabled': True},
                'TimeToLiveSpecification': {'AttributeName': 'ttl', 'Enabled': True},
                'SSESpecification': {'SSEEnabled': True, 'SSEType': 'KMS'},
            },
        }
    }
    assert stack.create(resources) == 'CREATE_COMPLETE'
    table = stack.ids()['Table']
    client = cloud.client('dynamodb')
    backups = client.describe_continuous_backups(TableName=table)['ContinuousBackupsDescription']
    assert backups['PointInTimeRecoveryDescription']['PointInTimeRecoveryStatus'] == 'ENABLED'
    assert client.describe_time_to_live(TableName=table)['TimeToLiveDescription']['AttributeName'] == 'ttl'
    assert client.describe_table(TableName=table)['Table']['SSEDescription']['SSEType'] == 'KMS'


def test_a_group_leaves_through_its_hooks(cloud: Cloud, network: Network, stack: Stack) -> None:
    hook = {
        'LifecycleHookName': 'end',
        'LifecycleTransition': 'autoscaling:EC2_INSTANCE_TERMINATING',
        'HeartbeatTimeout': 30,
        'DefaultResult': 'CONTINUE',
    }
    resources = {
        'Template': {
            'Type': 'AWS::EC2::LaunchTemplate',
            'Properties': {'LaunchTemplateData': {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}},
        },
        'Group': {
            'Type': 'AWS::AutoScaling::AutoScalingGroup',
            'Properties': {
                'MinSize': '1',
                'MaxSize': '1',
                'VPCZoneIdentifier': [network.subnet],
                'LaunchTemplate': {'LaunchTemplateId': {'Ref': 'Template'}, 'Version': '1'},
                'LifecycleHookSpecificationList': [hook],
            },
        },
    }
    assert stack.create(resources) == 'CREATE_COMPLETE'
    group = stack.ids()['Group']
    client = cloud.client('autoscaling')

    def members() -> dict[str, str]:
        found = client.describe_auto_scaling_groups(AutoScalingGroupNames=[group])['AutoScalingGroups']
        return {one['InstanceId']: one['LifecycleState'] for g in found for one in g['Instances']}

    until(lambda: 'InService' in members().values(), 'in service')
    cloud.client('cloudformation').delete_stack(StackName=stack.name)
    until(lambda: 'Terminating:Wait' in members().values(), 'waiting for its hook')
    client.complete_lifecycle_action(
        AutoScalingGroupName=group,
        LifecycleHookName='end',
        InstanceId=next(iter(members())),
        LifecycleActionResult='CONTINUE',
    )
    until(lambda: not members(), 'gone')


def test_what_an_update_says_nothing_of_keeps_its_attributes(cloud: Cloud, stack: Stack) -> None:
    def address(name: str) -> Resources:
        return {'Type': 'AWS::EC2::EIP', 'Properties': {'Domain': 'vpc', 'Tags': [{'Key': 'Name', 'Value': name}]}}

    outputs = {'Allocation': {'Fn::GetAtt': ['Address', 'AllocationId']}}
    assert stack.create({'Address': address('one')}, outputs) == 'CREATE_COMPLETE'
    before = stack.outputs()
    assert stack.update({'Address': address('two')}, outputs) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.outputs() == before


def test_a_group_tells_its_topic_of_launches(cloud: Cloud, network: Network, stack: Stack) -> None:
    topic = cloud.client('sns').create_topic(Name=unique('alarms'))['TopicArn']
    queue = cloud.client('sqs').create_queue(QueueName=unique('alarms'))['QueueUrl']
    target = cloud.client('sqs').get_queue_attributes(QueueUrl=queue, AttributeNames=['QueueArn'])['Attributes']
    cloud.client('sns').subscribe(TopicArn=topic, Protocol='sqs', Endpoint=target['QueueArn'])
    resources: Resources = {
        'Template': {
            'Type': 'AWS::EC2::LaunchTemplate',
            'Properties': {'LaunchTemplateData': {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}},
        },
        'Group': {
            'Type': 'AWS::AutoScaling::AutoScalingGroup',
            'Properties': {
                'MinSize': '1',
                'MaxSize': '1',
                'VPCZoneIdentifier': [network.subnet],
                'LaunchTemplate': {
                    'LaunchTemplateId': {'Ref': 'Template'},
                    'Version': {'Fn::GetAtt': ['Template', 'LatestVersionNumber']},
                },
                'NotificationConfigurations': [
                    {'TopicARN': topic, 'NotificationTypes': ['autoscaling:EC2_INSTANCE_LAUNCH']}
                ],
            },
        },
    }
    assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
    seen: list[str] = []

    def told() -> bool:
        got = cloud.client('sqs').receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
        bodies = [json.loads(json.loads(one['Body'])['Message']) for one in got.get('Messages', [])]
        seen.extend(one['Event'] for one in bodies)
        return 'autoscaling:EC2_INSTANCE_LAUNCH' in seen

    until(told, 'the notification')
    assert 'autoscaling:TEST_NOTIFICATION' in seen

    gone = {**resources['Group']['Properties'], 'NotificationConfigurations': [{'TopicARN': f'{topic}-none'}]}
    assert stack.update({**resources, 'Group': {**resources['Group'], 'Properties': gone}}) != 'UPDATE_COMPLETE'
    assert 'does not exist' in stack.reasons()


def test_a_group_with_a_generated_name_is_updated_in_place(cloud: Cloud, network: Network, stack: Stack) -> None:
    def resources(cooldown: str) -> Resources:
        return {
            'Template': {
                'Type': 'AWS::EC2::LaunchTemplate',
                'Properties': {'LaunchTemplateData': {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large'}},
            },
            'Group': {
                'Type': 'AWS::AutoScaling::AutoScalingGroup',
                'Properties': {
                    'MinSize': '1',
                    'MaxSize': '1',
                    'Cooldown': cooldown,
                    'VPCZoneIdentifier': [network.subnet],
                    'LaunchTemplate': {
                        'LaunchTemplateId': {'Ref': 'Template'},
                        'Version': {'Fn::GetAtt': ['Template', 'LatestVersionNumber']},
                    },
                },
            },
        }

    outputs = {'Name': {'Ref': 'Group'}}
    assert stack.create(resources('60'), outputs) == 'CREATE_COMPLETE', stack.reasons()
    before = stack.outputs()
    assert stack.update(resources('90'), outputs) == 'UPDATE_COMPLETE', stack.reasons()
    assert stack.outputs() == before
