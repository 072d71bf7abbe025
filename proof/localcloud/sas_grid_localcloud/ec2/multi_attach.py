"""What EBS refuses of Multi-Attach (EBS user guide, "Attach an EBS volume to multiple EC2 instances using
Multi-Attach" and "Disable Multi-Attach")."""

import re
from collections.abc import Mapping
from typing import Any

from ..query import Refused, flag
from .limits import family
from .state import Record

INSTANCES = 16
_XEN = re.compile(r'c[134]|cc2|cr1|d2|f1|g2|g3s?|h1|hs1|i[23]|m[1234]|p[23]|r[34]|t[12]|x1e?')


def on_nitro(instance_type: str) -> bool:
    """Whether the type is built on the Nitro System; all that came after these families is."""
    return _XEN.fullmatch(family(instance_type)) is None or instance_type == 'i3.metal'


def require_nitro(volume: Record, instance: Record) -> None:
    """Volumes with Multi-Attach attach to Nitro instances only."""
    if volume['MultiAttachEnabled'] and not on_nitro(instance['InstanceType']):
        raise Refused(
            'InvalidParameterCombination',
            f"Volume '{volume['VolumeId']}' is enabled for Multi-Attach, which the instance type "
            f"'{instance['InstanceType']}' does not support: it is not built on the Nitro System.",
        )


def require_room(volume: Record) -> None:
    """One volume has at most sixteen holders."""
    holders = len(volume['Attachments'])
    if holders >= INSTANCES:
        raise Refused('AttachmentLimitExceeded', f'{volume["VolumeId"]} is attached to {holders} instances')


def check_modification(volume: Record, request: Mapping[str, Any]) -> None:
    """Refuse what cannot be changed of a volume, with Multi-Attach or towards it. Resizing io2 is allowed."""
    identity, kind, shared = volume['VolumeId'], volume['VolumeType'], bool(volume['MultiAttachEnabled'])
    wanted = flag(request.get('MultiAttachEnabled'), default=shared)
    if wanted != shared:
        if kind != 'io2' or request.get('VolumeType') not in (None, '', 'io2'):
            raise Refused(
                'InvalidParameterCombination', f'Multi-Attach of {identity} ({kind}) cannot be changed: only io2 can'
            )
        if len(volume['Attachments']) > (1 if shared else 0):
            raise Refused('IncorrectState', f'Multi-Attach of {identity} can be changed only while it is not attached')
    if not shared:
        return
    if request.get('VolumeType') not in (None, '', kind):
        raise Refused('InvalidParameterCombination', f'the type of {identity} cannot change: it has Multi-Attach')
    if kind == 'io1' and (request.get('Size') or request.get('Iops')):
        raise Refused(
            'InvalidParameterCombination', f'size and IOPS of {identity} cannot change: it is io1 with Multi-Attach'
        )
