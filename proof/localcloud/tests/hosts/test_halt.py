"""A machine whose operating system was halted: EC2 and Systems Manager go on knowing it, and nothing runs in it."""

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cloud, instance_state, start_cloud, stop_cloud, unique, until, volume_state

HANG = (Path(__file__).parents[4] / 'constructs/game-day/scripts/hang.sh').read_text()
BOOT = '#!/bin/bash\n# cdk-sas-grid: host software\nmkdir -p "$SAS_GRID_ROOT/etc"\n'


@pytest.fixture(scope='module')
def halting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    delays = {'AGENT': '0', 'STATUS_CHECK': '1', 'GROUP_PATIENCE': '1', 'HARD_SHUTDOWN': '1.5'}
    environment = {f'SAS_GRID_LOCALCLOUD_{name}_SECONDS': value for name, value in delays.items()}
    running = start_cloud(tmp_path_factory.mktemp('halting') / 'state', environment=environment)
    yield running
    stop_cloud(running)


def send(cloud: Cloud, instance: str, script: str) -> str:
    sent = cloud.client('ssm').send_command(
        InstanceIds=[instance],
        DocumentName='AWS-RunShellScript',
        Parameters={'commands': script.splitlines()},
        TimeoutSeconds=30,
    )
    return str(sent['Command']['CommandId'])


def status(cloud: Cloud, instance: str) -> str:
    found = cloud.client('ec2').describe_instance_status(InstanceIds=[instance])['InstanceStatuses']
    return str(found[0]['InstanceStatus']['Status']) if found else ''


def ping(cloud: Cloud, instance: str) -> str:
    wanted = [{'Key': 'InstanceIds', 'Values': [instance]}]
    found = cloud.client('ssm').describe_instance_information(Filters=wanted)['InstanceInformationList']
    return str(found[0]['PingStatus']) if found else ''


def test_a_halted_member_is_impaired_unreachable_and_replaced(halting: Cloud) -> None:
    ec2, name = halting.client('ec2'), unique('halted')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    data = {
        'ImageId': 'ami-12345678',
        'InstanceType': 'm6i.large',
        'UserData': base64.b64encode(BOOT.encode()).decode(),
    }
    template = ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)['LaunchTemplate']
    autoscaling = halting.client('autoscaling')
    autoscaling.create_auto_scaling_group(
        AutoScalingGroupName=name,
        MinSize=1,
        MaxSize=1,
        VPCZoneIdentifier=subnet,
        LaunchTemplate={'LaunchTemplateId': template['LaunchTemplateId'], 'Version': '$Latest'},
    )

    def members() -> dict[str, str]:
        found = autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])['AutoScalingGroups'][0]
        return {one['InstanceId']: one['LifecycleState'] for one in found['Instances']}

    until(lambda: list(members().values()) == ['InService'], 'in service')
    [first] = members()
    until(lambda: ping(halting, first) == 'Online', 'the agent')
    assert status(halting, first) == 'ok'

    # The command that halts ends well: the machine stands still some seconds after it.
    command = send(halting, first, HANG)
    ssm = halting.client('ssm')
    until(lambda: ssm.list_commands(CommandId=command)['Commands'][0]['Status'] == 'Success', 'the command')
    halted = until(lambda: halting.history(kind='host', to='halted'), 'the halt')
    assert [one['id'] for one in halted] == [first]
    assert instance_state(halting, first) == 'running'
    # Nobody has noticed yet; a command is taken, and gets nowhere.
    assert (status(halting, first), ping(halting, first), members()) == ('ok', 'Online', {first: 'InService'})
    lost = send(halting, first, 'touch "$SAS_GRID_ROOT/etc/too-late"')
    until(lambda: status(halting, first) == 'impaired', 'the status check')
    assert ping(halting, first) == 'ConnectionLost'
    assert members() == {first: 'InService'}

    until(lambda: instance_state(halting, first) == 'shutting-down', 'the group to act')
    since = time.monotonic()
    until(lambda: instance_state(halting, first) == 'terminated', 'the end')
    assert time.monotonic() - since > 1
    until(lambda: list(members().values()) == ['InService'] and first not in members(), 'the replacement')
    assert not (halting.state / 'hosts' / first / 'etc/too-late').exists()
    assert ssm.list_commands(CommandId=lost)['Commands'][0]['Status'] == 'Pending'


def test_a_reboot_ends_it_and_what_was_mounted_stays_so_until_then(halting: Cloud) -> None:
    ec2 = halting.client('ec2')
    vpc = ec2.create_vpc(CidrBlock='10.9.0.0/16')['Vpc']['VpcId']
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock='10.9.0.0/22', AvailabilityZone='us-east-1a')['Subnet']['SubnetId']
    launched = ec2.run_instances(
        ImageId='ami-12345678', InstanceType='m6i.large', SubnetId=subnet, MinCount=1, MaxCount=1, UserData=BOOT
    )
    instance = launched['Instances'][0]['InstanceId']
    until(lambda: ping(halting, instance) == 'Online', 'the agent')
    volume = ec2.create_volume(AvailabilityZone='us-east-1a', Size=10, VolumeType='gp3')['VolumeId']
    until(lambda: volume_state(halting, volume) == ('available', []), 'the volume')
    ec2.attach_volume(VolumeId=volume, InstanceId=instance, Device='/dev/sdf')
    disk = f'"$SAS_GRID_ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_{volume.replace("-", "")}"'
    until(lambda: volume_state(halting, volume) == ('in-use', [(instance, 'attached')]), 'the disk')
    send(
        halting,
        instance,
        f'mkfs.lustre --mgs {disk}\nmkdir -p "$SAS_GRID_ROOT/srv"\nmount -t lustre {disk} "$SAS_GRID_ROOT/srv"',
    )
    mounts = halting.state / 'hosts' / instance / 'proc/mounts'
    until(lambda: '/srv' in mounts.read_text(), 'the mount')

    refused = send(halting, instance, 'systemctl halt --force')
    until(lambda: halting.client('ssm').list_commands(CommandId=refused)['Commands'][0]['Status'] == 'Failed', 'no')
    send(halting, instance, 'systemctl halt --force --force')
    until(lambda: status(halting, instance) == 'impaired', 'the status check')
    superblock = halting.state / 'volumes' / volume / 'superblock.json'
    assert json.loads(superblock.read_text())['mountedBy'] == instance
    # Its kernel may go on one day: to take the volume away now is as wrong as from a server at work.
    ec2.detach_volume(VolumeId=volume, InstanceId=instance)
    until(lambda: [one for one in halting.history(kind='violation') if one['id'] == volume], 'the violation')

    ec2.reboot_instances(InstanceIds=[instance])
    until(lambda: (status(halting, instance), ping(halting, instance)) == ('ok', 'Online'), 'the host')
