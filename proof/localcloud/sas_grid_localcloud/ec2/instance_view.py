"""Instances as answers carry them."""

from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from . import impairment, interface_view, interfaces, spot
from .lagging import Look, as_it_is
from .state import Record, dict_of, tag_set


def shown(instance: Record, look: Look = as_it_is) -> dict[str, Any]:
    """An instance as answers carry it."""
    profile = instance['IamInstanceProfile']
    gone = instance['State']['Name'] == 'terminated'
    held = [] if gone else interfaces.attached_to(instance['InstanceId'], look)
    return {
        'instanceId': instance['InstanceId'],
        'imageId': instance['ImageId'],
        'instanceState': {'code': instance['State']['Code'], 'name': instance['State']['Name']},
        'reason': instance.get('StateTransitionReason', ''),
        'privateDnsName': '' if gone else instance['PrivateDnsName'],
        'dnsName': instance['PublicDnsName'],
        'keyName': instance['KeyName'] or None,
        'amiLaunchIndex': 0,
        'instanceType': instance['InstanceType'],
        'launchTime': instance['LaunchTime'],
        'placement': {
            'availabilityZone': instance['Placement']['AvailabilityZone'],
            'groupName': instance['Placement']['GroupName'],
            'tenancy': instance['Placement']['Tenancy'],
        },
        'capacityReservationId': instance.get('_reservation'),
        'monitoring': {'state': instance['Monitoring']['State']},
        'subnetId': None if gone else instance['SubnetId'],
        'vpcId': None if gone else instance['VpcId'],
        'privateIpAddress': None if gone else instance['PrivateIpAddress'],
        'ipAddress': instance['PublicIpAddress'] or None,
        'sourceDestCheck': instance['SourceDestCheck'],
        'groupSet': [{'groupId': one['GroupId'], 'groupName': one['GroupName']} for one in instance['SecurityGroups']],
        'architecture': instance['Architecture'],
        'rootDeviceType': instance['RootDeviceType'],
        'rootDeviceName': instance['RootDeviceName'],
        'blockDeviceMapping': [_mapping(attachment) for _, attachment in volumes_of(instance, look)],
        'virtualizationType': instance['Virtualization'],
        'tagSet': tag_set(instance['InstanceId']),
        'hypervisor': instance['Hypervisor'],
        'networkInterfaceSet': [
            {
                key: value
                for key, value in interface_view.shown(one).items()
                if key not in ('tagSet', 'availabilityZone')
            }
            for one in held
        ],
        'iamInstanceProfile': {'arn': profile['Arn'], 'id': profile['Id']} if profile else None,
        'ebsOptimized': instance['EbsOptimized'],
        'metadataOptions': metadata_options(instance),
        **spot.shown(instance),
    }


def reservation(instance: Record) -> dict[str, Any]:
    """The reservation around an instance."""
    return {'reservationId': f'r-{instance["InstanceId"][2:]}', 'ownerId': get_account_id(), 'groupSet': []}


def _mapping(attachment: Record) -> dict[str, Any]:
    return {
        'deviceName': attachment['Device'],
        'ebs': {
            'volumeId': attachment['VolumeId'],
            'status': attachment['State'],
            'attachTime': attachment['AttachTime'],
            'deleteOnTermination': bool(attachment['DeleteOnTermination']),
        },
    }


def metadata_options(instance: Record) -> dict[str, Any]:
    """How the instance metadata service is set."""
    options = instance['MetadataOptions']
    return {
        'state': 'applied',
        'httpTokens': options['HttpTokens'],
        'httpPutResponseHopLimit': options['HttpPutResponseHopLimit'],
        'httpEndpoint': options['HttpEndpoint'],
    }


def status(instance: Record) -> dict[str, Any]:
    """Status checks as DescribeInstanceStatus shows them."""
    healthy = 'ok' if instance['State']['Name'] == 'running' else 'not-applicable'
    failing = impairment.seconds_impaired(instance['InstanceId']) if healthy == 'ok' else None
    passed = {'status': healthy, 'details': [{'name': 'reachability', 'status': 'passed'}]} if healthy == 'ok' else {}
    failed = {'status': 'impaired', 'details': [{'name': 'reachability', 'status': 'failed'}]}
    return {
        'instanceId': instance['InstanceId'],
        'availabilityZone': instance['Placement']['AvailabilityZone'],
        'instanceState': {'code': instance['State']['Code'], 'name': instance['State']['Name']},
        'systemStatus': passed or {'status': healthy},
        'instanceStatus': (passed or {'status': healthy}) if failing is None else failed,
    }


def volumes_of(instance: Record, look: Look = as_it_is) -> list[tuple[Record, Record]]:
    """Volumes of an instance, each with its attachment."""
    return [
        (volume, one)
        for volume in [look(dict_of(one)) for one in ec2._volumes.values()]
        for one in volume['Attachments']
        if one['InstanceId'] == instance['InstanceId']
    ]
