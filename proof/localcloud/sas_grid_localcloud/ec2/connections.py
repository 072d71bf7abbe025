"""What connects VPCs: peering connections of ministack's with their ranges, and transit gateways."""

from collections.abc import Iterable, Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict, get_account_id
from ministack.services import ec2

from ..query import Refused
from .state import Record, new_id, requested_tags, set_tags, tag_set

_gateways: Any = AccountRegionScopedDict()
_attachments: Any = AccountRegionScopedDict()


def describe_peerings(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeVpcPeeringConnections."""
    statuses = next(
        (one.get('Value') for one in request.get('Filter') or [] if one['Name'] == 'status-code'),
        None,
    )
    ids = request.get('VpcPeeringConnectionId')
    found = [
        one
        for one in ec2._vpc_peering.values()
        if (not ids or one['VpcPeeringConnectionId'] in ids) and (statuses is None or one['Status']['Code'] in statuses)
    ]
    return {'vpcPeeringConnectionSet': [_peering(one) for one in found]}


def _peering(record: Record) -> Record:
    identity = record['VpcPeeringConnectionId']
    return {
        'vpcPeeringConnectionId': identity,
        'requesterVpcInfo': _side(record['RequesterVpcInfo']),
        'accepterVpcInfo': _side(record['AccepterVpcInfo']),
        'status': {'code': record['Status']['Code'], 'message': record['Status']['Message']},
        'tagSet': tag_set(identity),
    }


def _side(info: Mapping[str, Any]) -> Record:
    vpc = ec2._vpcs.get(info['VpcId']) or {}
    return {
        'vpcId': info['VpcId'],
        'ownerId': info.get('OwnerId'),
        'region': info.get('Region'),
        'cidrBlock': vpc.get('CidrBlock'),
    }


def create_gateway(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateTransitGateway. It is available at once."""
    identity = new_id('tgw')
    _gateways[identity] = {
        'transitGatewayId': identity,
        'state': 'available',
        'ownerId': get_account_id(),
        'description': request.get('Description') or '',
    }
    set_tags(identity, requested_tags(request, 'transit-gateway'))
    return {'transitGateway': {**_gateways[identity], 'tagSet': tag_set(identity)}}


def attach(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateTransitGatewayVpcAttachment."""
    gateway, vpc = str(request.get('TransitGatewayId')), str(request.get('VpcId'))
    if gateway not in _gateways:
        raise Refused('InvalidTransitGatewayID.NotFound', f'Transit Gateway {gateway} was deleted or does not exist.')
    if vpc not in ec2._vpcs:
        raise Refused('InvalidVpcID.NotFound', f"The vpc ID '{vpc}' does not exist")
    identity = new_id('tgw-attach')
    _attachments[identity] = {
        'transitGatewayAttachmentId': identity,
        'transitGatewayId': gateway,
        'vpcId': vpc,
        'vpcOwnerId': get_account_id(),
        'state': 'available',
        'subnetIds': list(request.get('SubnetIds') or []),
    }
    return {'transitGatewayVpcAttachment': _attachments[identity]}


def describe_attachments(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeTransitGatewayVpcAttachments."""
    if request.get('Filter'):
        raise Refused('InvalidParameterValue', 'Filters of this call are not emulated')
    found: Iterable[Record] = _attachments.values()
    return {'transitGatewayVpcAttachments': list(found)}
