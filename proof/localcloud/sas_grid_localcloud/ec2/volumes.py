"""EBS volumes: create, describe, modify, delete."""

from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2

from .. import clock, history, settings, signals
from ..query import Refused, flag, integer
from ..scope import in_scope
from . import snapshot_contents, snapshots
from .describing import Fields, choose, page
from .idempotency import once
from .lagging import as_seen
from .multi_attach import check_modification
from .state import LOCK, Record, born, new_id, now, requested_tags, set_tags, tag_set, volume_record
from .transitions import set_volume_state
from .volume_limits import check, iops_of, limits_of, throughput_of

FILTERS: Fields = {
    'volume-id': lambda v: [v['VolumeId']],
    'status': lambda v: [v['State']],
    'volume-type': lambda v: [v['VolumeType']],
    'size': lambda v: [str(v['Size'])],
    'encrypted': lambda v: [str(bool(v['Encrypted'])).lower()],
    'availability-zone': lambda v: [v['AvailabilityZone']],
    'snapshot-id': lambda v: [v['SnapshotId']],
    'multi-attach-enabled': lambda v: [str(bool(v['MultiAttachEnabled'])).lower()],
    'attachment.instance-id': lambda v: [a['InstanceId'] for a in v['Attachments']],
    'attachment.status': lambda v: [a['State'] for a in v['Attachments']],
    'attachment.device': lambda v: [a['Device'] for a in v['Attachments']],
    'attachment.delete-on-termination': lambda v: [
        str(bool(a['DeleteOnTermination'])).lower() for a in v['Attachments']
    ],
}


