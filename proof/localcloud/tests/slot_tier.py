"""A tier of one NFS server: group, slot, map, and the real functions that look after it."""

import base64
import contextlib
import io
import json
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from conftest import PACKAGE_ROOT, Cloud, start_cloud, stop_cloud, unique, until
from stacks import Stack

HOST_FILES = PACKAGE_ROOT.parents[1] / 'constructs/host'
BUNDLES = PACKAGE_ROOT.parents[1] / 'build/lambda'
FUNCTIONS = ('volume-reconciler', 'health-prober')
PARTS = [
    'bin/sas-grid-bootstrap',
    'bin/sas-grid-serve',
    *(f'lib/{name}.sh' for name in ('background', 'disks', 'distro', 'log', 'mounts', 'network', 'nfs', 'pool')),
    *(f'lib/{name}.sh' for name in ('repair', 'serve-nfs', 'settings', 'slot', 'wait')),
    *(f'systemd/sas-grid-{name}' for name in ('bootstrap.service', 'slot.service', 'nfs-server.target')),
    'sysctl/90-sas-grid-slot.conf',
]
SETTINGS = {
    'SERVICE': 'nfs',
    'KIND': 'ebs',
    'VOLUMES_PER_SLOT': '1',
    'EXPORT_NAME': 'sasdata',
    'CLIENTS': '10.6.0.0/22',
}
TAG = 'cdk-sas-grid:tier'
PROGRAM = '0a1b2c3d'


needs_functions = pytest.mark.skipif(
    not all((BUNDLES / name / 'index.js').exists() for name in FUNCTIONS),
    reason='the functions are not bundled (npm run bundle)',
)


