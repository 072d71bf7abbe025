"""Launching instances from launch data, as RunInstances, Auto Scaling and CloudFormation all do.

Launch data is written as in a launch template (``ImageId``, ``NetworkInterfaces``, ``TagSpecifications``...).
"""

import re
from collections.abc import Mapping
from typing import Any

from ministack.services import ec2, ssm

from .. import clock, history, settings
from ..query import Refused, flag, integer
from ..scope import in_scope
from . import interfaces, limits, own_images, reservations, spot, volumes
from .interface_view import dns_name
from .state import LOCK, Record, Tags, born, dict_of, new_id, now, set_tags, subnet_record
from .transitions import (
    set_attachment_state,
    set_instance_state,
    set_interface_attachment_state,
    set_volume_state,
)

ROOT_DEVICE = '/dev/xvda'
_USER_DATA_LIMIT = 16384
KNOWN = frozenset(
    {
        'BlockDeviceMappings',
        'CapacityReservationSpecification',
        'CreditSpecification',
        'DisableApiStop',
        'DisableApiTermination',
        'EbsOptimized',
        'IamInstanceProfile',
        'ImageId',
        'InstanceInitiatedShutdownBehavior',
        'InstanceMarketOptions',
        'InstanceType',
        'KeyName',
        'LaunchTemplate',
        'MaintenanceOptions',
        'MetadataOptions',
        'Monitoring',
        'NetworkInterfaces',
        'Placement',
        'SecurityGroupIds',
        'TagSpecifications',
        'UserData',
    }
)
"""Launch data the emulation implements; other keys are refused, never dropped."""


def launch(data: Mapping[str, Any], subnet_id: str | None = None, tags: Tags | None = None) -> Record:
    """Start one instance. Everything that can be refused is refused before anything exists."""
    unknown = sorted(set(data) - KNOWN)
    if unknown:
        raise Refused(
            'UnsupportedOperation', f'launch data {", ".join(unknown)} is not implemented by the embedded AWS'
        )
    kind = str(data.get('InstanceType') or 'm1.small')
    if not re.fullmatch(r'[a-z0-9-]+\.[a-z0-9-]+', kind):
        raise Refused('InvalidInstanceType', f"Invalid value '{kind}' for InstanceType.")
    image = _image(data.get('ImageId'))
    user_data = str(data.get('UserData') or '')
    if len(user_data) * 3 // 4 > _USER_DATA_LIMIT + 2:
        raise Refused('InvalidUserData.Malformed', 'User data is limited to 16384 bytes')
    placement = dict(data.get('Placement') or {})
    _check_placement(placement, kind)
    profile = profile_of(data.get('IamInstanceProfile'))
    devices = _root_and_more(data, kind, own_images.root_of(image))
    market = spot.market(data)
    with LOCK:
        network = _network(data, subnet_id)
        subnet = subnet_record(network['SubnetId'])
        group = str(placement.get('GroupName') or '')
        reservation = reservations.find(data, kind, subnet['AvailabilityZone'], group)
        instance = _record(data, kind, image, user_data, placement, profile, subnet)
        instance['_reservation'] = reservation
        instance.update(market)
        instance_id = instance['InstanceId']
        primary = _primary(instance, network)
        instance['PrivateIpAddress'] = primary['PrivateIpAddress']
        instance['PrivateDnsName'] = dns_name(primary['PrivateIpAddress'])
        instance['SecurityGroups'] = primary['Groups']
        public = network.get('AssociatePublicIpAddress', subnet.get('MapPublicIpOnLaunch', False))
        if flag(public):
            instance['PublicIpAddress'] = ec2._random_ip('54.')
        specified = _specified_tags(data)
        set_tags(instance_id, _merged(specified.get('instance', []), tags or []))
        set_tags(primary['NetworkInterfaceId'], specified.get('network-interface', []))
        ec2._instances[instance_id] = instance
        for device, volume, last in devices:
            _attach_own(instance, device, volume, last, subnet['AvailabilityZone'], specified.get('volume', []))
        if profile:
            ec2._upsert_iam_instance_profile_association(instance_id, profile)
        set_instance_state(instance, 'pending')
    clock.after(settings.delays().boot, in_scope(lambda: booted(instance)))
    return instance


