"""Servers of a grid are asked whether they can do their work: the real function, with the rights of the construct."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from slot_tier import BUNDLES, HOST_FILES, zipped

from conftest import Cloud, start_cloud, stop_cloud, unique, until

pytestmark = pytest.mark.skipif(
    not (BUNDLES / 'node-health/index.js').exists(), reason='the function is not bundled (npm run bundle)'
)
USER_DATA = """#!/bin/bash
# cdk-sas-grid: host software
root=${SAS_GRID_ROOT:-}
mkdir -p "$root"/{etc/sas-grid,saswork,utilloc,opt/cdk-sas-grid/bin,proc/sys/kernel}
echo 4194304 >"$root/proc/sys/kernel/pid_max"
echo HOST_NAME=node1 >"$root/etc/sas-grid/grid-node.env"
echo SASWORK_DISKS=1 >"$root/etc/sas-grid/scratch.env"
echo node1 >"$root/etc/hostname"
printf '\\n%s\\n' "/dev/md1 $root/saswork xfs rw 0 0" "/dev/md2 $root/utilloc xfs rw 0 0" >>"$root/proc/mounts"
echo '4000.00 1.00' >"$root/proc/uptime"
"""
LOOK = 'ec2:DescribeInstances ssm:DescribeInstanceInformation ssm:ListCommandInvocations ssm:ListCommands'
TAG = 'cdk-sas-grid:cluster'
INTERVAL = 6
"""seconds, of which the function lets a sixth pass before it reads what was said"""
ROUNDS = 40
"""Each question that is asked moves something, so that patience would not end."""


@pytest.fixture(scope='module')
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An embedded AWS with hosts."""
    running = start_cloud(
        tmp_path_factory.mktemp('health') / 'state', environment={'SAS_GRID_LOCALCLOUD_AGENT_SECONDS': '0'}
    )
    yield running
    stop_cloud(running)


class Grid:
    """Some servers, or all with a tag, their documents and their function."""

    def __init__(self, cloud: Cloud, *servers: str, tag: str = '') -> None:
        self.cloud, self.name = cloud, unique('grid')
        for name in ('node-health', 'clean-scratch'):
            self._make_document(name)
        cloud.client('lambda').create_function(
            FunctionName=self.name,
            Runtime='nodejs20.x',
            Handler='index.handler',
            Role=self._make_role(servers, tag),
            Code={'ZipFile': zipped(BUNDLES / 'node-health/index.js')},
            Timeout=60,
            Environment={
                'Variables': {
                    'GRID': self.name,
                    'SERVER_FILTER': f'tag:{TAG}' if tag else 'instance-id',
                    'SERVERS': tag or ','.join(servers),
                    'INTERVAL_SECONDS': str(INTERVAL),
                    'DOCUMENT': f'{self.name}-node-health',
                    'CLEAN_UP_DOCUMENT': f'{self.name}-clean-scratch',
                    'CLEAN_UP_SECONDS': '3600',
                }
            },
        )

    def _make_document(self, name: str) -> None:
        lines = (HOST_FILES / f'documents/{name}.sh').read_text().rstrip().split('\n')
        step = {'action': 'aws:runShellScript', 'name': 'run', 'inputs': {'timeoutSeconds': '45', 'runCommand': lines}}
        content = {'schemaVersion': '2.2', 'description': name, 'mainSteps': [step]}
        self.cloud.client('ssm').create_document(
            Name=f'{self.name}-{name}', Content=json.dumps(content), DocumentType='Command', DocumentFormat='JSON'
        )

    def _make_role(self, servers: tuple[str, ...], tag: str) -> str:
        arns = [f'arn:aws:ssm:us-east-1:*:document/{self.name}-*', *(f'arn:aws:ec2:*:*:instance/{i}' for i in servers)]
        statements: list[dict[str, Any]] = [
            {'Effect': 'Allow', 'Action': LOOK.split(), 'Resource': '*'},
            {'Effect': 'Allow', 'Action': 'ssm:SendCommand', 'Resource': arns},
        ]
        if tag:
            only = {'StringEquals': {f'ssm:resourceTag/{TAG}': tag}}
            any_instance = 'arn:aws:ec2:*:*:instance/*'
            statements.append(
                {'Effect': 'Allow', 'Action': 'ssm:SendCommand', 'Resource': any_instance, 'Condition': only}
            )
        trusted = {'Effect': 'Allow', 'Principal': {'Service': 'lambda.amazonaws.com'}, 'Action': 'sts:AssumeRole'}
        iam = self.cloud.client('iam')
        version = {'Version': '2012-10-17'}
        role = iam.create_role(
            RoleName=self.name, AssumeRolePolicyDocument=json.dumps({**version, 'Statement': [trusted]})
        )
        policy = json.dumps({**version, 'Statement': statements})
        iam.put_role_policy(RoleName=self.name, PolicyName='p', PolicyDocument=policy)
        return str(role['Role']['Arn'])

    def round(self) -> dict[str, Any]:
        """What a run of the function ends with."""
        answer = self.cloud.client('lambda').invoke(FunctionName=self.name, Payload=b'{}')
        told: dict[str, Any] = json.loads(answer['Payload'].read())
        assert 'FunctionError' not in answer, told
        return told

    def until(self, what: str, *servers: str) -> str:
        """Rounds until these are what is said; why the first one is."""

        for _ in range(ROUNDS):
            told = self.round()
            if told['outcome'] != 'too-early' and [one['instanceId'] for one in told[what]] == list(servers):
                return str(told[what][0]['why']) if servers else 'none'
            time.sleep(INTERVAL / 5)
        raise AssertionError(f'{what} never are {servers}: {told}')


