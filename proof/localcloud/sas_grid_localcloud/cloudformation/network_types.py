"""Network resource types that ministack lacks: addresses, NAT, placement groups, rules, flow logs."""

import re
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2
from ministack.services.cloudformation import provisioners

from ..ec2 import interfaces
from ..ec2.interfaces import drop_interfaces
from ..ec2.state import LOCK, dict_of, new_id, set_tags
from ..query import Refused
from .registry import Made, Properties, ResourceType, physical_name, register


def _ministack(action: str, identity: str, **parameters: Any) -> str:
    """Call a ministack EC2 action in-process; the text of the element that carries the new id."""
    flat = {key: str(value) for key, value in parameters.items() if value is not None}
    status, _, body = ec2._ACTION_MAP[action](flat)
    text = body.decode()
    if status >= 400:
        code, message = (_element(text, name) for name in ('Code', 'Message'))
        raise Refused(code, message, status)
    return _element(text, identity) if identity else ''


def _element(text: str, name: str) -> str:
    found = re.search(f'<{name}>([^<]*)</{name}>', text)
    return found.group(1) if found else ''


def _tags(properties: Properties) -> list[dict[str, str]]:
    return list(properties.get('Tags') or [])


# --- AWS::EC2::EIP and EIPAssociation


def _allocate(logical_id: str, properties: Properties, stack: str) -> Made:
    allocation = _ministack('AllocateAddress', 'allocationId', Domain='vpc')
    set_tags(allocation, _tags(properties))
    record = ec2._addresses[allocation]
    if properties.get('InstanceId'):
        _associate_record(allocation, properties['InstanceId'])
    return str(record['PublicIp']), {'AllocationId': allocation, 'PublicIp': record['PublicIp']}


def _release(physical_id: str, properties: Properties) -> None:
    for allocation, record in list(ec2._addresses.items()):
        if record['PublicIp'] == physical_id:
            _ministack('ReleaseAddress', '', AllocationId=allocation)


