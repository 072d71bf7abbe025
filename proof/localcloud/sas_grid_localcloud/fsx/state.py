"""What all parts of the emulated FSx share: records, ids, tags, life cycles."""

import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

from .. import clock, history, settings
from ..json_service import without_none
from ..query import Refused
from ..scope import in_scope

LOCK = threading.RLock()
"""Held while records are read and changed together."""

Record = dict[str, Any]

FILE_SYSTEMS: Any = AccountRegionScopedDict()
MACHINES: Any = AccountRegionScopedDict()
VOLUMES: Any = AccountRegionScopedDict()
ASSOCIATIONS: Any = AccountRegionScopedDict()
BACKUPS: Any = AccountRegionScopedDict()

MOST_TAGS = 50
_CREATING = 'CREATING'


def new_id(prefix: str) -> str:
    """An id as FSx makes them."""
    return f'{prefix}-{uuid.uuid4().hex[:17]}'


def arn(resource: str) -> str:
    """The ARN of ``file-system/fs-...`` and so on."""
    return f'arn:aws:fsx:{get_region()}:{get_account_id()}:{resource}'


def bad(message: str) -> Refused:
    """BadRequest: 'a generic error indicating a failure with a client request' (FSx API reference)."""
    return Refused('BadRequest', message)


def choose(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """The value, which must be one of these."""
    if value not in allowed:
        raise bad(f'{name} is {value}; valid values: {", ".join(str(one) for one in allowed)}')
    return value


def within(name: str, value: Any, least: int, most: int) -> int:
    """The number, which must lie in this range."""
    if isinstance(value, bool) or not str(value).lstrip('-').isdigit() or not least <= int(value) <= most:
        raise bad(f'{name} is {value}; valid values: {least} to {most}')
    return int(value)


def shaped(name: str, value: str | None, pattern: str) -> None:
    """Text that must look like this, when it is given."""
    if value is not None and not re.fullmatch(pattern, str(value)):
        raise bad(f'{name} is {value}; it must match {pattern}')


MAINTENANCE = r'[1-7]:([01]\d|2[0-3]):[0-5]\d'
DAILY = r'([01]\d|2[0-3]):[0-5]\d'


def check_schedule(configuration: Mapping[str, Any]) -> None:
    """Maintenance and backup times, which all types have."""
    shaped('WeeklyMaintenanceStartTime', configuration.get('WeeklyMaintenanceStartTime'), MAINTENANCE)
    shaped('DailyAutomaticBackupStartTime', configuration.get('DailyAutomaticBackupStartTime'), DAILY)
    within('AutomaticBackupRetentionDays', configuration.get('AutomaticBackupRetentionDays', 0), 0, 90)


def check_tags(tags: list[dict[str, str]] | None) -> list[dict[str, str]]:
    """The tags, each key once, at most fifty of the user's."""
    found = [{'Key': str(tag['Key']), 'Value': str(tag.get('Value', ''))} for tag in tags or []]
    keys = [tag['Key'] for tag in found]
    if len(keys) != len(set(keys)):
        raise bad('Duplicate tag keys found.')
    if len([key for key in keys if not key.startswith('aws:')]) > MOST_TAGS:
        raise bad(f'a resource has at most {MOST_TAGS} tags')
    return found


def record_of(store: Any, identity: str, code: str, what: str) -> Record:
    """The record, or FSx's refusal."""
    found = store.get(identity)
    if found is None:
        raise Refused(code, f"{what} '{identity}' does not exist.")
    assert isinstance(found, dict)
    return found


def file_system_of(identity: Any) -> Record:
    """The file system, or FSx's refusal."""
    return record_of(FILE_SYSTEMS, str(identity), 'FileSystemNotFound', 'File system')


def volume_of(identity: Any) -> Record:
    """The volume, or FSx's refusal."""
    return record_of(VOLUMES, str(identity), 'VolumeNotFound', 'Volume')


def available(record: Record, what: str) -> None:
    """Most changes need a resource that is there already."""
    if record['Lifecycle'] not in ('AVAILABLE', 'CREATED'):
        raise bad(f'{what} is in the {record["Lifecycle"]} lifecycle state')


def begin(store: Any, key: str, kind: str, record: Record, ready: str = 'AVAILABLE') -> Record:
    """Store a record that is being created and becomes ready after a while."""
    store[record[key]] = record
    _move(kind, record[key], record, _CREATING)
    clock.after(settings.delays().fsx_create, in_scope(lambda: _finish(kind, record[key], record, ready)))
    return record


def end(store: Any, key: str, kind: str, record: Record, afterwards: Callable[[], None] | None = None) -> None:
    """Delete after a while."""

    def gone() -> None:
        with LOCK:
            if store.pop(record[key], None) is not None:
                history.record(kind, record[key], 'DELETING', 'DELETED')
                if afterwards:
                    afterwards()

    _move(kind, record[key], record, 'DELETING')
    clock.after(settings.delays().fsx_delete, in_scope(gone))


def _finish(kind: str, identity: str, record: Record, ready: str) -> None:
    with LOCK:
        if record['Lifecycle'] == _CREATING:
            _move(kind, identity, record, ready)


def _move(kind: str, identity: str, record: Record, state: str) -> None:
    history.record(kind, identity, record.get('Lifecycle'), state)
    record['Lifecycle'] = state


def shown(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as answers carry it: without what begins with an underscore."""
    return without_none({key: value for key, value in record.items() if not key.startswith('_')})


_tokens: dict[str, tuple[Any, Any]] = {}


def once(handle: Callable[[Mapping[str, Any]], Record]) -> Callable[[Mapping[str, Any]], Record]:
    """ClientRequestToken: the same request again does nothing again, another one is refused."""

    def guarded(request: Mapping[str, Any]) -> Record:
        token = request.get('ClientRequestToken')
        if not token:
            return handle(request)
        with LOCK:
            if token not in _tokens:
                _tokens[token] = (dict(request), handle(request))
            asked, answer = _tokens[token]
            if asked != dict(request):
                raise Refused('IncompatibleParameterError', f'the token {token} was used with other parameters')
            return dict(answer)

    return guarded


def created() -> float:
    """The time as FSx's JSON carries it."""
    return round(time.time(), 3)
