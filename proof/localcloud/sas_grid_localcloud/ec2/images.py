"""Machine images that AWS announces by public SSM parameters. Their contents do not exist here."""

import fnmatch
import hashlib
import threading
from collections.abc import Mapping
from itertools import product
from typing import Any

from ministack.services import ec2, ssm

from ..query import Refused
from .state import Record, tag_set

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
    """DescribeImages: what is announced by parameters, and what was registered.

    Any image can be launched here; one that is asked for by an id of which nothing is known is not there, as on AWS.
    """
    known = {one['imageId']: one for one in (*_announced(), *_registered())}
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
    'root-device-type': 'rootDeviceType',
}


def _matches(image: Record, one: Mapping[str, Any]) -> bool:
    field = _FILTERS.get(one['Name'])
    if field is None:
        raise Refused('InvalidParameterValue', f"The filter '{one['Name']}' is invalid")
    return any(fnmatch.fnmatchcase(str(image[field]), str(pattern)) for pattern in one.get('Value') or [])


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


def _registered() -> list[Record]:
    views = [ec2._image_view(one) for one in ec2._images.values()]
    views += [ec2._stub_image_view(*one) for one in ec2._STUB_AMIS]
    return [
        _shown(
            view['ImageId'],
            view['Name'],
            owner=view['OwnerId'],
            architecture=view['Architecture'],
            device=view['RootDeviceName'],
        )
        for view in views
    ]


def _shown(image: str, name: str, *, owner: str, architecture: str, device: str) -> Record:
    return {
        'imageId': image,
        'imageLocation': f'{owner}/{name}',
        'imageState': 'available',
        'imageOwnerId': owner,
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