def with_hosts(state: Path) -> Iterator[Cloud]:
    """An embedded AWS whose hosts have their agent at once."""
    running = start_cloud(state, environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'})
    yield running
    stop_cloud(running)


class SlotTier:
    """The tier, as the constructs make it."""

    def __init__(self, cloud: Cloud, fallback: tuple[str, ...] = (), **of_image: Any) -> None:
        """What the image brings besides goes into the launch template.

        With fallback types the first is the tier's own, in a placement group.
        """
        self.cloud, self.name, self.fallback, self.of_image = cloud, unique('tier'), fallback, of_image
        self.ec2, self.map = cloud.client('ec2'), cloud.client('dynamodb')
        self.result: dict[str, Any] = {}
        self.started = self.placement_group = ''
        vpc = self.ec2.create_vpc(CidrBlock='10.6.0.0/16')['Vpc']['VpcId']
        made = self.ec2.create_subnet(VpcId=vpc, CidrBlock='10.6.0.0/22', AvailabilityZone='us-east-1a')
        self.subnet = made['Subnet']['SubnetId']
        tags = [{'Key': TAG, 'Value': self.name}]
        self.volume = self.ec2.create_volume(
            AvailabilityZone='us-east-1a',
            Size=10,
            VolumeType='gp3',
            TagSpecifications=[{'ResourceType': 'volume', 'Tags': tags}],
        )['VolumeId']
        interface = self.ec2.create_network_interface(
            SubnetId=self.subnet, TagSpecifications=[{'ResourceType': 'network-interface', 'Tags': tags}]
        )['NetworkInterface']
        self.interface, self.address = interface['NetworkInterfaceId'], interface['PrivateIpAddress']
        self._make_map()
        self._make_documents()
        self.stack = cloud.client('cloudformation').create_stack(StackName=self.name, TemplateBody=TEMPLATE)['StackId']
        self._make_functions()
        self._make_group()

    def _make_map(self) -> None:
        keys = [{'AttributeName': 'tier', 'KeyType': 'HASH'}, {'AttributeName': 'item', 'KeyType': 'RANGE'}]
        kinds = [{'AttributeName': key['AttributeName'], 'AttributeType': 'S'} for key in keys]
        self.map.create_table(
            TableName=self.name, KeySchema=keys, AttributeDefinitions=kinds, BillingMode='PAY_PER_REQUEST'
        )
        row = {
            'tier': 'nfs',
            'item': 'slot#nfs-00',
            'slot': 'nfs-00',
            'networkInterfaceId': self.interface,
            'address': self.address,
            'volumes': [{'volumeId': self.volume, 'device': '/dev/sdf'}],
            'epoch': 0,
            'servedEpoch': 0,
            'formatted': False,
            'released': False,
            'phase': 'vacant',
            'timeline': {},
        }
        self.map.put_item(
            TableName=self.name, Item={key: TypeSerializer().serialize(value) for key, value in row.items()}
        )

    def _make_documents(self) -> None:
        # As the constructs do it: each begins with its interpreter, and the probe says which program it is.
        program, serve = (
            (HOST_FILES / f'documents/{name}.sh').read_text().rstrip().split('\n') for name in ('probe', 'serve')
        )
        program[1:1] = [f'echo program {PROGRAM}']
        serve[1:1] = [
            'set -- --slot "{{ slot }}" --epoch "{{ epoch }}" --address "{{ address }}" --volumes "{{ volumes }}"',
            'if [ "{{ mayFormat }}" = true ]; then set -- "$@" --may-format; fi',
            'FINDING="{{ finding }}" SNAPSHOTS="{{ snapshots }}"',
        ]
        names = ('slot', 'epoch', 'address', 'volumes', 'mayFormat', 'finding', 'snapshots', 'executionTimeout')
        for name, lines, parameters in (('serve', serve, names), ('probe', program, ())):
            content = {
                'schemaVersion': '2.2',
                'description': name,
                # Which are empty, and which are told: the function knows.
                'parameters': {one: {'type': 'String', 'default': ''} for one in parameters},
                'mainSteps': [
                    {
                        'action': 'aws:runShellScript',
                        'name': name,
                        'inputs': {'timeoutSeconds': '45', 'runCommand': lines},
                    }
                ],
            }
            self.cloud.client('ssm').create_document(
                Name=f'{self.name}-{name}', Content=json.dumps(content), DocumentType='Command', DocumentFormat='JSON'
            )

    def _make_functions(self) -> None:
        common = {'TIER': 'nfs', 'TIER_TAG': self.name, 'TABLE': self.name, 'GROUP': self.name, 'SLOT_COUNT': '1'}
        names = {'SERVER_TYPE': self.fallback[:1], 'FALLBACK_TYPES': self.fallback[1:]}
        types = {name: ','.join(given) for name, given in names.items() if given}
        own = {
            'volume-reconciler': {
                'DOCUMENT': f'{self.name}-serve',
                'LAUNCH_HOOK': 'serve-slot',
                'TERMINATE_HOOK': 'let-go',
                'SPARE_SERVERS': '0',
                'RECOVERY_TIMEOUT_SECONDS': '3600',
                **types,
            },
            'health-prober': {
                'DOCUMENT': f'{self.name}-probe',
                'STACK_ID': self.stack,
                'INTERVAL_SECONDS': '60',
                'MISSES': '3',
                'PROGRAM': PROGRAM,
            },
        }
        role = self.cloud.unlimited_role()
        for function in FUNCTIONS:
            self.cloud.client('lambda').create_function(
                FunctionName=f'{self.name}-{function}',
                Runtime='nodejs20.x',
                Handler='index.handler',
                Role=role,
                Code={'ZipFile': zipped(BUNDLES / function / 'index.js')},
                Timeout=60,
                Environment={'Variables': {**common, **own[function]}},
            )

    def _launch_data(self) -> dict[str, Any]:
        user = base64.b64encode(user_data().encode()).decode()
        return {'ImageId': 'ami-12345678', 'InstanceType': 'm6i.large', 'UserData': user, **self.of_image}

    def _launches(self) -> dict[str, Any]:
        if not self.fallback:
            made = self.ec2.create_launch_template(LaunchTemplateName=self.name, LaunchTemplateData=self._launch_data())
            template = made['LaunchTemplate']['LaunchTemplateId']
            return {'LaunchTemplate': {'LaunchTemplateId': template, 'Version': '$Latest'}}
        kind, data = 'AWS::EC2::LaunchTemplate', self._launch_data()
        placed = {**data, 'Placement': {'GroupName': {'Ref': 'Cluster'}}}
        stack = Stack(self.cloud)
        resources = {
            'Cluster': {'Type': 'AWS::EC2::PlacementGroup', 'Properties': {'Strategy': 'cluster'}},
            'Inside': {'Type': kind, 'Properties': {'LaunchTemplateData': placed}},
            'Outside': {'Type': kind, 'Properties': {'LaunchTemplateData': data}},
        }
        assert stack.create(resources) == 'CREATE_COMPLETE', stack.reasons()
        ids = stack.ids()
        self.placement_group = ids['Cluster']
        inside, outside = ({'LaunchTemplateId': ids[name], 'Version': '$Latest'} for name in ('Inside', 'Outside'))
        others = [{'InstanceType': one, 'LaunchTemplateSpecification': outside} for one in self.fallback[1:]]
        return {
            'MixedInstancesPolicy': {
                'LaunchTemplate': {
                    'LaunchTemplateSpecification': inside,
                    'Overrides': [{'InstanceType': self.fallback[0]}, *others],
                },
                'InstancesDistribution': {'OnDemandAllocationStrategy': 'prioritized'},
            }
        }

    def _make_group(self) -> None:
        hook = 'autoscaling:EC2_INSTANCE_'
        hooks = (('serve-slot', 'LAUNCHING', 'ABANDON'), ('let-go', 'TERMINATING', 'CONTINUE'))
        self.cloud.client('autoscaling').create_auto_scaling_group(
            AutoScalingGroupName=self.name,
            MinSize=1,
            MaxSize=1,
            VPCZoneIdentifier=self.subnet,
            **self._launches(),
            LifecycleHookSpecificationList=[
                {
                    'LifecycleHookName': name,
                    'LifecycleTransition': f'{hook}{transition}',
                    'HeartbeatTimeout': 900,
                    'DefaultResult': result,
                }
                for name, transition, result in hooks
            ],
            Tags=[{'Key': TAG, 'Value': self.name, 'PropagateAtLaunch': True}],
        )

    def row(self) -> dict[str, Any]:
        """The slot's row in the map."""
        return self._item('slot#nfs-00')

    def members(self) -> dict[str, tuple[str, str]]:
        """Lifecycle state and health of the group's members."""
        client = self.cloud.client('autoscaling')
        found = client.describe_auto_scaling_groups(AutoScalingGroupNames=[self.name])['AutoScalingGroups']
        return {one['InstanceId']: (one['LifecycleState'], one['HealthStatus']) for one in found[0]['Instances']}

    def serve(self) -> str:
        """Does what the workflow does until the slot is served; the server."""
        self.started = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
        until(lambda: self.reconcile() == 'served', 'the slot to be served')
        return str(self.row()['owner'])

    def reconcile(self) -> str:
        """One pass of the workflow's last execution; what it ended with."""
        self.result = self.invoke('volume-reconciler', self.event())
        return str(self.result['outcome'])

    def event(self) -> dict[str, Any]:
        """What the workflow hands to a pass."""
        return {
            'action': 'reconcile',
            'execution': self.started,
            'startedAt': self.started,
            'deadlineSeconds': 3600,
            'cause': 'test',
            'previous': self.result,
        }

    def round(self) -> dict[str, Any]:
        """One run of the prober, a minute after the one before: the time of the round in the map is set back."""
        if 'sentAt' in self._item('probe'):
            before = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() - 60))
            self.map.update_item(
                TableName=self.name,
                Key={'tier': {'S': 'nfs'}, 'item': {'S': 'probe'}},
                UpdateExpression='SET sentAt = :before',
                ExpressionAttributeValues={':before': {'S': before}},
            )
        told = self.invoke('health-prober', {})
        sent = self._item('probe')['commands']
        # One whose host goes down meanwhile ends much later.
        with contextlib.suppress(TimeoutError):
            until(lambda: all(self._ended(one) for one in sent), 'the probes to end', 5)
        return told

    def _ended(self, command: str) -> bool:
        # Of the invocations, which the prober reads: they show later than the command what became of it.
        found = self.cloud.client('ssm').list_command_invocations(CommandId=command)['CommandInvocations']
        return bool(found) and all(one['Status'] not in ('Pending', 'InProgress') for one in found)

    def lease(self, seconds: float) -> None:
        """An execution of the workflow is at work for so long."""
        self.map.put_item(
            TableName=self.name,
            Item={
                'tier': {'S': 'nfs'},
                'item': {'S': 'lease'},
                'holder': {'S': 'another'},
                'expires': {'N': str(int(time.time() + seconds))},
                'wakeups': {'N': '0'},
            },
        )

    def invoke(self, function: str, event: dict[str, Any]) -> dict[str, Any]:
        """What the function answers."""
        client = self.cloud.client('lambda')
        answer = client.invoke(FunctionName=f'{self.name}-{function}', Payload=json.dumps(event).encode())
        told: dict[str, Any] = json.loads(answer['Payload'].read())
        assert 'FunctionError' not in answer, told
        return told

    def _item(self, name: str) -> dict[str, Any]:
        found = self.map.get_item(
            TableName=self.name, Key={'tier': {'S': 'nfs'}, 'item': {'S': name}}, ConsistentRead=True
        )
        return {key: TypeDeserializer().deserialize(value) for key, value in found.get('Item', {}).items()}


