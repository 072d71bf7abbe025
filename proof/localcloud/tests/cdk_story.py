"""What test_cdk.py tests, told on a thread of its own: the cdk command mostly waits between its polls."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import PACKAGE_ROOT, Cloud, until, volume_state

PROJECT = PACKAGE_ROOT.parents[1]
CDK = PROJECT / 'node_modules' / '.bin' / 'cdk'
APP = PACKAGE_ROOT / 'tests' / 'app'


def cdk(cloud: Cloud, out: Path, *arguments: str) -> None:
    environment = {**os.environ, **cloud.environment, 'CI': 'true'}
    done = subprocess.run(
        [str(CDK), '--output', str(out / 'cdk.out'), *arguments],
        cwd=APP,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def bootstrap_deploy_and_destroy(cloud: Cloud, tmp_path: Path) -> None:
    """A small app (tests/app) comes, works and goes, leaving what it retains."""
    cdk(cloud, tmp_path, 'bootstrap')
    outputs = tmp_path / 'outputs.json'
    app = ['--app', str(tmp_path / 'cdk.out')]
    cdk(cloud, tmp_path, *app, 'deploy', '--all', '--require-approval', 'never', '--outputs-file', str(outputs))
    told = json.loads(outputs.read_text(encoding='utf-8'))['LocalcloudProbe']

    # Answered by the workflow's function, not by the one that CloudFormation invoked, after a named error.
    assert told['Answer'] == 'after 2 passes'
    # When it was asked, by the signature of the address.
    asked = datetime.strptime(told['Asked'], '%Y%m%dT%H%M%SZ').replace(tzinfo=UTC)
    assert timedelta() <= datetime.now(UTC) - asked < timedelta(minutes=5)
    thrown = [one for one in cloud.calls(service='lambda', action='Invoke') if one['error'] == 'Busy']
    assert len(thrown) == 1

    # The rule started the workflow on the first launch, which completed the lifecycle action.
    client = cloud.client('autoscaling')

    def states() -> list[str]:
        found = client.describe_auto_scaling_groups(AutoScalingGroupNames=[told['GroupName']])['AutoScalingGroups']
        return [one['LifecycleState'] for group in found for one in group['Instances']]

    until(lambda: states() == ['InService'], 'in service')
    from_lambda = cloud.calls(service='autoscaling', action='CompleteLifecycleAction')
    assert any('nodejs' in one['userAgent'] for one in from_lambda)

    cdk(cloud, tmp_path, *app, 'destroy', '--all', '--force')
    assert volume_state(cloud, told['VolumeId']) == ('available', [])
    assert volume_state(cloud, told['NestedVolumeId']) == ('available', [])
    assert states() == []
    left = [{'Name': 'tag:aws:cloudformation:stack-name', 'Values': ['LocalcloudProbe']}]
    ec2 = cloud.client('ec2')
    assert [one['VolumeId'] for one in ec2.describe_volumes(Filters=left)['Volumes']] == [told['VolumeId']]
    assert ec2.describe_vpcs(Filters=left)['Vpcs'] == []
    assert ec2.describe_subnets(Filters=left)['Subnets'] == []
    assert ec2.describe_network_interfaces()['NetworkInterfaces'] == []
    assert [one for one in ec2.describe_nat_gateways()['NatGateways'] if one['State'] != 'deleted'] == []
    assert ec2.describe_addresses()['Addresses'] == []
    assert cloud.client('stepfunctions').list_state_machines()['stateMachines'] == []
    assert cloud.client('lambda').list_functions()['Functions'] == []
    assert cloud.client('sqs').list_queues(QueueNamePrefix='LocalcloudProbe').get('QueueUrls', []) == []
