"""What ministack's own CloudFormation handlers leave out, put in place after they ran."""

from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_region
from ministack.services import alb, dynamodb, ec2, route53, s3, sns

from .. import permissions
from ..query import flag
from .registry import NotImplementedHere, Properties


def table(physical_id: str, properties: Properties) -> None:
    """DynamoDB: time to live, point-in-time recovery, encryption key."""
    record = dynamodb._tables[physical_id]
    ttl = properties.get('TimeToLiveSpecification')
    if ttl:
        wanted = {'AttributeName': ttl['AttributeName'], 'Enabled': flag(ttl.get('Enabled'))}
        current = record.get('TimeToLiveDescription') or {}
        if current.get('AttributeName') != wanted['AttributeName']:
            dynamodb._update_ttl({'TableName': physical_id, 'TimeToLiveSpecification': wanted})
    recovery = properties.get('PointInTimeRecoverySpecification')
    if recovery:
        on = {'PointInTimeRecoveryEnabled': flag(recovery.get('PointInTimeRecoveryEnabled'))}
        dynamodb._update_continuous_backups({'TableName': physical_id, 'PointInTimeRecoverySpecification': on})
    encryption = properties.get('SSESpecification')
    if encryption and flag(encryption.get('SSEEnabled')):
        record['SSEDescription'] = {
            'Status': 'ENABLED',
            'SSEType': encryption.get('SSEType') or 'KMS',
            **({'KMSMasterKeyArn': encryption['KMSMasterKeyId']} if encryption.get('KMSMasterKeyId') else {}),
        }


def topic(physical_id: str, properties: Properties) -> None:
    """SNS: its encryption key."""
    key = properties.get('KmsMasterKeyId')
    attributes = sns._topics[physical_id]['attributes']
    if key:
        attributes['KmsMasterKeyId'] = str(key)
    else:
        attributes.pop('KmsMasterKeyId', None)


def inline_policy(physical_id: str, properties: Properties) -> None:
    """IAM: what it gives to roles counts a little later."""
    for role in properties.get('Roles') or []:
        permissions.changed(str(role), str(properties.get('PolicyName') or physical_id), properties['PolicyDocument'])


def bucket(physical_id: str, properties: Properties) -> None:
    """S3: tags and default encryption."""
    if properties.get('Tags'):
        s3._bucket_tags[physical_id] = {tag['Key']: tag['Value'] for tag in properties['Tags']}
    rules = (properties.get('BucketEncryption') or {}).get('ServerSideEncryptionConfiguration') or []
    if not rules:
        return
    default = rules[0].get('ServerSideEncryptionByDefault') or {}
    key = default.get('KMSMasterKeyID')
    if not key and default.get('SSEAlgorithm') == 'aws:kms':
        # The key that AWS manages for S3: ministack has none, and refuses uploads without a key id.
        return
    key_xml = f'<KMSMasterKeyID>{key}</KMSMasterKeyID>' if key else ''
    s3._put_bucket_encryption(
        physical_id,
        '<ServerSideEncryptionConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Rule>'
        f'<ApplyServerSideEncryptionByDefault><SSEAlgorithm>{default.get("SSEAlgorithm", "AES256")}</SSEAlgorithm>'
        f'{key_xml}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>'.encode(),
    )


def hosted_zone(physical_id: str, properties: Properties) -> None:
    """Route 53: private zones and their VPCs."""
    vpcs = properties.get('VPCs') or []
    attached = [{'VPCId': one['VPCId'], 'VPCRegion': one.get('VPCRegion', get_region())} for one in vpcs]
    route53._zones[physical_id].update(private=bool(attached), vpcs=attached)


def target_group(physical_id: str, properties: Properties) -> None:
    """Load balancing: the targets that the template names."""
    targets = properties.get('Targets') or []
    if targets:
        port = properties.get('Port')
        alb._targets[physical_id] = [{'Id': one['Id'], 'Port': int(one.get('Port', port))} for one in targets]


def vpc(physical_id: str, properties: Properties) -> Mapping[str, Any]:
    """VPC: attributes that templates read."""
    return {'CidrBlock': properties.get('CidrBlock', ''), 'CidrBlockAssociations': ['vpc-cidr-assoc']}


def route(properties: Properties) -> None:
    """Routes must lead somewhere that exists."""
    nat, gateway = properties.get('NatGatewayId'), properties.get('GatewayId')
    if nat and nat not in ec2._nat_gateways:
        raise NotImplementedHere(f'the NAT gateway {nat} does not exist (NatGatewayNotFound)')
    if gateway and gateway.startswith('igw-') and gateway not in ec2._internet_gateways:
        raise NotImplementedHere(f'the internet gateway {gateway} does not exist (InvalidInternetGatewayID.NotFound)')
