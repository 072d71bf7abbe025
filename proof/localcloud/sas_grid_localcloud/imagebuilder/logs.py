"""Where the log of components goes: CloudWatch Logs, and a bucket where one is given.

User Guide, "Monitor Image Builder logs with Amazon CloudWatch Logs": group and stream; without the permission nothing
is written. "Troubleshoot pipeline builds": a bucket that may not be written to fails the build. The key below the
prefix is made up but for the execution of the workflow and the name of the step.
"""

import time

from ministack.services import cloudwatch_logs, s3

from ..permissions import Denied
from ..permissions.check import Check
from ..scope import arn
from . import rights
from .failures import Failed
from .state import Record

FILE = 'console.log'


def write(image: Record, role: str, workflow: str, step: str, lines: list[str]) -> None:
    """With the rights of the instance's role.

    :raises Failed: when the bucket refuses it
    """
    _to_logs(image, role, lines)
    place = (image['infrastructureConfiguration'].get('logging') or {}).get('s3Logs') or {}
    if place.get('s3BucketName'):
        _to_bucket(image, role, str(place['s3BucketName']), _key(image, place, workflow, step), lines)


def _to_logs(image: Record, role: str, lines: list[str]) -> None:
    group, stream = str(image['loggingConfiguration']['logGroupName']), str(image['version'])
    resource = arn('logs', f'log-group:{group}:log-stream:')
    checks = [Check(f'logs:{name}', resource) for name in ('CreateLogGroup', 'CreateLogStream')]
    try:
        rights.require(role, [*checks, Check('logs:PutLogEvents', resource + stream)])
    except Denied:
        return
    about = {'logGroupName': group, 'logStreamName': stream}
    cloudwatch_logs._create_log_group({'logGroupName': group})
    cloudwatch_logs._create_log_stream(about)
    now = int(time.time() * 1000)
    events = [{'timestamp': now, 'message': line} for line in lines if line]
    if events:
        cloudwatch_logs._put_log_events({**about, 'logEvents': events})


def _key(image: Record, place: Record, workflow: str, step: str) -> str:
    prefix = str(place.get('s3KeyPrefix') or '').strip('/')
    return '/'.join(part for part in (prefix, image['name'], image['version'], workflow, step, FILE) if part)


def _to_bucket(image: Record, role: str, bucket: str, key: str, lines: list[str]) -> None:
    try:
        rights.require_object(role, 'PUT', bucket, key)
    except Denied as denied:
        raise Failed(f'AccessDenied: Access Denied status code: 403: s3://{bucket}/{key}: {denied}') from denied
    status, _, answer = s3._put_object(bucket, key, '\n'.join(lines).encode(), {'content-type': 'text/plain'})
    if status >= 300:
        raise Failed(f's3://{bucket}/{key} was not written: {answer!r}')
