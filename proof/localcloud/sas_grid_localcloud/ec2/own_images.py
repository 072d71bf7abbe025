"""Images that are made of instances: CreateImage, DeregisterImage, and which images can be launched.

Amazon EC2 API Reference, "CreateImage", "DeregisterImage"; error codes: "Error codes for the Amazon EC2 API".
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from .. import clock, history, settings
from ..query import Refused, flag
from ..scope import in_scope
from . import snapshots
from .state import LOCK, Record, dict_of, instance_record, new_id, now, requested_tags, set_tags

_NAME = re.compile(r"[A-Za-z0-9()\[\] ./\-'@_]{3,128}")
_deregistered: set[str] = set()
_keep: Callable[[str, str, bool], None] | None = None
_drop: Callable[[str], None] | None = None


class CannotKeep(Exception):
    """Why what lies on an instance's disk cannot become an image."""


def use(keep: Callable[[str, str, bool], None], drop: Callable[[str], None]) -> None:
    """Where there are hosts, images have contents.

    :param keep: is told the instance, the image, and whether the instance may be stopped for it; raises CannotKeep
    """
    global _keep, _drop
    _keep, _drop = keep, drop


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateImage of an instance with its root volume. A running one is rebooted, unless NoReboot says not to."""
    identity, name = str(request.get('InstanceId') or ''), str(request.get('Name') or '')
    if not _NAME.fullmatch(name):
        raise Refused(
            'InvalidAMIName.Malformed',
            'AMI names must be between 3 and 128 characters long, and may contain letters, numbers, and '
            "( ) [ ] . / - ' @ _ and spaces",
        )
    if request.get('BlockDeviceMapping'):
        raise Refused('UnsupportedOperation', 'CreateImage with BlockDeviceMapping is not implemented by this AWS')
    with LOCK:
        instance = instance_record(identity)
        state = instance['State']['Name']
        if state not in ('running', 'stopped'):
            raise Refused('IncorrectState', f"The instance '{identity}' is {state}; it has to be running or stopped")
        if any(one['Name'] == name for one in ec2._images.values()):
            raise Refused('InvalidAMIName.Duplicate', f'AMI name {name} is already in use by AMI')
        root, image_id = _only_volume(instance), new_id('ami')
    restarts = state == 'running' and not flag(request.get('NoReboot'))
    if _keep is not None:
        try:
            _keep(identity, image_id, restarts)
        except CannotKeep as problem:
            raise Refused('UnsupportedOperation', str(problem)) from problem
    with LOCK:
        image = _record(image_id, instance, root, name, request)
        ec2._images[image_id] = image
        set_tags(image_id, requested_tags(request, 'image'))
        set_tags(image['_root']['snapshotId'], requested_tags(request, 'snapshot'))
        history.record('image', image_id, None, 'pending', instance=identity, name=name)
    if restarts:
        from . import instances

        instances.reboot({'InstanceId': [identity]})
    clock.after(settings.delays().image, in_scope(lambda: _available(image)))
    return {'imageId': image_id}


def deregister(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeregisterImage: nothing can be launched from it any more; what runs goes on. Snapshots stay, unless asked."""
    identity = str(request.get('ImageId') or '')
    with LOCK:
        image = ec2._images.pop(identity, None)
        if image is None:
            raise Refused('InvalidAMIID.NotFound', f"The image id '[{identity}]' does not exist")
        ec2._tags.pop(identity, None)
        _deregistered.add(identity)
        if flag(request.get('DeleteAssociatedSnapshots')) and image.get('_root'):
            snapshots.forget(image['_root']['snapshotId'])
        history.record('image', identity, image.get('State', 'available'), 'deregistered')
    if _drop is not None:
        _drop(identity)
    return {'return': True}


def require_launchable(image: str) -> None:
    """Refuse an image that is not there any more, or not yet."""
    if image in _deregistered:
        raise Refused('InvalidAMIID.NotFound', f"The image id '[{image}]' does not exist")
    if (ec2._images.get(image) or {}).get('State') == 'pending':
        raise Refused('InvalidAMIID.Unavailable', f"The image ID '{image}' is not available")


def root_of(image: str) -> Record:
    """How the root volume is that comes with an image of the account's own, as a launch asks for it."""
    root = (ec2._images.get(image) or {}).get('_root')
    if not root:
        return {}
    made: Record = {'VolumeSize': root['volumeSize'], 'VolumeType': root['volumeType'], 'Encrypted': root['encrypted']}
    return {**made, **({'KmsKeyId': root['kmsKeyId']} if root.get('kmsKeyId') else {})}


def _only_volume(instance: Record) -> Record:
    """The root volume. On AWS an image has the others, too."""
    held = [
        dict_of(volume)
        for volume in ec2._volumes.values()
        if any(one['InstanceId'] == instance['InstanceId'] for one in volume['Attachments'])
    ]
    if len(held) != 1:
        raise Refused(
            'UnsupportedOperation',
            f'{instance["InstanceId"]} has {len(held)} volumes; images of one with more than its root are not '
            'implemented by the embedded AWS: detach the others first',
        )
    return held[0]


def _record(identity: str, instance: Record, root: Record, name: str, request: Mapping[str, Any]) -> Record:
    told = f'Created by CreateImage({instance["InstanceId"]}) for {identity}'
    made = snapshots.create({'VolumeId': root['VolumeId'], 'Description': told})
    mapping: Record = {
        'snapshotId': made['snapshotId'],
        'volumeSize': root['Size'],
        'volumeType': root['VolumeType'],
        'deleteOnTermination': True,
        'encrypted': root['Encrypted'],
    }
    if root.get('KmsKeyId'):
        mapping['kmsKeyId'] = root['KmsKeyId']
    return {
        'ImageId': identity,
        'Name': name,
        'ImageLocation': '',
        'Description': str(request.get('Description') or ''),
        'Architecture': instance['Architecture'],
        'RootDeviceType': 'ebs',
        'RootDeviceName': instance['RootDeviceName'],
        'BlockDeviceMappings': [],
        'VirtualizationType': 'hvm',
        'CreationDate': now(),
        'OwnerId': get_account_id(),
        'State': 'pending',
        '_root': mapping,
        '_source': instance['InstanceId'],
    }


def _available(image: Record) -> None:
    with LOCK:
        if image['ImageId'] in ec2._images:
            image['State'] = 'available'
            history.record('image', image['ImageId'], 'pending', 'available', name=image['Name'])
