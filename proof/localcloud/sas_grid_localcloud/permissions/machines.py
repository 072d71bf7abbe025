"""What calls about instances, volumes, interfaces and commands have to be allowed.

https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssystemsmanager.html, both read 2026-11-22
"""

from collections.abc import Iterable
from typing import Any

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import ec2

from ..ec2.state import tags_of
from ..scope import arn
from .check import Check, key_use, tag_keys

_KINDS = {'i': 'instance', 'vol': 'volume', 'eni': 'network-interface', 'snap': 'snapshot'}


def volume(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """Both the volume and the instance; whoever attaches a volume lets EC2 use the volume's key."""
    yield _on(api, str(request['VolumeId']))
    instance = request.get('InstanceId') or _holder(str(request['VolumeId']))
    if instance:
        yield _on(api, str(instance))
    if api == 'AttachVolume':
        key = (ec2._volumes.get(str(request['VolumeId'])) or {}).get('KmsKeyId')
        # https://docs.aws.amazon.com/ebs/latest/userguide/how-ebs-encryption-works.html
        yield from key_use('CreateGrant', key, 'ec2', **{'kms:GrantIsForAWSResource': 'true'})


def snapshot(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The volume, and the snapshot to be, which has the tags that it is given in the same call."""
    yield _on(api, str(request['VolumeId']))
    yield from _made(api, request, f'arn:aws:ec2:{get_region()}::snapshot/*')


def snapshots(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The instance, each of its volumes, and the snapshots to be."""
    instance = str((request.get('InstanceSpecification') or {}).get('InstanceId'))
    yield _on(api, instance)
    for one, record in ec2._volumes.items():
        if any(held['InstanceId'] == instance for held in record['Attachments']):
            yield _on(api, str(one))
    yield from _made(api, request, f'arn:aws:ec2:{get_region()}::snapshot/*')


def copied_snapshot(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The copy to be, and the snapshot that is copied, in its region; its key, which EC2 uses in the caller's name."""
    with request_scope(get_account_id(), str(request.get('SourceRegion') or get_region())):
        yield _on(api, str(request['SourceSnapshotId']))
        key = (ec2._snapshots.get(str(request['SourceSnapshotId'])) or {}).get('KmsKeyId')
        yield from key_use('Decrypt', key, 'ec2')
        yield from key_use('CreateGrant', key, 'ec2', **{'kms:GrantIsForAWSResource': 'true'})
    yield from _made(api, request, f'arn:aws:ec2:{get_region()}::snapshot/*')


def deleted_snapshot(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The snapshot."""
    yield _on(api, str(request['SnapshotId']))


def new_volume(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The volume to be, and the snapshot that it is made of."""
    yield from _made(api, request, arn('ec2', 'volume/*'))
    if request.get('SnapshotId'):
        yield _on(api, str(request['SnapshotId']))


def _made(api: str, request: dict[str, Any], resource: str) -> Iterable[Check]:
    """What is made, with the tags that it is given in the same call."""
    specifications = request.get('TagSpecification') or []
    given = [tag for one in specifications for tag in one.get('Tag') or []]
    keys: dict[str, Any] = {f'aws:RequestTag/{tag["Key"]}': tag.get('Value', '') for tag in given}
    keys['aws:TagKeys'] = [tag['Key'] for tag in given]
    yield Check(f'ec2:{api}', resource, keys)
    if given:
        yield Check('ec2:CreateTags', resource, {**keys, 'ec2:CreateAction': api})


def interface(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """Both the interface and the instance."""
    for found in _interface(request):
        yield _on(api, found)


def instances(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """Each of the instances."""
    for one in _texts(request.get('InstanceId')):
        yield _on(api, one)


def instance_attribute(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The instance, the volumes whose mappings are changed, and the security groups that it is given."""
    instance = str(request['InstanceId'])
    yield _on(api, instance)
    names = {mapping.get('DeviceName') for mapping in request.get('BlockDeviceMapping') or []}
    for one, record in ec2._volumes.items():
        if any(held['InstanceId'] == instance and held['Device'] in names for held in record['Attachments']):
            yield _on(api, str(one))
    for group in _texts(request.get('GroupId')):
        yield Check(f'ec2:{api}', arn('ec2', f'security-group/{group}'))


def interface_attribute(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The interface, the instance that has it, and the security groups that it is given."""
    interface_id = str(request['NetworkInterfaceId'])
    yield _on(api, interface_id)
    held = (ec2._network_interfaces.get(interface_id) or {}).get('Attachment')
    if held:
        yield _on(api, str(held['InstanceId']))
    for group in _texts(request.get('SecurityGroupId')):
        yield Check(f'ec2:{api}', arn('ec2', f'security-group/{group}'))


def tags(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """Each of the resources, which may have tags already, with the tags that it is given."""
    given = [{'Key': tag['Key'], 'Value': tag.get('Value', '')} for tag in request.get('Tag') or []]
    keys: dict[str, Any] = {f'aws:RequestTag/{tag["Key"]}': tag['Value'] for tag in given}
    keys['aws:TagKeys'] = [tag['Key'] for tag in given]
    for one in _texts(request.get('ResourceId')):
        yield _on(api, one, keys)


def command(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The document and each of the instances."""
    from ..state_manager import runs

    name = str(request['DocumentName'])
    aws_own = name.startswith('AWS-')
    resource = arn('ssm', f'document/{name}')
    yield Check(f'ssm:{api}', resource.replace(f':{resource.split(":")[4]}:', '::') if aws_own else resource)
    targets = request.get('Targets') or []
    for one in [*(request.get('InstanceIds') or []), *(runs.targeted(targets) if targets else [])]:
        yield Check(f'ssm:{api}', _arn(one), tag_keys(tags_of(one), 'ssm:resourceTag'))


def _on(api: str, resource: str, keys: dict[str, Any] | None = None) -> Check:
    return Check(f'ec2:{api}', _arn(resource), {**tag_keys(tags_of(resource), 'ec2:ResourceTag'), **(keys or {})})


def _arn(resource: str) -> str:
    # Snapshots have no account in their ARN.
    if resource.startswith('snap-'):
        return f'arn:aws:ec2:{get_region()}::snapshot/{resource}'
    return arn('ec2', f'{_KINDS.get(resource.split("-")[0], "*")}/{resource}')


def _holder(volume_id: str) -> str | None:
    attachments = (ec2._volumes.get(volume_id) or {}).get('Attachments') or []
    return attachments[0]['InstanceId'] if attachments else None


def _interface(request: dict[str, Any]) -> list[str]:
    if 'NetworkInterfaceId' in request:
        return [str(request['NetworkInterfaceId']), str(request['InstanceId'])]
    for one, record in ec2._network_interfaces.items():
        held = record.get('Attachment') or {}
        if held.get('AttachmentId') == request.get('AttachmentId'):
            return [str(one), str(held['InstanceId'])]
    return []


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []
