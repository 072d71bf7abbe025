"""Snapshots of volumes: of one, of all that an instance has at one moment, and copies of them.

Amazon EC2 API Reference, "CreateSnapshot", "CreateSnapshots", "CopySnapshot", "DeleteSnapshot"; EBS user guide, "Amazon
EBS snapshots". The moment is that of the call; they are pending for a while all the same.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import ec2

from .. import clock, history, settings
from ..query import Refused, flag
from ..scope import in_scope
from . import snapshot_contents
from .describing import Fields, choose, page
from .state import LOCK, Record, dict_of, instance_record, now, requested_tags, set_tags, tag_set, tags_of

FILTERS: Fields = {
    'description': lambda s: [s['Description']],
    'encrypted': lambda s: [str(bool(s['Encrypted'])).lower()],
    'owner-id': lambda s: [s['OwnerId']],
    'progress': lambda s: [s['Progress']],
    'snapshot-id': lambda s: [s['SnapshotId']],
    'start-time': lambda s: [s['StartTime']],
    'status': lambda s: [s['State']],
    'storage-tier': lambda s: [s['StorageTier']],
    'volume-id': lambda s: [s['VolumeId']],
    'volume-size': lambda s: [str(s['VolumeSize'])],
}
_STEPS = 4
"""in which progress is told"""
_NO_VOLUME = 'vol-ffffffff'
"""what a copy says that it is of"""
_COPIES = 20
"""at a time into a region: EBS user guide, "Copy an Amazon EBS snapshot", read 2026-11-28"""


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateSnapshot."""
    identity = str(request.get('VolumeId') or '')
    with LOCK:
        volume = ec2._volumes.get(identity)
        if volume is None:
            raise Refused('InvalidVolume.NotFound', f"The volume '{identity}' does not exist.")
        [snapshot] = _take([dict_of(volume)], request, lambda _: [])
    return {**shown(snapshot), 'progress': ''}


