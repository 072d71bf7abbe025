"""Snapshots of volumes: ministack makes them, and here they take a while to be completed."""

from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from .. import clock, history, settings
from ..query import Refused
from ..scope import in_scope
from .state import LOCK, Record, now, requested_tags, set_tags


def create(request: Mapping[str, Any]) -> dict[str, Any]:
    """CreateSnapshot: pending, then completed (EBS user guide, "Amazon EBS snapshots")."""
    identity = str(request.get('VolumeId') or '')
    with LOCK:
        volume = ec2._volumes.get(identity)
        if volume is None:
            raise Refused('InvalidVolume.NotFound', f"The volume '{identity}' does not exist.")
        snapshot: Record = {
            'SnapshotId': ec2._new_snapshot_id(),
            'VolumeId': identity,
            'VolumeSize': volume['Size'],
            'Description': str(request.get('Description') or ''),
            'State': 'pending',
            'StartTime': now(),
            'Progress': '0%',
            'OwnerId': get_account_id(),
            'Encrypted': volume['Encrypted'],
            'StorageTier': 'standard',
        }
        set_tags(snapshot['SnapshotId'], requested_tags(request, 'snapshot'))
        ec2._snapshots[snapshot['SnapshotId']] = snapshot
        history.record('snapshot', snapshot['SnapshotId'], None, 'pending', volume=identity)
    clock.after(settings.delays().attach, in_scope(lambda: _completed(snapshot)))
    return {
        'snapshotId': snapshot['SnapshotId'],
        'volumeId': identity,
        'status': 'pending',
        'startTime': snapshot['StartTime'],
        'progress': '',
        'ownerId': snapshot['OwnerId'],
        'volumeSize': volume['Size'],
        'description': snapshot['Description'],
        'encrypted': volume['Encrypted'],
    }


def _completed(snapshot: Record) -> None:
    with LOCK:
        snapshot.update(State='completed', Progress='100%')
        history.record('snapshot', snapshot['SnapshotId'], 'pending', 'completed', volume=snapshot['VolumeId'])