def booted(instance: Record) -> None:
    """Pending ends: the instance runs."""
    with LOCK:
        if instance['State']['Name'] == 'pending':
            for one in interfaces.attached_to(instance['InstanceId']):
                if one['Attachment']['DeviceIndex'] == 0:
                    set_interface_attachment_state(one, 'attached')
            set_instance_state(instance, 'running')


def _record(
    data: Mapping[str, Any],
    kind: str,
    image: str,
    user_data: str,
    placement: dict[str, Any],
    profile: Any,
    subnet: Record,
) -> Record:
    return born(
        {
            'InstanceId': new_id('i'),
            'ImageId': image,
            'InstanceType': kind,
            'KeyName': data.get('KeyName') or '',
            'State': {'Code': 0, 'Name': 'pending'},
            'SubnetId': subnet['SubnetId'],
            'VpcId': subnet['VpcId'],
            'PublicIpAddress': '',
            'PublicDnsName': '',
            'SourceDestCheck': True,
            'Architecture': 'arm64' if limits.of_instance_type(kind).arm else 'x86_64',
            'RootDeviceType': 'ebs',
            'RootDeviceName': ROOT_DEVICE,
            'Hypervisor': 'xen',
            'Virtualization': 'hvm',
            'EbsOptimized': flag(data.get('EbsOptimized')),
            'Placement': {
                'AvailabilityZone': subnet['AvailabilityZone'],
                'Tenancy': placement.get('Tenancy', 'default'),
                'GroupName': placement.get('GroupName', ''),
            },
            'Monitoring': {'State': 'enabled' if flag((data.get('Monitoring') or {}).get('Enabled')) else 'disabled'},
            'MetadataOptions': {
                'HttpTokens': 'optional',
                'HttpPutResponseHopLimit': 1,
                'HttpEndpoint': 'enabled',
                **(data.get('MetadataOptions') or {}),
            },
            'DisableApiTermination': flag(data.get('DisableApiTermination')),
            'DisableApiStop': flag(data.get('DisableApiStop')),
            'InstanceInitiatedShutdownBehavior': data.get('InstanceInitiatedShutdownBehavior') or 'stop',
            'AmiLaunchIndex': 0,
            'UserData': user_data,
            'LaunchTime': now(),
            'BlockDeviceMappings': [],
            'IamInstanceProfile': profile,
        }
    )


def _image(reference: Any) -> str:
    text = str(reference or '')
    if text.startswith('resolve:ssm:'):
        name = text.removeprefix('resolve:ssm:')
        parameter = ssm._public_parameter(name) or ssm._parameters.get(name)
        if not parameter:
            raise Refused('InvalidParameterValue', f'The SSM parameter {name} could not be resolved')
        text = str(parameter['Value'])
    if not text:
        raise Refused('MissingParameter', 'The request must contain the parameter ImageId')
    if not re.fullmatch(r'ami-([0-9a-f]{8}|[0-9a-f]{17})', text):
        raise Refused('InvalidAMIID.Malformed', f'Invalid id: "{text}" (expecting "ami-...")')
    own_images.require_launchable(text)
    return text


def _check_placement(placement: Mapping[str, Any], kind: str) -> None:
    name = placement.get('GroupName')
    if not name:
        return
    group = ec2._placement_groups.get(name)
    if group is None:
        raise Refused('InvalidPlacementGroup.Unknown', f"The placement group '{name}' is unknown.")
    if group['Strategy'] == 'cluster' and not limits.of_instance_type(kind).in_cluster_group:
        raise Refused(
            'InvalidParameterCombination',
            f"Cluster placement groups are not supported by the '{kind}' instance type. "
            'Specify a supported instance type or change the placement group strategy, and try again.',
        )


def profile_of(reference: Any) -> dict[str, str] | None:
    if not reference:
        return None
    by = dict(reference)
    if str(by.get('Name')).startswith('arn:'):
        # Ref of an instance profile is its name on AWS, its ARN in ministack.
        by = {'Arn': by['Name']}
    profile, refusal = ec2._resolve_iam_instance_profile(iam_arn=by.get('Arn') or '', iam_name=by.get('Name') or '')
    if refusal:
        named = by.get('Arn') or by.get('Name')
        raise Refused('InvalidParameterValue', f'Value ({named}) for parameter iamInstanceProfile is invalid.')
    return dict(profile)


