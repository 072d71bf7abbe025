"""What a request names has to exist: keys, services behind endpoints, ports that a file system needs."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import botocore
from ministack.core.responses import get_region
from ministack.services import ec2, kms, s3

from ..query import Refused
from ..validation import models

_ALSO = {'ssmmessages'}
"""behind endpoints everywhere (Systems Manager User Guide, "Create VPC endpoints"), and not in botocore's list"""

_ONLY_BEFORE_2024 = {'ec2messages'}
_SINCE_2024 = {'ap-east-2', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7', 'ca-west-1', 'mx-central-1'}
"""Systems Manager User Guide, "Reference: ec2messages, ssmmessages, and other API operations": Regions launched in
2024 and later have ssmmessages only. Which these are: AWS's announcements; ca-west-1 (December 2023) unverified."""


def key_exists(key: Any, refusal: Refused) -> None:
    """Refuse a customer's key that is not there; AWS's own (``alias/aws/...``) are."""
    name = str(key or '')
    if name and 'alias/aws/' not in name and kms._resolve_key(name) is None:
        raise refusal


def volume(members: Mapping[str, Any]) -> None:
    """CreateVolume. EBS finds it out a moment later, and the volume goes (model, KmsKeyId); here it is at once."""
    key = members.get('KmsKeyId')
    key_exists(key, Refused('InvalidKMSKey.InvalidState', f'The KMS key {key} does not exist'))


def log_group(members: Mapping[str, Any]) -> None:
    """CreateLogGroup and AssociateKmsKey."""
    key = members.get('kmsKeyId')
    told = f"The specified KMS key does not exist or is not allowed to be used with Arn '{members.get('logGroupName')}'"
    key_exists(key, Refused('InvalidParameterException', told))


def endpoint(members: Mapping[str, Any]) -> None:
    """CreateVpcEndpoint: the service has to be offered in this Region. Services of others are not looked at."""
    name, region = str(members.get('ServiceName') or ''), get_region()
    parts = name.removeprefix('cn.').split('.')
    if parts[:2] not in (['com', 'amazonaws'], ['aws', 'api']) or 'vpce' in parts[:3]:
        return
    service = '.'.join(parts[3:])
    offered = parts[2:3] == [region] and _offered(service, region)
    if not offered:
        raise Refused('InvalidServiceName', f"The Vpc Endpoint Service '{name}' does not exist")


def offered_services(region: str) -> list[str]:
    """The ends of the names of all services that a VPC of the region can have an endpoint for."""
    return sorted(name for name in _names() | _ALSO | _ONLY_BEFORE_2024 if _offered(name, region))


def _offered(service: str, region: str) -> bool:
    if service in _ONLY_BEFORE_2024:
        return region not in _SINCE_2024
    return service in _ALSO or service.split('-fips')[0] in _names()


@cache
def _names() -> frozenset[str]:
    """The services that have an address of their own: the names of endpoints are made of these."""
    text = (Path(botocore.__file__).parent / 'data/endpoints.json').read_text(encoding='utf-8')
    found: set[str] = set()
    for partition in json.loads(text)['partitions']:
        found |= set(partition['services'])
    return frozenset(found)


def lustre_ports(members: Mapping[str, Any]) -> None:
    """CreateFileSystem of Lustre: its groups let in 988 (Lustre User Guide, "File system access control")."""
    groups = members.get('SecurityGroupIds') or []
    if members.get('FileSystemType') != 'LUSTRE' or not groups:
        return
    known = [ec2._security_groups[one] for one in groups if one in ec2._security_groups]
    if known and not any(_lets_in(permission, 988) for one in known for permission in one.get('IpPermissions') or []):
        raise Refused(
            'InvalidNetworkSettings',
            f'The Amazon FSx file system cannot be created because the security groups {", ".join(groups)} do not '
            'permit Lustre LNET network traffic on port 988.',
        )


def _lets_in(permission: Mapping[str, Any], port: int) -> bool:
    if str(permission.get('IpProtocol')) == '-1':
        return True
    low, high = permission.get('FromPort'), permission.get('ToPort')
    return low is not None and high is not None and int(low) <= port <= int(high)


def instance_type(members: Mapping[str, Any]) -> None:
    """RunInstances has it from its model; CloudFormation asks it for instances and launch templates."""
    wanted = (members.get('LaunchTemplateData') or members).get('InstanceType')
    model = models.model_of('ec2')
    if wanted and model is not None and wanted not in model.shape_for('InstanceType').enum:
        raise Refused('InvalidParameterValue', f"Invalid value '{wanted}' for InstanceType.")


def code(members: Mapping[str, Any]) -> None:
    """CreateFunction, UpdateFunctionCode and AWS::Lambda::Function: code in S3 has to be there."""
    where = members.get('Code') or members
    bucket, name = where.get('S3Bucket'), where.get('S3Key')
    if not bucket or not name:
        return
    lacks = '' if bucket in s3._buckets else 'NoSuchBucket'
    lacks = lacks or ('' if s3._get_object_data(bucket, name, version_id=where.get('S3ObjectVersion')) else 'NoSuchKey')
    if lacks:
        told = f'Error occurred while GetObject. S3 Error Code: {lacks}. S3 Error Message: {bucket}/{name}'
        raise Refused('InvalidParameterValueException', told)
