"""What all parts of the emulated EC2 share: the lock, ids, tags and who may see a new object yet."""

import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any

from ministack.services import ec2

from .. import settings
from ..query import Refused

LOCK = threading.RLock()
"""Held while hardware state is read and changed together."""

Record = dict[str, Any]
Tags = list[dict[str, str]]


def new_id(prefix: str) -> str:
    """An id as EC2 makes them: the prefix and 17 hexadecimal digits."""
    return f'{prefix}-{uuid.uuid4().hex[:17]}'


def now() -> str:
    """The time as EC2 writes it."""
    return time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime())


def born(record: Record) -> Record:
    """Mark a record as just created: describes do not show it for a moment."""
    record['_visible_at'] = time.monotonic() + settings.delays().visible
    return record


def visible(record: Mapping[str, Any]) -> bool:
    """Whether describes show this record already."""
    return time.monotonic() >= float(record.get('_visible_at', 0))


def tags_of(resource: str) -> Tags:
    """The tags of a resource, as ministack's CreateTags keeps them."""
    tags = ec2._tags.get(resource)
    return list(tags) if tags else []


def set_tags(resource: str, tags: Tags) -> None:
    """Replace the tags of a resource; EC2 refuses more than 50 and keys given twice."""
    keys = [tag['Key'] for tag in tags]
    if len(keys) != len(set(keys)):
        raise Refused('InvalidParameterValue', 'Duplicate tag key specified.')
    if len([key for key in keys if not key.startswith('aws:')]) > 50:
        raise Refused('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.')
    if tags:
        ec2._tags[resource] = [{'Key': tag['Key'], 'Value': str(tag.get('Value', ''))} for tag in tags]
    else:
        ec2._tags.pop(resource, None)


def requested_tags(request: Mapping[str, Any], kind: str) -> Tags:
    """Tags that a request gives to resources of this kind (``TagSpecification``)."""
    found: Tags = []
    for specification in request.get('TagSpecification') or []:
        if specification.get('ResourceType') == kind:
            for tag in specification.get('Tag') or []:
                found.append({'Key': tag['Key'], 'Value': tag.get('Value', '')})
    return found


def tag_set(resource: str) -> list[dict[str, str]]:
    """The tags as they appear in answers."""
    return [{'key': tag['Key'], 'value': tag['Value']} for tag in tags_of(resource)]


def instance_record(instance_id: str) -> Record:
    """The instance, or EC2's refusal."""
    _require_well_formed(instance_id, 'i', 'InvalidInstanceID.Malformed')
    record = ec2._instances.get(instance_id)
    if record is None:
        raise Refused('InvalidInstanceID.NotFound', f"The instance ID '{instance_id}' does not exist")
    return dict_of(record)


def volume_record(volume_id: str) -> Record:
    """The volume, or EC2's refusal."""
    _require_well_formed(volume_id, 'vol', 'InvalidParameterValue')
    record = ec2._volumes.get(volume_id)
    if record is None:
        raise Refused('InvalidVolume.NotFound', f"The volume '{volume_id}' does not exist.")
    return dict_of(record)


def interface_record(interface_id: str) -> Record:
    """The network interface, or EC2's refusal."""
    _require_well_formed(interface_id, 'eni', 'InvalidNetworkInterfaceId.Malformed')
    record = ec2._network_interfaces.get(interface_id)
    if record is None:
        raise Refused('InvalidNetworkInterfaceID.NotFound', f"The networkInterface ID '{interface_id}' does not exist")
    return dict_of(record)


def subnet_record(subnet_id: str) -> Record:
    """The subnet, or EC2's refusal."""
    record = ec2._subnets.get(subnet_id)
    if record is None:
        raise Refused('InvalidSubnetID.NotFound', f"The subnet ID '{subnet_id}' does not exist")
    return dict_of(record)


def dict_of(record: Any) -> Record:
    """ministack is untyped: say once that its records are dictionaries (the same object comes back)."""
    assert isinstance(record, dict)
    return record


def _require_well_formed(text: str, prefix: str, code: str) -> None:
    digits = text.removeprefix(f'{prefix}-')
    hexadecimal = all(c in '0123456789abcdef' for c in digits.lower())
    if digits == text or len(digits) not in (8, 17) or not hexadecimal:
        raise Refused(code, f'Invalid id: "{text}" (expecting "{prefix}-...")')