def create_several(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateSnapshots: the volumes of one instance, without the root volume or others where that is asked for."""
    wanted = dict(request.get('InstanceSpecification') or {})
    copied = request.get('CopyTagsFromSource') == 'volume'
    left_out = set(wanted.get('ExcludeDataVolumeId') or [])
    with LOCK:
        instance = instance_record(str(wanted.get('InstanceId') or ''))
        held = {
            str(one['Device']): dict_of(volume)
            for volume in ec2._volumes.values()
            for one in volume['Attachments']
            if one['InstanceId'] == instance['InstanceId']
        }
        if flag(wanted.get('ExcludeBootVolume')):
            held.pop(str(instance['RootDeviceName']), None)
        volumes = [one for one in held.values() if one['VolumeId'] not in left_out]
        unknown = left_out - {one['VolumeId'] for one in held.values()}
        if unknown:
            raise Refused('InvalidParameterValue', f'{", ".join(sorted(unknown))} is no volume of the instance')
        if not volumes:
            raise Refused('InvalidParameterValue', f'{instance["InstanceId"]} has no volume to make a snapshot of')
        made = _take(volumes, request, lambda one: tags_of(one['VolumeId']) if copied else [])
    return {'snapshotSet': [{**shown(one), 'status': None, 'state': one['State'], 'progress': ''} for one in made]}


def copy(request: Mapping[str, Any]) -> dict[str, Any]:
    """CopySnapshot, within the region or from another one, into the one that is asked.

    From another one it wants a signed request to that region, whose parameters are looked at, and its signature is not.
    The copy has the key that is named, or that region's default one; within the region, that of the original.
    """
    source, region = str(request.get('SourceSnapshotId') or ''), str(request.get('SourceRegion') or get_region())
    elsewhere = region != get_region()
    if elsewhere:
        _check_presigned(request, source, region)
    with LOCK:
        with request_scope(get_account_id(), region):
            original = completed(source)
        copies = [one for one in ec2._snapshots.values() if one['VolumeId'] == _NO_VOLUME]
        if sum(one['State'] == 'pending' for one in copies) >= _COPIES:
            raise Refused('ResourceLimitExceeded', f'{_COPIES} copies into {get_region()} are under way')
        key = request.get('KmsKeyId') or ('alias/aws/ebs' if elsewhere else original.get('KmsKeyId'))
        snapshot = _record(
            # As on AWS, a copy says of no volume that is there.
            {'VolumeId': _NO_VOLUME, 'Size': original['VolumeSize'], 'Encrypted': original['Encrypted']},
            str(request.get('Description') or original['Description']),
            now(),
        )
        snapshot.update(Encrypted=snapshot['Encrypted'] or flag(request.get('Encrypted')), KmsKeyId=key)
        snapshot_contents.current().duplicate(source, snapshot['SnapshotId'])
        _begin(snapshot, requested_tags(request, 'snapshot'))
    return {'snapshotId': snapshot['SnapshotId'], 'tagSet': tag_set(snapshot['SnapshotId'])}


def _check_presigned(request: Mapping[str, Any], source: str, region: str) -> None:
    url = urlsplit(str(request.get('PresignedUrl') or ''))
    told = {key: values[0] for key, values in parse_qs(url.query).items()}
    scope = told.get('X-Amz-Credential', '').split('/')
    wanted = {
        'Action': 'CopySnapshot',
        'SourceRegion': region,
        'SourceSnapshotId': source,
        'DestinationRegion': get_region(),
    }
    wrong = [key for key, value in wanted.items() if told.get(key) != value]
    if url.scheme not in ('http', 'https') or wrong or scope[2:4] != [region, 'ec2']:
        raise Refused('InvalidParameterValue', f'PresignedUrl is no CopySnapshot of {region}: {", ".join(wrong)}')


def delete(request: Mapping[str, Any]) -> dict[str, Any]:
    """DeleteSnapshot: refused while an image needs it."""
    identity = str(request.get('SnapshotId') or '')
    with LOCK:
        snapshot_record(identity)
        for image in ec2._images.values():
            if (image.get('_root') or {}).get('snapshotId') == identity:
                told = f'The snapshot {identity} is currently in use by {image["ImageId"]}'
                raise Refused('InvalidSnapshot.InUse', told)
        forget(identity)
    return {'return': True}


def forget(identity: str) -> None:
    """The snapshot is gone, with what is in it."""
    with LOCK:
        found = ec2._snapshots.pop(identity, None)
        ec2._tags.pop(identity, None)
    if found is not None:
        history.record('snapshot', identity, found['State'], 'deleted', volume=found['VolumeId'])
        snapshot_contents.current().drop_snapshot(identity)


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeSnapshots."""
    with LOCK:
        found = choose(
            [dict_of(one) for one in ec2._snapshots.values()],
            request,
            key='SnapshotId',
            ids=request.get('SnapshotId') or [],
            fields=FILTERS,
            missing=lambda one: Refused('InvalidSnapshot.NotFound', f"The snapshot '{one}' does not exist."),
        )
        owners = [get_account_id() if one == 'self' else one for one in request.get('Owner') or []]
        found = [one for one in found if not owners or one['OwnerId'] in owners]
        chosen, token = page(found, request)
        return {'snapshotSet': [shown(one) for one in chosen], 'nextToken': token}


def snapshot_record(identity: str) -> Record:
    """The snapshot, or EC2's refusal."""
    record = ec2._snapshots.get(identity)
    if record is None:
        raise Refused('InvalidSnapshot.NotFound', f"The snapshot '{identity}' does not exist.")
    return dict_of(record)


def completed(identity: str) -> Record:
    """A snapshot that can be used, or EC2's refusal."""
    record = snapshot_record(identity)
    if record['State'] != 'completed':
        raise Refused('IncorrectState', f'Snapshot is in invalid state - {record["State"]}')
    return record


def shown(snapshot: Record) -> dict[str, Any]:
    """A snapshot as answers carry it."""
    return {
        'snapshotId': snapshot['SnapshotId'],
        'volumeId': snapshot['VolumeId'],
        'status': snapshot['State'],
        'statusMessage': snapshot.get('StateMessage'),
        'startTime': snapshot['StartTime'],
        'progress': snapshot['Progress'],
        'ownerId': snapshot['OwnerId'],
        'volumeSize': snapshot['VolumeSize'],
        'description': snapshot['Description'],
        'encrypted': bool(snapshot['Encrypted']),
        'kmsKeyId': snapshot.get('KmsKeyId'),
        'storageTier': snapshot['StorageTier'],
        'tagSet': tag_set(snapshot['SnapshotId']),
    }


def _take(
    volumes: list[Record], request: Mapping[str, Any], more: Callable[[Record], Iterable[dict[str, str]]]
) -> list[Record]:
    """Snapshots of these volumes, which have one moment."""
    moment, description = now(), str(request.get('Description') or '')
    made = {volume['VolumeId']: _record(volume, description, moment) for volume in volumes}
    try:
        snapshot_contents.current().take({one['SnapshotId']: volume for volume, one in made.items()})
    except OSError as problem:
        # On AWS a snapshot that fails is there, and says so.
        for one in made.values():
            one.update(State='error', StateMessage=str(problem))
    for volume in volumes:
        tags = {tag['Key']: tag for tag in [*more(volume), *requested_tags(request, 'snapshot')]}
        kept = [tag for key, tag in tags.items() if not key.startswith('aws:')]
        _begin(made[volume['VolumeId']], kept)
    return list(made.values())


def _record(volume: Mapping[str, Any], description: str, moment: str) -> Record:
    return {
        'SnapshotId': ec2._new_snapshot_id(),
        'VolumeId': volume['VolumeId'],
        'VolumeSize': volume['Size'],
        'Description': description,
        'State': 'pending',
        'StartTime': moment,
        'Progress': '0%',
        'OwnerId': get_account_id(),
        'Encrypted': volume['Encrypted'],
        'KmsKeyId': volume.get('KmsKeyId'),
        'StorageTier': 'standard',
    }


def _begin(snapshot: Record, tags: list[dict[str, str]]) -> None:
    identity = snapshot['SnapshotId']
    set_tags(identity, tags)
    ec2._snapshots[identity] = snapshot
    history.record('snapshot', identity, None, snapshot['State'], volume=snapshot['VolumeId'])
    if snapshot['State'] != 'pending':
        return
    for step in range(1, _STEPS + 1):
        seconds = settings.delays().attach * step / _STEPS
        clock.after(seconds, in_scope(lambda part=step: _progress(snapshot, part)))  # type: ignore[misc]


def _progress(snapshot: Record, step: int) -> None:
    with LOCK:
        snapshot['Progress'] = f'{100 * step // _STEPS}%'
        if step == _STEPS:
            snapshot['State'] = 'completed'
            history.record('snapshot', snapshot['SnapshotId'], 'pending', 'completed', volume=snapshot['VolumeId'])
