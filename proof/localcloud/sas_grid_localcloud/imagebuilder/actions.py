"""Action modules of component documents, on the host of an instance and with the rights of its role."""

import posixpath
import re
import shlex
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ministack.services import s3

from ..hosts import kind
from ..permissions import Denied
from . import instances, rights
from .document import Step
from .failures import Cancelled
from .state import Record

RESTART = 194
"""a script that ends with it is run again after a restart (User Guide, ExecuteBash)"""
_PLACE = re.compile(r's3://([^/]+)/(.*)')
_FOREVER = 1e9


@dataclass(frozen=True)
class Outcome:
    """How a step ended; it failed when it has an error."""

    error: str = ''
    out: str = ''
    err: str = ''
    outputs: Record = field(default_factory=dict)


@dataclass(frozen=True)
class Host:
    """Where steps run."""

    instance_id: str
    folder: str
    """the working directory"""
    cancelled: threading.Event
    killing: list[Callable[[], None]]
    """what ends the script that runs now; at most one"""

    @property
    def waiting(self) -> instances.Waiting:
        return instances.Waiting(self.cancelled)


def run(host: Host, step: Step, inputs: Any) -> Outcome:
    """Run a step once."""
    return _ACTIONS[step.action](host, step, inputs)


def _bash(host: Host, step: Step, inputs: Any) -> Outcome:
    folder = f'cd "${{SAS_GRID_ROOT:-}}"{shlex.quote(host.folder)} || exit 1'
    script = '\n'.join([folder, *map(str, inputs['commands'])])
    while True:
        result = _script(host, script, step.seconds or _FOREVER)
        if result.code != RESTART:
            break
        instances.reboot(host.instance_id, host.waiting)
    if host.cancelled.is_set():
        raise Cancelled
    if result.timed_out:
        return Outcome(f'timed out after {step.seconds:g} seconds', result.out, result.err)
    error = f'exit status {result.code}' if result.code else ''
    return Outcome(error, result.out, result.err, {'stdout': result.out.strip()})


def _script(host: Host, script: str, seconds: float) -> kind.Result:
    def started(kill: Callable[[], None]) -> None:
        host.killing[:] = [kill]
        if host.cancelled.is_set():
            kill()

    try:
        return kind.current().run(host.instance_id, script, seconds, started)
    finally:
        host.killing.clear()


def _reboot(host: Host, step: Step, inputs: Any) -> Outcome:
    instances.reboot(host.instance_id, host.waiting)
    return Outcome(out='rebooted')


def _download(host: Host, step: Step, inputs: Any) -> Outcome:
    role, told = rights.of_instance(host.instance_id), []
    try:
        for one in inputs:
            for bucket, key, path in _downloads(role, str(one['source']), str(one['destination'])):
                rights.require_object(role, 'GET', bucket, key)
                content: Any = s3._get_object_data(bucket, key)
                if content is None:
                    return Outcome(f'NoSuchKey: s3://{bucket}/{key} does not exist')
                kind.current().write_file(host.instance_id, path, bytes(content))
                told.append(f'downloaded s3://{bucket}/{key} to {path}')
    except (Denied, OSError, _Wrong) as problem:
        return Outcome(_told(problem), '\n'.join(told))
    return Outcome(out='\n'.join(told))


def _downloads(role: str, source: str, destination: str) -> Iterator[tuple[str, str, str]]:
    """Bucket, key and place: one, or with ``*`` at the end of the source all that begin so."""
    bucket, key = _place(source)
    if not key.endswith('*'):
        yield bucket, key, destination
        return
    rights.require_object(role, 'GET', bucket, '')
    start = key[:-1]
    folder = start.rpartition('/')[0]
    for name in sorted((s3._buckets.get(bucket) or {'objects': {}})['objects']):
        if name.startswith(start) and not name.endswith('/'):
            yield bucket, name, posixpath.join(destination, name.removeprefix(folder).lstrip('/'))


def _upload(host: Host, step: Step, inputs: Any) -> Outcome:
    role, told = rights.of_instance(host.instance_id), []
    try:
        for one in inputs:
            if one.get('recurse'):
                return Outcome('recurse of S3Upload is not implemented by the embedded AWS')
            bucket, key = _place(str(one['destination']))
            content = kind.current().read_file(host.instance_id, str(one['source']))
            rights.require_object(role, 'PUT', bucket, key)
            status, _, answer = s3._put_object(bucket, key, content, {'content-type': 'application/octet-stream'})
            if status >= 300:
                return Outcome(f's3://{bucket}/{key} was not written: {answer!r}')
            told.append(f'uploaded {one["source"]} to s3://{bucket}/{key}')
    except (Denied, OSError, _Wrong) as problem:
        return Outcome(_told(problem), '\n'.join(told))
    return Outcome(out='\n'.join(told))


class _Wrong(Exception):
    """No place in a bucket."""


def _place(text: str) -> tuple[str, str]:
    match = _PLACE.fullmatch(text)
    if match is None or not match[2]:
        raise _Wrong(f'{text} is no place in a bucket: s3://<bucket>/<key>')
    return match[1], match[2]


def _told(problem: Exception) -> str:
    return f'AccessDenied: Access Denied status code: 403: {problem}' if isinstance(problem, Denied) else str(problem)


def _update(host: Host, step: Step, inputs: Any) -> Outcome:
    return Outcome(out='UpdateOS: the embedded AWS updates nothing')


_ACTIONS: dict[str, Callable[[Host, Step, Any], Outcome]] = {
    'ExecuteBash': _bash,
    'Reboot': _reboot,
    'S3Download': _download,
    'S3Upload': _upload,
    'UpdateOS': _update,
}