def launch(cloud: Cloud, tag: str = 'none') -> str:
    vpc = cloud.client('ec2').create_vpc(CidrBlock='10.8.0.0/16')['Vpc']['VpcId']
    subnet = cloud.client('ec2').create_subnet(VpcId=vpc, CidrBlock='10.8.0.0/24', AvailabilityZone='us-east-1a')
    made = cloud.client('ec2').run_instances(
        MinCount=1,
        MaxCount=1,
        ImageId='ami-12345678',
        InstanceType='m6i.large',
        SubnetId=subnet['Subnet']['SubnetId'],
        UserData=USER_DATA,
        TagSpecifications=[{'ResourceType': 'instance', 'Tags': [{'Key': TAG, 'Value': tag}]}],
    )
    return str(made['Instances'][0]['InstanceId'])


def test_a_server_that_loses_its_scratch_or_its_agent_is_told_and_a_stopped_one_is_not(cloud: Cloud) -> None:
    server = launch(cloud)
    root = cloud.state / 'hosts' / server
    grid = Grid(cloud, server, 'i-00000000000000000')
    until(lambda: (root / 'opt/cdk-sas-grid/bin').exists() and (root / 'proc/uptime').exists(), 'the first boot')
    left = root / 'saswork/SAS_work3D2A00001EE1_node1'
    left.mkdir()

    grid.until('unsure', server)
    until(lambda: (root / 'run/sas-grid/health').exists(), 'what schedulers are told')
    assert (root / 'run/sas-grid/health').read_text().startswith('healthy ')

    mounts = (root / 'proc/mounts').read_text()
    (root / 'proc/mounts').write_text('\n'.join(line for line in mounts.splitlines() if '/saswork' not in line) + '\n')
    assert grid.until('unhealthy', server).startswith('scratch: /saswork is not mounted')
    (root / 'proc/mounts').write_text(mounts)
    grid.until('unsure', server)

    # It was cleaned up once, and what is young is still there.
    ssm = cloud.client('ssm')
    cleaned = {'key': 'DocumentName', 'value': f'{grid.name}-clean-scratch'}
    found = ssm.list_command_invocations(Filters=[cleaned], Details=True)['CommandInvocations']
    assert [one['CommandPlugins'][0]['Output'].split('\n')[0] for one in found] == ['0 removed, 1 kept, 0 failed']
    assert left.exists()

    cloud.fault('agent-gone', instance=server, seconds=600)
    assert grid.until('silent', server) == 'its agent could not be reached'
    cloud.client('ec2').stop_instances(InstanceIds=[server])
    grid.until('silent')


def test_hosts_that_are_replaced_are_found_by_their_tag_and_no_others_are_asked(cloud: Cloud) -> None:
    mine, other = unique('cluster'), launch(cloud)
    first = launch(cloud, mine)
    grid = Grid(cloud, tag=mine)
    grid.until('unsure', first)
    second = launch(cloud, mine)
    cloud.client('ec2').terminate_instances(InstanceIds=[first])
    grid.until('unsure', second)
    assert not (cloud.state / 'hosts' / other / 'run/sas-grid/health').exists()
