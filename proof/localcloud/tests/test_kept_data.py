"""Functions that look after data: shared volumes outlive their nodes, and snapshots are not forgotten."""

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from slot_tier import BUNDLES, zipped

from conftest import Cloud, unique, until, volume_state

pytestmark = pytest.mark.skipif(
    not all(
        (BUNDLES / name / 'index.js').exists() for name in ('attachment-keeper', 'snapshot-age', 'volume-map-resource')
    ),
    reason='the functions are not bundled (npm run bundle)',
)
Make = Callable[..., str]


def function(cloud: Cloud, bundle: str, **variables: str) -> Callable[..., Any]:
    """A function of the package; calling it with an event gives what it answers."""
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

    def invoke(event: Any = None) -> Any:
        payload = json.dumps(event or {'source': 'aws.events'})
        answer = client.invoke(FunctionName=name, Payload=payload.encode())
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


@pytest.fixture
def answers() -> Iterator[tuple[str, list[Any]]]:
    """Where CloudFormation's answers go, and what has come."""
    came: list[Any] = []

    class Door(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers['Content-Length']))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            pass

    door = HTTPServer(('127.0.0.1', 0), Door)
    Thread(target=door.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{door.server_port}/', came
    door.shutdown()
    door.server_close()


def test_a_stripe_of_different_moments_is_not_adopted(
    cloud: Cloud, volume: Make, answers: tuple[str, list[Any]]
) -> None:
    ec2, table, (url, came) = cloud.client('ec2'), unique('map'), answers
    keys = [{'AttributeName': 'tier', 'KeyType': 'HASH'}, {'AttributeName': 'item', 'KeyType': 'RANGE'}]
    kinds = [{'AttributeName': key['AttributeName'], 'AttributeType': 'S'} for key in keys]
    cloud.client('dynamodb').create_table(
        TableName=table, KeySchema=keys, AttributeDefinitions=kinds, BillingMode='PAY_PER_REQUEST'
    )
    taken = ec2.create_snapshot(VolumeId=volume())['SnapshotId']
    until(lambda: ec2.describe_snapshots(SnapshotIds=[taken])['Snapshots'][0]['State'] == 'completed', 'completed')
    restored, kept = volume(SnapshotId=taken), volume()
    seed = function(cloud, 'volume-map-resource')

    def adopt() -> Any:
        volumes = [{'volumeId': one, 'device': '/dev/sdf'} for one in (restored, kept)]
        slot = {'slot': 'nfs-00', 'networkInterfaceId': 'eni-0', 'address': '10.6.0.9', 'volumes': volumes}
        seed(
            {
                'RequestType': 'Create',
                'ResponseURL': url,
                'StackId': 'stack',
                'RequestId': unique('request'),
                'LogicalResourceId': 'Map',
                'ResourceProperties': {
                    'Tier': 'nfs',
                    'Table': table,
                    'StateMachineArn': 'none',
                    'TimeoutSeconds': '60',
                    'SeededFor': 'tier',
                    'Step': 'seed',
                    'Slots': [{**slot, 'adopted': 'true', 'striped': 'true'}],
                },
            }
        )
        return came[-1]['Status'], came[-1]['Reason']

    status, reason = adopt()
    assert status == 'FAILED'
    assert f'{kept} (made of no snapshot)' in reason
    assert re.search(rf'{restored} \(snap-\w+ of 20\d\d-', reason)
    ec2.create_tags(Resources=[restored, kept], Tags=[{'Key': 'cdk-sas-grid:same-moment', 'Value': restored}])
    assert adopt()[0] == 'SUCCESS'
