"""Machine images: those that AWS announces by public SSM parameters, those of distributions, and the account's own."""

import fnmatch
import hashlib
import threading
from collections.abc import Mapping
from itertools import product
from typing import Any

from ministack.services import ec2, ssm

from ..query import Refused
from . import published
from .state import Record, tag_set, tags_of

_AMAZON, _CANONICAL = '137112412989', '099720109477'

_lock = threading.Lock()
_changed: dict[str, Record] = {}
"""image id to what is otherwise about it; ``gone`` is one that the account cannot see"""

_PREFIX = '/aws/service/ami-amazon-linux-latest/'
_UBUNTU = '/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id'


def install() -> None:
    """Add the parameters of Amazon Linux that ministack lacks, and the one of Ubuntu."""
    names = [
        f'al2023-ami-{minimal}kernel-{kernel}-{architecture}'
        for minimal, kernel, architecture in product(
            ('', 'minimal-'), ('default', '6.1', '6.12', '6.18'), ('x86_64', 'arm64')
        )
    ]
    names += ['amzn2-ami-hvm-x86_64-gp2', 'amzn2-ami-hvm-arm64-gp2', 'amzn2-ami-kernel-5.10-hvm-x86_64-gp2']
    for name in [*(_PREFIX + name for name in names), _UBUNTU]:
        image = 'ami-' + hashlib.sha256(name.encode()).hexdigest()[:17]
        ssm._PUBLIC_AMI_PARAMETERS.setdefault(name, image)


def os_release(image: str) -> str:
    """What the image of a distribution says of itself; empty when it is none of these."""
    return next((one.os_release for one in published.IMAGES if one.image_id == image), '')


def amazon_linux(image: str) -> str:
    """The release of Amazon Linux in an image, ``2023`` or ``2``; empty when it is none of these."""
    for name, one in ssm._PUBLIC_AMI_PARAMETERS.items():
        if one == image and name.startswith(_PREFIX):
            return '2023' if 'al2023' in name else '2'
    return ''


def change(image: str, what: Mapping[str, Any]) -> None:
    """From now on this is otherwise about an image, as DescribeImages shows it (``architecture``: ``arm64``)."""
    with _lock:
        _changed[image] = {**_changed.get(image, {}), **what}


def calm() -> None:
    """Images are again as they were."""
    with _lock:
        _changed.clear()


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeImages: what is announced by parameters, published by distributions, made and registered.

    Any image can be launched here; one that is asked for by an id of which nothing is known is not there, as on AWS.
    """
    known = {one['imageId']: one for one in (*_announced(), *_published(), *_registered())}
    with _lock:
        changed = dict(_changed)
    shown = {image: {**one, **changed.get(image, {})} for image, one in known.items()}
    visible = {image: one for image, one in shown.items() if not one.pop('gone', False)}
    wanted = list(request.get('ImageId') or [])
    for image in wanted:
        if image not in visible:
            raise Refused('InvalidAMIID.NotFound', f"The image id '[{image}]' does not exist")
    owners = {'amazon': _AMAZON, 'self': ec2.get_account_id()}
    owned = [owners.get(one, one) for one in request.get('Owner') or []]
    found = [visible[image] for image in wanted or visible]
    for one in request.get('Filter') or []:
        found = [image for image in found if _matches(image, one)]
    return {'imagesSet': [image for image in found if not owned or image['imageOwnerId'] in owned]}


_FILTERS = {
    'image-id': 'imageId',
    'name': 'name',
    'state': 'imageState',
    'architecture': 'architecture',
    'owner-id': 'imageOwnerId',
    'virtualization-type': 'virtualizationType',
    'image-type': 'imageType',
    'root-device-type': 'rootDeviceType',
    'creation-date': 'creationDate',
    'description': 'description',
    'is-public': 'isPublic',
}


def _matches(image: Record, one: Mapping[str, Any]) -> bool:
    name = str(one['Name'])
    if name.startswith('tag:') or name == 'tag-key':
        tags = tags_of(image['imageId'])
        actual = [tag['Key'] for tag in tags] if name == 'tag-key' else []
        actual += [tag['Value'] for tag in tags if name == f'tag:{tag["Key"]}']
    elif name in _FILTERS:
        value = image[_FILTERS[name]]
        actual = [str(value).lower() if isinstance(value, bool) else str(value)]
    else:
        raise Refused('InvalidParameterValue', f"The filter '{name}' is invalid")
    return any(fnmatch.fnmatchcase(value, str(pattern)) for value in actual for pattern in one.get('Value') or [])


def _announced() -> list[Record]:
    return [
        _shown(
            image,
            name.rsplit('/', 1)[-1] if name.startswith(_PREFIX) else 'ubuntu-22.04-amd64-server',
            owner=_AMAZON if name.startswith(_PREFIX) else _CANONICAL,
            architecture='arm64' if 'arm64' in name else 'x86_64',
            device='/dev/xvda' if name.startswith(_PREFIX) else '/dev/sda1',
        )
        for name, image in ssm._PUBLIC_AMI_PARAMETERS.items()
        if name.startswith(_PREFIX) or name == _UBUNTU
    ]


def _published() -> list[Record]:
    return [
        _shown(
            one.image_id,
            one.name,
            owner=one.owner,
            architecture=one.architecture,
            device='/dev/sda1',
            created=one.created,
        )
        for one in published.IMAGES
    ]


def _registered() -> list[Record]:
    stubs = [ec2._stub_image_view(*one) for one in ec2._STUB_AMIS]
    shown = [
        _shown(
            view['ImageId'],
            view['Name'],
            owner=view['OwnerId'],
            architecture=view['Architecture'],
            device=view['RootDeviceName'],
        )
        for view in stubs
    ]
    return shown + [_own(dict(one)) for one in ec2._images.values()]


def _own(image: Record) -> Record:
    shown = _shown(
        image['ImageId'],
        image['Name'],
        owner=image['OwnerId'],
        architecture=image['Architecture'],
        device=image['RootDeviceName'],
        created=image['CreationDate'],
    )
    everybody = any(one.get('Group') == 'all' for one in image.get('LaunchPermissions') or [])
    more: Record = {'isPublic': everybody, 'imageState': image.get('State', 'available')}
    if image.get('Description'):
        more['description'] = image['Description']
    if image.get('_root'):
        more['blockDeviceMapping'] = [{'deviceName': image['RootDeviceName'], 'ebs': image['_root']}]
    if image.get('_source'):
        more['sourceInstanceId'] = image['_source']
    return {**shown, **more}


def _shown(
    image: str, name: str, *, owner: str, architecture: str, device: str, created: str = '2025-10-01T08:00:00.000Z'
) -> Record:
    return {
        'imageId': image,
        'imageLocation': f'{owner}/{name}',
        'imageState': 'available',
        'imageOwnerId': owner,
        'creationDate': created,
        'isPublic': owner != ec2.get_account_id(),
        'architecture': architecture,
        'imageType': 'machine',
        'name': name,
        'description': name,
        'rootDeviceType': 'ebs',
        'rootDeviceName': device,
        'blockDeviceMapping': [
            {
                'deviceName': device,
                'ebs': {'volumeSize': 8, 'volumeType': 'gp3', 'deleteOnTermination': True, 'encrypted': False},
            }
        ],
        'virtualizationType': 'hvm',
        'hypervisor': 'xen',
        'enaSupport': True,
        'bootMode': 'uefi' if architecture == 'arm64' else 'uefi-preferred',
        'tagSet': tag_set(image),
    }