def _network(data: Mapping[str, Any], subnet_id: str | None) -> dict[str, Any]:
    listed = [dict(one) for one in data.get('NetworkInterfaces') or []]
    if listed and data.get('SecurityGroupIds'):
        raise Refused(
            'InvalidParameterCombination',
            'Network interfaces and an instance-level security groups may not be specified on the same request',
        )
    if len(listed) > 1:
        raise Refused(
            'UnsupportedOperation', 'more than one interface at launch is not implemented by the embedded AWS'
        )
    network = listed[0] if listed else {'Groups': data.get('SecurityGroupIds')}
    if network.get('NetworkInterfaceId'):
        network['SubnetId'] = ec2._network_interfaces[network['NetworkInterfaceId']]['SubnetId']
    network['SubnetId'] = subnet_id or network.get('SubnetId') or ec2._DEFAULT_SUBNET_ID
    return network


def _primary(instance: Record, network: Mapping[str, Any]) -> Record:
    given = network.get('NetworkInterfaceId')
    if given:
        record = dict_of(ec2._network_interfaces[given])
    else:
        record = interfaces.new_interface(
            network['SubnetId'],
            address=network.get('PrivateIpAddress'),
            groups=list(network.get('Groups') or []),
            description=str(network.get('Description') or ''),
        )
    gone_too = flag(network.get('DeleteOnTermination'), default=not given)
    interfaces.start_attaching(record, instance, 0, at_launch=True, delete_with_instance=gone_too)
    return record


def _root_and_more(data: Mapping[str, Any], kind: str, of_image: Record) -> list[tuple[str, Record, bool]]:
    """Volumes made with the instance: device, record, whether it is deleted with the instance.

    :param of_image: how the image's root is, where nothing else is asked for
    """
    made: list[tuple[str, Record, bool]] = []
    mappings = {one.get('DeviceName'): one.get('Ebs') for one in data.get('BlockDeviceMappings') or []}
    # Images call their root device differently; the first mapping of /dev/sda1 or /dev/xvda is the root.
    root = {**of_image, **(mappings.pop(ROOT_DEVICE, None) or mappings.pop('/dev/sda1', None) or {})}
    for device, ebs in [(ROOT_DEVICE, root), *mappings.items()]:
        if ebs is None:
            continue
        # Multi-Attach volumes are no boot volumes and are not made by launches (EBS user guide, "Multi-Attach").
        if 'MultiAttachEnabled' in ebs:
            raise Refused('UnknownParameter', 'The parameter MultiAttachEnabled is not recognized')
        volume = volumes.new_volume(
            zone='',
            kind=str(ebs.get('VolumeType') or 'gp3'),
            size=integer(ebs.get('VolumeSize'), 'volumeSize', None if ebs.get('SnapshotId') else 8),
            iops=integer(ebs.get('Iops'), 'iops'),
            throughput=integer(ebs.get('Throughput'), 'throughput'),
            encrypted=flag(ebs.get('Encrypted')),
            key=ebs.get('KmsKeyId'),
            snapshot=str(ebs.get('SnapshotId') or ''),
        )
        made.append((str(device), volume, flag(ebs.get('DeleteOnTermination'), default=True)))
    return made


def _attach_own(instance: Record, device: str, volume: Record, last: bool, zone: str, tags: Tags) -> None:
    volume['AvailabilityZone'] = zone
    attachment = {
        'VolumeId': volume['VolumeId'],
        'InstanceId': instance['InstanceId'],
        'Device': device,
        'AttachTime': now(),
        'DeleteOnTermination': last,
    }
    ec2._volumes[volume['VolumeId']] = volume
    set_tags(volume['VolumeId'], tags)
    volume['Attachments'].append(attachment)
    set_volume_state(volume, 'in-use')
    set_attachment_state(volume, attachment, 'attached')
    history.record('root-volume', volume['VolumeId'], None, 'made', instance=instance['InstanceId'])


def _specified_tags(data: Mapping[str, Any]) -> dict[str, Tags]:
    found: dict[str, Tags] = {}
    for specification in data.get('TagSpecifications') or []:
        found.setdefault(str(specification.get('ResourceType')), []).extend(specification.get('Tags') or [])
    return found


def _merged(first: Tags, second: Tags) -> Tags:
    by_key = {tag['Key']: tag for tag in [*first, *second]}
    return list(by_key.values())
