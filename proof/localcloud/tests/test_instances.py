"""Instances: states, protection, DryRun, placement groups, events."""

import json
import time
from collections.abc import Callable
from datetime import datetime, timezone

from conftest import Cloud, Network, instance_state, unique, until
from errors import refused

Make = Callable[..., str]


def test_dry_run_does_nothing(cloud: Cloud, instance: Make) -> None:
    host = instance()
    with refused('DryRunOperation'):
        cloud.client('ec2').terminate_instances(InstanceIds=[host], DryRun=True)
    assert instance_state(cloud, host) == 'running'


def test_states_are_final_and_recorded(cloud: Cloud, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance()
    ec2.terminate_instances(InstanceIds=[host])
    with refused('IncorrectInstanceState', host):
        ec2.start_instances(InstanceIds=[host])
    until(lambda: instance_state(cloud, host) == 'terminated', 'terminated')
    ec2.terminate_instances(InstanceIds=[host])
    states = [one['to'] for one in cloud.history(kind='instance', id=host)]
    assert states == ['pending', 'running', 'shutting-down', 'terminated']


def test_when_an_instance_began_to_end_is_told_in_whole_seconds(cloud: Cloud, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance()

    def reason() -> str:
        found = ec2.describe_instances(InstanceIds=[host])['Reservations'][0]['Instances'][0]
        return str(found.get('StateTransitionReason', ''))

    assert reason() == ''
    before = int(time.time())
    ec2.stop_instances(InstanceIds=[host])
    until(lambda: instance_state(cloud, host) == 'stopped', 'stopped')
    told = datetime.strptime(reason(), 'User initiated (%Y-%m-%d %H:%M:%S GMT)').replace(tzinfo=timezone.utc)
    assert before <= told.timestamp() <= time.time()
    ec2.start_instances(InstanceIds=[host])
    until(lambda: instance_state(cloud, host) == 'running', 'running')
    assert reason() == ''


def test_termination_protection(cloud: Cloud, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance(DisableApiTermination=True)
    with refused('OperationNotPermitted', host):
        ec2.terminate_instances(InstanceIds=[host])
    ec2.modify_instance_attribute(InstanceId=host, DisableApiTermination={'Value': False})
    ec2.terminate_instances(InstanceIds=[host])


def test_cluster_groups_take_only_types_that_support_them(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    group = unique('group')
    ec2.create_placement_group(GroupName=group, Strategy='cluster')
    with refused('InvalidParameterCombination', 't3.large'):
        instance(InstanceType='t3.large', Placement={'GroupName': group})
    with refused('InvalidPlacementGroup.Unknown', 'nowhere'):
        instance(Placement={'GroupName': 'nowhere'})
    instance(InstanceType='c3.8xlarge', Placement={'GroupName': group})


def test_launch_templates_are_resolved(cloud: Cloud, network: Network, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    data = {
        'ImageId': 'resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-6.1-x86_64',
        'InstanceType': 'm6i.xlarge',
        'MetadataOptions': {'HttpTokens': 'required'},
        'BlockDeviceMappings': [{'DeviceName': '/dev/xvda', 'Ebs': {'VolumeSize': 33, 'Encrypted': True}}],
    }
    template = ec2.create_launch_template(LaunchTemplateName=unique('t'), LaunchTemplateData=data)
    identity = template['LaunchTemplate']['LaunchTemplateId']
    made = ec2.run_instances(
        MinCount=1, MaxCount=1, SubnetId=network.subnet, LaunchTemplate={'LaunchTemplateId': identity}
    )['Instances'][0]
    assert made['InstanceType'] == 'm6i.xlarge'
    assert made['ImageId'].startswith('ami-')
    assert made['MetadataOptions']['HttpTokens'] == 'required'
    root = made['BlockDeviceMappings'][0]['Ebs']['VolumeId']
    wanted = [{'Name': 'attachment.instance-id', 'Values': [made['InstanceId']]}]
    found = until(lambda: ec2.describe_volumes(Filters=wanted)['Volumes'], 'the root volume shown')[0]
    assert (found['VolumeId'], found['Size'], found['Encrypted']) == (root, 33, True)
    ec2.terminate_instances(InstanceIds=[made['InstanceId']])


def test_spot_instances_are_told_apart_and_end_rather_than_stop(cloud: Cloud, instance: Make) -> None:
    ec2 = cloud.client('ec2')
    host = instance(InstanceMarketOptions={'MarketType': 'spot', 'SpotOptions': {'MaxPrice': '0.25'}})
    found = ec2.describe_instances(InstanceIds=[host])['Reservations'][0]['Instances'][0]
    assert found['InstanceLifecycle'] == 'spot'
    assert found['SpotInstanceRequestId'].startswith('sir-')
    with refused('UnsupportedOperation', 'one-time Spot Instance request'):
        ec2.stop_instances(InstanceIds=[host])
    other = ec2.describe_instances(InstanceIds=[instance()])['Reservations'][0]['Instances'][0]
    assert 'InstanceLifecycle' not in other


def test_unknown_ways_to_launch_are_refused(cloud: Cloud, instance: Make) -> None:
    with refused('UnsupportedOperation', 'HibernationOptions'):
        instance(HibernationOptions={'Configured': True})
    with refused('InvalidAMIID.Malformed', 'ami-nope'):
        instance(ImageId='ami-nope')


def test_state_changes_reach_eventbridge_in_order(cloud: Cloud, instance: Make) -> None:
    sqs, events = cloud.client('sqs'), cloud.client('events')
    name = unique('states')
    url = sqs.create_queue(QueueName=name)['QueueUrl']
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=['QueueArn'])['Attributes']['QueueArn']
    pattern = {'source': ['aws.ec2'], 'detail-type': ['EC2 Instance State-change Notification']}
    events.put_rule(Name=name, EventPattern=json.dumps(pattern))
    events.put_targets(Rule=name, Targets=[{'Id': 'q', 'Arn': arn}])
    host = instance()
    seen: list[str] = []

    def both() -> bool:
        for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get('Messages', []):
            detail = json.loads(message['Body'])['detail']
            if detail['instance-id'] == host:
                seen.append(detail['state'])
        return len(seen) >= 2

    until(both, 'both events')
    assert seen == ['pending', 'running']
    events.remove_targets(Rule=name, Ids=['q'])
    events.delete_rule(Name=name)
