"""Custom::CDKBucketDeployment, with which the CDK copies assets into buckets, those of Service Catalog's products for
example. Its function is Python and calls the AWS CLI of a layer, which is not there: here CloudFormation copies.
"""

import fnmatch
import io
import uuid
import zipfile
from collections.abc import Mapping
from typing import Any

from ministack.services import s3

from ..query import Refused, flag
from .registry import Made, Properties, ResourceType, register


def _create(logical_id: str, properties: Properties, stack: str) -> Made:
    return f'aws.cdk.s3deployment.{uuid.uuid4()}', _deploy(properties)


def _update(physical_id: str, old: Properties, new: Properties, stack: str) -> Made:
    where = ('DestinationBucketName', 'DestinationBucketKeyPrefix')
    if any(old.get(one) != new.get(one) for one in where) and not flag(old.get('RetainOnDelete'), default=True):
        _empty(old, {})
    return physical_id, _deploy(new)


def _delete(physical_id: str, properties: Properties) -> None:
    if not flag(properties.get('RetainOnDelete'), default=True) and properties['DestinationBucketName'] in s3._buckets:
        _empty(properties, {})


def _deploy(properties: Properties) -> dict[str, Any]:
    wanted = _contents(properties)
    bucket = str(properties['DestinationBucketName'])
    for key, body in wanted.items():
        status, _, answer = s3._put_object(bucket, key, body, {})
        if status >= 400:
            raise Refused('CopyFailed', f'{key} could not be put into {bucket}: {answer!r}')
    if flag(properties.get('Prune'), default=True):
        _empty(properties, wanted)
    keys = list(properties['SourceObjectKeys']) if flag(properties.get('OutputObjectKeys'), default=True) else []
    return {
        'DestinationBucketArn': properties.get('DestinationBucketArn') or f'arn:aws:s3:::{bucket}',
        'SourceObjectKeys': keys,
    }


def _prefix(properties: Properties) -> str:
    given = str(properties.get('DestinationBucketKeyPrefix') or '').strip('/')
    return f'{given}/' if given else ''


def _contents(properties: Properties) -> dict[str, bytes]:
    """Keys in the destination and what is to lie there."""
    prefix, extract = _prefix(properties), flag(properties.get('Extract'), default=True)
    markers = list(properties.get('SourceMarkers') or [])
    found: dict[str, bytes] = {}
    pairs = zip(properties['SourceBucketNames'], properties['SourceObjectKeys'], strict=True)
    for number, (bucket, key) in enumerate(pairs):
        body = s3._get_object_data(bucket, key)
        if body is None:
            raise Refused('NoSuchKey', f's3://{bucket}/{key} does not exist')
        if not extract:
            found[prefix + key.rsplit('/', 1)[-1]] = bytes(body)
            continue
        replaced: Mapping[str, Any] = markers[number] if number < len(markers) else {}
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                if not name.endswith('/') and _included(name, properties):
                    found[prefix + name] = _with_markers(archive.read(name), replaced)
    return found


def _included(name: str, properties: Properties) -> bool:
    """As the CLI does: what is excluded, unless it is included again."""
    excluded = any(fnmatch.fnmatchcase(name, one) for one in properties.get('Exclude') or [])
    return not excluded or any(fnmatch.fnmatchcase(name, one) for one in properties.get('Include') or [])


def _with_markers(body: bytes, markers: Mapping[str, Any]) -> bytes:
    for marker, value in markers.items():
        body = body.replace(str(marker).encode(), str(value).encode())
    return body


def _empty(properties: Properties, keep: Mapping[str, bytes]) -> None:
    bucket, prefix = str(properties['DestinationBucketName']), _prefix(properties)
    known = (s3._buckets.get(bucket) or {}).get('objects') or {}
    for key in [one for one in known if one.startswith(prefix) and one not in keep]:
        s3._delete_object(bucket, key)


def install() -> None:
    """Register the type."""
    names = [
        'DestinationBucketArn',
        'DestinationBucketKeyPrefix',
        'DestinationBucketName',
        'Exclude',
        'Extract',
        'Include',
        'OutputObjectKeys',
        'Prune',
        'RetainOnDelete',
        'SourceBucketNames',
        'SourceMarkers',
        'SourceObjectKeys',
    ]
    accepted = frozenset({'SourceMarkersConfig', 'SystemMetadata', 'UserMetadata', 'WaitForDistributionInvalidation'})
    register(
        ResourceType('Custom::CDKBucketDeployment', _create, _delete, frozenset(names), _update, accepted=accepted)
    )
