"""Functions that look after data: shared volumes outlive their nodes, and snapshots are not forgotten."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from slot_tier import BUNDLES, zipped

from conftest import Cloud, unique, until, volume_state

pytestmark = pytest.mark.skipif(
    not all((BUNDLES / name / 'index.js').exists() for name in ('attachment-keeper', 'snapshot-age')),
    reason='the functions are not bundled (npm run bundle)',
)
Make = Callable[..., str]


def function(cloud: Cloud, bundle: str, **variables: str) -> Callable[[], Any]:
    """A function of the package; calling it gives what it answers."""
    client, name = cloud.client('lambda'), unique(bundle)
    client.create_function(
        FunctionName=name,
        Runtime='nodejs20.x',
        Handler='index.handler',
        Role=cloud.unlimited_role(),
        Code={'ZipFile': zipped(BUNDLES / bundle / 'index.js')},
        Timeout=60,
        Environment={'Variables': variables},
    )

    def invoke() -> Any:
        answer = client.invoke(FunctionName=name, Payload=b'{"source": "aws.events"}')
        told = json.loads(answer['Payload'].read())
        assert 'FunctionError' not in answer, told
        return told

    return invoke


def test_a_shared_volume_that_would_go_with_its_nodes_is_kept(cloud: Cloud, instance: Make, volume: Make) -> None:
    ec2 = cloud.client('ec2')
    disk = volume(VolumeType='io2', Iops=1000, MultiAttachEnabled=True)
    nodes = [instance() for _ in range(2)]
    for node in nodes:
        ec2.attach_volume(VolumeId=disk, InstanceId=node, Device='/dev/sdf')
    until(lambda: {state for _, state in (volume_state(cloud, disk) or ('', []))[1]} == {'attached'}, 'all attached')

    def doomed() -> list[bool]:
        held = ec2.describe_volumes(VolumeIds=[disk])['Volumes'][0]['Attachments']
        return [bool(one['DeleteOnTermination']) for one in held]

    for node in nodes:
        ec2.modify_instance_attribute(InstanceId=node, BlockDeviceMappings=[{'DeviceName': '/dev/sdf'}])
    until(lambda: doomed() == [True, True], 'both to be doomed')
    keeper = function(cloud, 'attachment-keeper', CLUSTER_TAG='c', VOLUMES=f'{disk},vol-0gone', INTERFACES='eni-0gone')
    assert keeper() == {'did': 'looked'}
    until(lambda: doomed() == [False, False], 'both to be kept')
    ec2.terminate_instances(InstanceIds=nodes)
    until(lambda: volume_state(cloud, disk) == ('available', []), 'the volume to outlive them')


def test_the_age_of_snapshots_is_that_of_the_newest_complete_set(cloud: Cloud, volume: Make) -> None:
    ec2, tag = cloud.client('ec2'), unique('tier')
    disks = [volume(), volume()]
    age = function(cloud, 'snapshot-age', TIER_TAG=tag, VOLUMES=','.join(disks), SNAPSHOT_TAG_KEY='backup-of')
    assert 0 <= age()['ageSeconds'] < 600
    for disk in disks:
        tags = [{'ResourceType': 'snapshot', 'Tags': [{'Key': 'backup-of', 'Value': tag}]}]
        ec2.create_snapshot(VolumeId=disk, TagSpecifications=tags)
    assert 0 <= age()['ageSeconds'] < 600
