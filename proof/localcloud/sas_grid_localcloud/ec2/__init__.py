"""EC2 as the reference deployments need it: instances, volumes, interfaces with their states and errors."""

from collections.abc import Callable, Mapping
from typing import Any

from ministack.services import ec2

from ..query import EC2, Answer, Parameters, Refused, flag, parse
from ..throttling import throttled
from . import (
    addresses,
    connections,
    console,
    default_key,
    endpoint_services,
    images,
    impairment,
    instance_attributes,
    instances,
    interfaces,
    offerings,
    own_images,
    reservations,
    run_instances,
    snapshots,
    volume_attachments,
    volumes,
)

ACTIONS: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    'RunInstances': run_instances.run,
    'DescribeInstances': instances.describe,
    'DescribeInstanceStatus': instances.describe_status,
    'TerminateInstances': instances.terminate,
    'StopInstances': instances.stop,
    'StartInstances': instances.start,
    'RebootInstances': instances.reboot,
    'ModifyInstanceAttribute': instance_attributes.modify_attribute,
    'ModifyInstanceMetadataOptions': instance_attributes.modify_metadata_options,
    'GetConsoleOutput': console.get_output,
    'CopySnapshot': snapshots.copy,
    'CreateSnapshot': snapshots.create,
    'CreateSnapshots': snapshots.create_several,
    'DeleteSnapshot': snapshots.delete,
    'DescribeSnapshots': snapshots.describe,
    'CreateVolume': volumes.create,
    'DeleteVolume': volumes.delete,
    'DescribeVolumes': volumes.describe,
    'ModifyVolume': volumes.modify,
    'DescribeVolumesModifications': volumes.describe_modifications,
    'AttachVolume': volume_attachments.attach,
    'DetachVolume': volume_attachments.detach,
    'CreateNetworkInterface': interfaces.create,
    'DeleteNetworkInterface': interfaces.delete,
    'DescribeNetworkInterfaces': interfaces.describe,
    'AttachNetworkInterface': interfaces.attach,
    'DetachNetworkInterface': interfaces.detach,
    'ModifyNetworkInterfaceAttribute': interfaces.modify_attribute,
    'CreateSubnetCidrReservation': addresses.create_reservation,
    'DeleteSubnetCidrReservation': addresses.delete_reservation,
    'GetSubnetCidrReservations': addresses.get_reservations,
    'DescribeCapacityReservations': reservations.describe,
    'DescribeImages': images.describe,
    'CreateImage': own_images.create,
    'DeregisterImage': own_images.deregister,
    'DescribeInstanceTypeOfferings': offerings.describe_offerings,
    'DescribeInstanceTypes': offerings.describe_types,
    'DescribeVpcEndpointServices': endpoint_services.describe,
    'DescribeVpcPeeringConnections': connections.describe_peerings,
    'CreateTransitGateway': connections.create_gateway,
    'CreateTransitGatewayVpcAttachment': connections.attach,
    'DescribeTransitGatewayVpcAttachments': connections.describe_attachments,
    'GetEbsDefaultKmsKeyId': default_key.get,
    'ModifyEbsDefaultKmsKeyId': default_key.modify,
    'ResetEbsDefaultKmsKeyId': default_key.reset,
}
"""What replaces or extends ministack's EC2."""

_TOO_MANY = Refused('RequestLimitExceeded', 'Request limit exceeded.', 503)


def install() -> None:
    """Put these actions into ministack, and let every action honour DryRun."""
    images.install()
    impairment.subscribe()
    for name, handle in ACTIONS.items():
        ec2._ACTION_MAP[name] = EC2.action(name, handle)
    for name, handler in list(ec2._ACTION_MAP.items()):
        ec2._ACTION_MAP[name] = throttled(EC2, name, _TOO_MANY, _dry_run_first(handler))


def call(action: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """An action of ours, called in-process with a nested request. Raises Refused."""
    return ACTIONS[action](request)


def _dry_run_first(handler: Callable[[Parameters], Answer]) -> Callable[[Parameters], Answer]:
    def guarded(parameters: Parameters) -> Answer:
        if flag(parse(parameters).get('DryRun')):
            message = 'Request would have succeeded, but DryRun flag is set.'
            return EC2.refusal(Refused('DryRunOperation', message, 412))
        return handler(parameters)

    return guarded