def _create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateVolume."""
    zone = request.get('AvailabilityZone')
    if not zone:
        raise Refused('MissingParameter', 'The request must contain the parameter AvailabilityZone')
    if not str(zone).startswith(get_region()):
        raise Refused('InvalidZone.NotFound', f"The zone '{zone}' does not exist.")
    volume = new_volume(
        zone=str(zone),
        kind=str(request.get('VolumeType') or 'gp2'),
        size=integer(request.get('Size'), 'size'),
        iops=integer(request.get('Iops'), 'iops'),
        throughput=integer(request.get('Throughput'), 'throughput'),
        encrypted=flag(request.get('Encrypted')),
        key=request.get('KmsKeyId'),
        snapshot=str(request.get('SnapshotId') or ''),
        multi_attach=flag(request.get('MultiAttachEnabled')),
    )
    with LOCK:
        set_tags(volume['VolumeId'], requested_tags(request, 'volume'))
        ec2._volumes[volume['VolumeId']] = volume
        set_volume_state(volume, 'creating')
    clock.after(settings.delays().attach, in_scope(lambda: _created(volume)))
    return shown(volume)


def _show_again(answer: Mapping[str, Any]) -> dict[str, Any]:
    volume = ec2._volumes.get(answer['volumeId'])
    return dict(answer) if volume is None else shown(volume)


create = once(_create, _show_again)


def new_volume(
    *,
    zone: str,
    kind: str,
    size: int | None,
    iops: int | None = None,
    throughput: int | None = None,
    encrypted: bool = False,
    key: str | None = None,
    snapshot: str = '',
    multi_attach: bool = False,
) -> Record:
    """A volume record that is not stored yet, checked against the limits of its type."""
    limits_of(kind)
    origin = snapshots.completed(snapshot) if snapshot else None
    if size is None:
        if origin is None:
            raise Refused('MissingParameter', 'The request must contain the parameter size/snapshot')
        size = int(origin['VolumeSize'])
    if origin is not None:
        if size < origin['VolumeSize']:
            raise Refused(
                'InvalidParameterValue',
                f"Volume of size {size}GB is smaller than snapshot '{snapshot}', expect size >= "
                f'{origin["VolumeSize"]}GB',
            )
        # What is made of an encrypted snapshot is encrypted, with its key unless another one is named.
        encrypted, key = encrypted or bool(origin['Encrypted']), key or origin.get('KmsKeyId')
    check(kind, size, iops, throughput, multi_attach)
    identity = new_id('vol')
    if origin is not None:
        snapshot_contents.current().fill(identity, snapshot)
    return born(
        {
            'VolumeId': identity,
            'Size': size,
            'AvailabilityZone': zone,
            'State': None,
            'VolumeType': kind,
            'SnapshotId': snapshot,
            'Iops': iops_of(kind, size, iops),
            'Encrypted': encrypted or bool(key),
            'KmsKeyId': key,
            'CreateTime': now(),
            'Attachments': [],
            'MultiAttachEnabled': multi_attach,
            'Throughput': throughput_of(kind, throughput),
        }
    )


def _created(volume: Record) -> None:
    with LOCK:
        if volume['State'] == 'creating':
            set_volume_state(volume, 'available')


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteVolume."""
    with LOCK:
        volume = volume_record(str(request.get('VolumeId')))
        if volume['Attachments']:
            holder = volume['Attachments'][0]['InstanceId']
            raise Refused('VolumeInUse', f'Volume {volume["VolumeId"]} is currently attached to {holder}')
        if volume['State'] not in ('available', 'error'):
            raise Refused('IncorrectState', f"Volume '{volume['VolumeId']}' is in the '{volume['State']}' state.")
        history.record('volume', volume['VolumeId'], volume['State'], 'deleted')
        ec2._volumes.pop(volume['VolumeId'], None)
        ec2._tags.pop(volume['VolumeId'], None)
    return {'return': True}


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeVolumes."""
    with LOCK:
        found = choose(
            [as_seen(one) for one in ec2._volumes.values()],
            request,
            key='VolumeId',
            ids=request.get('VolumeId') or [],
            fields=FILTERS,
            missing=lambda one: Refused('InvalidVolume.NotFound', f"The volume '{one}' does not exist."),
        )
        chosen, token = page(found, request)
        return {'volumeSet': [shown(volume) for volume in chosen], 'nextToken': token}


def modify(request: Mapping[str, Any]) -> dict[str, Any]:
    """ModifyVolume. Volumes grow, never shrink. EBS also limits how often a volume is changed; here nothing does."""
    with LOCK:
        volume = volume_record(str(request.get('VolumeId')))
        before = dict(volume)
        size = integer(request.get('Size'), 'size', volume['Size']) or 0
        if size < volume['Size']:
            raise Refused('InvalidParameterValue', 'New size cannot be smaller than existing size')
        kind = str(request.get('VolumeType') or volume['VolumeType'])
        keep = volume['Iops'] if kind == volume['VolumeType'] and limits_of(kind).iops else None
        iops = integer(request.get('Iops'), 'iops', keep)
        keep = volume['Throughput'] if kind == volume['VolumeType'] == 'gp3' else None
        throughput = integer(request.get('Throughput'), 'throughput', keep)
        check(kind, size, iops, throughput)
        check_modification(volume, request)
        volume['MultiAttachEnabled'] = flag(request.get('MultiAttachEnabled'), default=volume['MultiAttachEnabled'])
        volume.update(
            Size=size,
            VolumeType=kind,
            Iops=iops_of(kind, size, iops),
            Throughput=throughput_of(kind, throughput),
        )
        volume['_modification'] = {
            'volumeId': volume['VolumeId'],
            'modificationState': 'completed',
            'originalSize': before['Size'],
            'originalIops': before['Iops'],
            'originalVolumeType': before['VolumeType'],
            'targetSize': size,
            'targetIops': volume['Iops'],
            'targetVolumeType': kind,
            'targetThroughput': volume['Throughput'] or None,
            'progress': 100,
            'startTime': now(),
            'endTime': now(),
        }
        signals.publish('volume-resized', volume_id=volume['VolumeId'], size=size)
    return {'volumeModification': {**volume['_modification'], 'modificationState': 'modifying', 'progress': 0}}


def describe_modifications(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeVolumesModifications."""
    wanted = request.get('VolumeId') or list(ec2._volumes)
    records = [volume_record(one) for one in wanted]
    return {'volumeModificationSet': [one['_modification'] for one in records if '_modification' in one]}


def shown(volume: Record) -> dict[str, Any]:
    """A volume as answers carry it."""
    return {
        'volumeId': volume['VolumeId'],
        'size': volume['Size'],
        'snapshotId': volume['SnapshotId'],
        'availabilityZone': volume['AvailabilityZone'],
        'status': volume['State'],
        'createTime': volume['CreateTime'],
        'attachmentSet': [shown_attachment(volume, one) for one in volume['Attachments']],
        'tagSet': tag_set(volume['VolumeId']),
        'volumeType': volume['VolumeType'],
        'iops': volume['Iops'] or None,
        'encrypted': bool(volume['Encrypted']),
        'kmsKeyId': volume.get('KmsKeyId'),
        'multiAttachEnabled': bool(volume['MultiAttachEnabled']),
        'throughput': volume.get('Throughput') or None,
    }


def shown_attachment(volume: Record, attachment: Record) -> dict[str, Any]:
    """An attachment as answers carry it."""
    return {
        'volumeId': volume['VolumeId'],
        'instanceId': attachment['InstanceId'],
        'device': attachment['Device'],
        'status': attachment['State'],
        'attachTime': attachment['AttachTime'],
        'deleteOnTermination': bool(attachment.get('DeleteOnTermination')),
    }
