"""Images: those of distributions are found by owner and name, own ones have what was on the instance's disk."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cloud, instance_state, unique, until
from errors import refused

OURS = '# cdk-sas-grid: host software'


@pytest.fixture
def launch(hosted: Cloud) -> Iterator[Callable[..., str]]:
    """Launches an instance and waits for the end of its user data."""
    made: list[str] = []

    def start(image: str, script: str, **more: Any) -> str:
        wanted = {'ImageId': image, 'InstanceType': 'm6i.large', 'MinCount': 1, 'MaxCount': 1, **more}
        user_data = f'#!/bin/bash\n{OURS}\n{script}\n'
        found = hosted.client('ec2').run_instances(UserData=user_data, **wanted)['Instances'][0]['InstanceId']
        made.append(found)
        until(lambda: online(hosted, found), f'{found} online')
        return str(found)

    yield start
    hosted.client('ec2').terminate_instances(InstanceIds=made)


def online(cloud: Cloud, instance: str) -> bool:
    found = cloud.client('ssm').describe_instance_information()['InstanceInformationList']
    return instance in [one['InstanceId'] for one in found]


def root(cloud: Cloud, instance: str) -> Path:
    return cloud.state / 'hosts' / instance


def image_of(cloud: Cloud, instance: str, **more: Any) -> str:
    ec2 = cloud.client('ec2')
    image = str(ec2.create_image(InstanceId=instance, Name=unique('image'), **more)['ImageId'])
    until(lambda: ec2.describe_images(ImageIds=[image])['Images'][0]['State'] == 'available', image)
    return image


@pytest.mark.parametrize(
    ('owner', 'pattern', 'architecture'),
    [
        ('764336703387', 'AlmaLinux OS 9.7.* x86_64', 'x86_64'),
        ('764336703387', 'AlmaLinux OS 9.7.* aarch64', 'arm64'),
        ('792107900819', 'Rocky-9-EC2-Base-9.7-*.x86_64', 'x86_64'),
    ],
)
def test_the_newest_of_a_distribution_is_found(hosted: Cloud, owner: str, pattern: str, architecture: str) -> None:
    named = [{'Name': 'name', 'Values': [pattern]}]
    found = hosted.client('ec2').describe_images(Owners=[owner], Filters=named)['Images']
    newest = max(found, key=lambda one: one['CreationDate'])
    assert len(found) > 1
    assert newest['Name'] == max(one['Name'] for one in found)
    assert {one['Architecture'] for one in found} == {architecture}
    assert hosted.client('ec2').describe_images(ImageIds=[newest['ImageId']])['Images'] == [newest]


def test_a_host_says_which_distribution_it_is(hosted: Cloud, launch: Callable[..., str]) -> None:
    named = [{'Name': 'name', 'Values': ['AlmaLinux OS 9.7.* x86_64']}]
    alma = hosted.client('ec2').describe_images(Owners=['764336703387'], Filters=named)['Images'][0]['ImageId']
    script = '. "$SAS_GRID_ROOT/etc/os-release"; echo "$ID $VERSION_ID" >"$SAS_GRID_ROOT/said"'
    assert (root(hosted, launch(alma, script)) / 'said').read_text() == 'almalinux 9.7\n'


def test_what_is_launched_from_an_image_has_its_files_and_a_first_boot_of_its_own(
    hosted: Cloud, launch: Callable[..., str]
) -> None:
    leave = (
        'cd "$SAS_GRID_ROOT"; mkdir -p opt/thing; echo built >opt/thing/file; chmod 750 opt/thing/file; '
        'ln -s "$SAS_GRID_ROOT/opt/thing/file" opt/link; echo one >tmp/of-a-boot; echo one >>said'
    )
    first = launch('ami-12345678', leave)
    image = image_of(hosted, first)
    second = launch(
        image, 'cat "$SAS_GRID_ROOT/opt/link" >>"$SAS_GRID_ROOT/said"; echo new >>"$SAS_GRID_ROOT/opt/link"'
    )
    here = root(hosted, second)
    assert (here / 'said').read_text() == 'one\nbuilt\n'
    assert (here / 'opt/thing/file').stat().st_mode & 0o777 == 0o750
    assert not (here / 'tmp/of-a-boot').exists()
    assert (root(hosted, first) / 'opt/thing/file').read_text() == 'built\n'
    assert (here / 'opt/thing/file').read_text() == 'built\nnew\n'
    third = launch(image, 'cat "$SAS_GRID_ROOT/opt/link" >>"$SAS_GRID_ROOT/said"')
    assert (root(hosted, third) / 'said').read_text() == 'one\nbuilt\n'


def test_an_own_image_is_shown_with_tags_and_goes(hosted: Cloud, launch: Callable[..., str]) -> None:
    ec2, instance = hosted.client('ec2'), launch('ami-12345678', 'true')
    tags = [{'ResourceType': 'image', 'Tags': [{'Key': 'only', 'Value': instance}]}]
    image = image_of(hosted, instance, TagSpecifications=tags, Description='told', NoReboot=True)
    assert instance_state(hosted, instance) == 'running'
    by_tag = [{'Name': 'tag:only', 'Values': [instance]}]
    shown = ec2.describe_images(Owners=['self'], Filters=by_tag)['Images']
    assert [one['ImageId'] for one in shown] == [image]
    assert (shown[0]['Description'], shown[0]['Tags']) == ('told', tags[0]['Tags'])
    snapshot = shown[0]['BlockDeviceMappings'][0]['Ebs']['SnapshotId']
    assert ec2.describe_snapshots(SnapshotIds=[snapshot])['Snapshots'][0]['VolumeSize'] == 8
    with refused('InvalidAMIName.Duplicate'):
        ec2.create_image(InstanceId=instance, Name=shown[0]['Name'])
    ec2.deregister_image(ImageId=image)
    with refused('InvalidAMIID.NotFound', image):
        ec2.run_instances(ImageId=image, InstanceType='m6i.large', MinCount=1, MaxCount=1)
    with refused('InvalidAMIID.NotFound', image):
        ec2.describe_images(ImageIds=[image])
    assert not (hosted.state / 'images' / image).exists()