def _update_address(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
    for allocation, record in ec2._addresses.items():
        if record['PublicIp'] == physical_id:
            set_tags(allocation, _tags(new))
            if new.get('InstanceId') and new['InstanceId'] != old.get('InstanceId'):
                _associate_record(allocation, new['InstanceId'])
            elif old.get('InstanceId') and not new.get('InstanceId') and record.get('AssociationId'):
                _disassociate(record['AssociationId'], old)
    return physical_id, {}


def _associate_record(allocation: str, instance_id: str) -> str:
    instance = ec2._instances.get(instance_id)
    if instance is None:
        raise Refused('InvalidInstanceID.NotFound', f"The instance ID '{instance_id}' does not exist")
    association = _ministack('AssociateAddress', 'associationId', AllocationId=allocation, InstanceId=instance_id)
    instance['PublicIpAddress'] = ec2._addresses[allocation]['PublicIp']
    return association


def _associate(logical_id: str, properties: Properties, stack: str) -> Made:
    if not properties.get('InstanceId'):
        raise Refused('UnsupportedOperation', 'an EIPAssociation without InstanceId is not implemented')
    association = _associate_record(properties['AllocationId'], properties['InstanceId'])
    return association, {'Id': association}


def _disassociate(physical_id: str, properties: Properties) -> None:
    _ministack('DisassociateAddress', '', AssociationId=physical_id)


# --- AWS::EC2::NatGateway


def _create_nat(logical_id: str, properties: Properties, stack: str) -> Made:
    names = ('SubnetId', 'AllocationId', 'ConnectivityType')
    wanted = {key: properties.get(key) for key in names}
    if wanted['AllocationId'] and wanted['AllocationId'] not in ec2._addresses:
        raise Refused('InvalidAllocationID.NotFound', f"The allocation ID '{wanted['AllocationId']}' does not exist")
    with LOCK:
        interface = interfaces.new_interface(
            str(wanted['SubnetId']), address=properties.get('PrivateIpAddress'), kind='nat_gateway'
        )
        nat = _ministack('CreateNatGateway', 'natGatewayId', **wanted)
        interface['Status'] = 'in-use'
        ec2._nat_gateways[nat]['_interface'] = interface['NetworkInterfaceId']
    set_tags(nat, _tags(properties))
    return nat, {'NatGatewayId': nat, 'EniId': interface['NetworkInterfaceId']}


def _delete_nat(physical_id: str, properties: Properties) -> None:
    with LOCK:
        record = ec2._nat_gateways.get(physical_id)
        if record:
            drop_interfaces([record['_interface']])
            _ministack('DeleteNatGateway', '', NatGatewayId=physical_id)


# --- AWS::EC2::PlacementGroup


def _create_group(logical_id: str, properties: Properties, stack: str) -> Made:
    name = physical_name(stack, logical_id)
    _ministack(
        'CreatePlacementGroup',
        '',
        GroupName=name,
        Strategy=properties.get('Strategy'),
        PartitionCount=properties.get('PartitionCount'),
        SpreadLevel=properties.get('SpreadLevel'),
    )
    set_tags(ec2._placement_groups[name]['GroupId'], _tags(properties))
    return name, {'GroupName': name}


def _delete_group(physical_id: str, properties: Properties) -> None:
    busy = [
        one['InstanceId']
        for one in ec2._instances.values()
        if one['Placement']['GroupName'] == physical_id and one['State']['Name'] != 'terminated'
    ]
    if busy:
        raise Refused(
            'InvalidPlacementGroup.InUse', f'The placement group {physical_id} is in use by {", ".join(busy)}'
        )
    if physical_id in ec2._placement_groups:
        _ministack('DeletePlacementGroup', '', GroupName=physical_id)


# --- AWS::EC2::SecurityGroupIngress and SecurityGroupEgress


def _rule_type(direction: str, store: str, peers: str) -> ResourceType:
    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        group = _group(properties['GroupId'])
        permission = _permission(properties)
        with LOCK:
            if any(ec2._rules_match(one, permission) for one in group[store]):
                rule = ' '.join(f'{key}={value}' for key, value in properties.items() if key != 'Description')
                raise Refused('InvalidPermission.Duplicate', f'the specified rule "{rule}" already exists')
            group[store].append(permission)
        return new_id('sgr'), {}

    def update(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
        # Only what describes the rule is changed in place.
        with LOCK:
            group, permission = _group(new['GroupId']), _permission(new)
            group[store][:] = [permission if ec2._rules_match(one, permission) else one for one in group[store]]
        return physical_id, {}

    def delete(physical_id: str, properties: Properties) -> None:
        with LOCK:
            group = ec2._security_groups.get(properties['GroupId'])
            if group:
                permission = _permission(properties)
                group[store][:] = [one for one in group[store] if not ec2._rules_match(one, permission)]

    shape = f'CidrIp CidrIpv6 Description FromPort GroupId IpProtocol ToPort {peers}'
    return ResourceType(f'AWS::EC2::SecurityGroup{direction}', create, delete, frozenset(shape.split()), update)


def _group(group_id: str) -> dict[str, Any]:
    group = ec2._security_groups.get(group_id)
    if group is None:
        raise Refused('InvalidGroup.NotFound', f"The security group '{group_id}' does not exist")
    return dict_of(group)


def _permission(properties: Properties) -> dict[str, Any]:
    for key in ('SourceSecurityGroupId', 'DestinationSecurityGroupId'):
        if properties.get(key):
            _group(properties[key])
    permission = dict_of(provisioners._ec2_sg_permissions([dict(properties)])[0])
    for pair in permission['UserIdGroupPairs']:
        pair.setdefault('UserId', get_account_id())
    return permission


# --- AWS::EC2::FlowLog


def _create_flow_log(logical_id: str, properties: Properties, stack: str) -> Made:
    destination = properties.get('LogDestination') or properties.get('LogGroupName')
    parameters: dict[str, Any] = {
        'ResourceId.1': properties['ResourceId'],
        'ResourceType': properties['ResourceType'],
        'TrafficType': properties.get('TrafficType'),
        'LogDestinationType': properties.get('LogDestinationType'),
        'LogDestination': destination,
    }
    _ministack('CreateFlowLogs', '', **parameters)
    log_id = str(list(ec2._flow_logs)[-1])
    extra = {key: properties.get(key) for key in ('DeliverLogsPermissionArn', 'LogFormat', 'MaxAggregationInterval')}
    ec2._flow_logs[log_id].update(extra)
    set_tags(log_id, _tags(properties))
    return log_id, {'Id': log_id}


def _delete_flow_log(physical_id: str, properties: Properties) -> None:
    ec2._flow_logs.pop(physical_id, None)
    ec2._tags.pop(physical_id, None)


def _retag(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
    set_tags(physical_id, _tags(new))
    return physical_id, {}


def install() -> None:
    """Register the types."""
    register(
        ResourceType(
            'AWS::EC2::EIP',
            _allocate,
            _release,
            frozenset({'Domain', 'InstanceId', 'Tags'}),
            _update_address,
        )
    )
    register(
        ResourceType('AWS::EC2::EIPAssociation', _associate, _disassociate, frozenset({'AllocationId', 'InstanceId'}))
    )
    register(
        ResourceType(
            'AWS::EC2::NatGateway',
            _create_nat,
            _delete_nat,
            frozenset({'AllocationId', 'ConnectivityType', 'PrivateIpAddress', 'SubnetId', 'Tags'}),
            _retag,
        )
    )
    register(
        ResourceType(
            'AWS::EC2::PlacementGroup',
            _create_group,
            _delete_group,
            frozenset({'PartitionCount', 'SpreadLevel', 'Strategy', 'Tags'}),
        )
    )
    register(
        _rule_type('Ingress', 'IpPermissions', 'SourceSecurityGroupId SourcePrefixListId SourceSecurityGroupOwnerId')
    )
    register(_rule_type('Egress', 'IpPermissionsEgress', 'DestinationSecurityGroupId DestinationPrefixListId'))
    register(
        ResourceType(
            'AWS::EC2::FlowLog',
            _create_flow_log,
            _delete_flow_log,
            frozenset(
                [
                    'DeliverLogsPermissionArn',
                    'LogDestination',
                    'LogDestinationType',
                    'LogFormat',
                    'LogGroupName',
                    'MaxAggregationInterval',
                    'ResourceId',
                    'ResourceType',
                    'Tags',
                    'TrafficType',
                ]
            ),
            _retag,
        )
    )