TEMPLATE = json.dumps({'Resources': {'Queue': {'Type': 'AWS::SQS::Queue'}}})


def zipped(path: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, path.name)
    return packed.getvalue()


def user_data() -> str:
    """User data of an NFS server. Without their comments, the programs fit."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w:gz', compresslevel=9) as archive:
        for name in PARTS:
            lines = (HOST_FILES / name).read_text().splitlines()
            kept = [line for line in lines if line.startswith('#!') or not line.lstrip().startswith('#')]
            content = ('\n'.join(kept) + '\n').encode()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return '\n'.join(
        [
            '#!/bin/bash',
            '# cdk-sas-grid: host software',
            'set -euo pipefail',
            'root=${SAS_GRID_ROOT:-}',
            'mkdir -p "$root/opt/cdk-sas-grid" "$root/etc/sas-grid"',
            'base64 -d <<\'BUNDLE\' | tar -xzf - -C "$root/opt/cdk-sas-grid"',
            base64.b64encode(packed.getvalue()).decode(),
            'BUNDLE',
            'cat >"$root/etc/sas-grid/nfs-server.env" <<\'SETTINGS\'',
            *(f'{key}={value}' for key, value in SETTINGS.items()),
            'SETTINGS',
            'exec "$root/opt/cdk-sas-grid/bin/sas-grid-bootstrap" nfs-server',
        ]
    )
