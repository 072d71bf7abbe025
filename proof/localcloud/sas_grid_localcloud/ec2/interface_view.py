"""Interfaces as answers carry them."""

from typing import Any

from ministack.core.responses import get_account_id

from .state import Record, tag_set


def shown(record: Record) -> dict[str, Any]:
    """An interface as answers carry it."""
    attachment = record.get('Attachment')
    return {
        'networkInterfaceId': record['NetworkInterfaceId'],
        'subnetId': record['SubnetId'],
        'vpcId': record['VpcId'],
        'availabilityZone': record['AvailabilityZone'],
        'description': record['Description'],
        'ownerId': record['OwnerId'],
        'requesterManaged': False,
        'status': record['Status'],
        'macAddress': record['MacAddress'],
        'privateIpAddress': record['PrivateIpAddress'],
        'privateDnsName': dns_name(record['PrivateIpAddress']),
        'sourceDestCheck': record['SourceDestCheck'],
        'interfaceType': record['InterfaceType'],
        'groupSet': [{'groupId': one['GroupId'], 'groupName': one['GroupName']} for one in record['Groups']],
        'attachment': None if attachment is None else shown_attachment(attachment),
        'tagSet': tag_set(record['NetworkInterfaceId']),
        'privateIpAddressesSet': [{'privateIpAddress': record['PrivateIpAddress'], 'primary': True}],
    }


def shown_attachment(attachment: Record) -> dict[str, Any]:
    """An attachment as answers carry it."""
    return {
        'attachmentId': attachment['AttachmentId'],
        'instanceId': attachment['InstanceId'],
        'instanceOwnerId': get_account_id(),
        'deviceIndex': attachment['DeviceIndex'],
        'status': attachment['Status'],
        'attachTime': attachment['AttachTime'],
        'deleteOnTermination': bool(attachment['DeleteOnTermination']),
    }


def dns_name(address: str) -> str:
    """The private DNS name that EC2 gives an address."""
    return f'ip-{address.replace(".", "-")}.ec2.internal'
