"""What all parts of the emulated Service Catalog share: records, ids, refusals, tokens."""

import random
import re
import string
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

from ..query import Refused

LOCK = threading.RLock()
"""Held while records are read and changed together."""

Record = dict[str, Any]
Request = Mapping[str, Any]
Tags = list[dict[str, str]]

PORTFOLIOS: Any = AccountRegionScopedDict()
PRODUCTS: Any = AccountRegionScopedDict()
CONSTRAINTS: Any = AccountRegionScopedDict()
TAG_OPTIONS: Any = AccountRegionScopedDict()
PROVISIONED: Any = AccountRegionScopedDict()
RECORDS: Any = AccountRegionScopedDict()

MOST_TAGS = 50


def new_id(prefix: str) -> str:
    """An id as Service Catalog makes them: the prefix and 13 letters or digits."""
    return f'{prefix}-' + ''.join(random.choices(string.ascii_lowercase + string.digits, k=13))


def catalog_arn(resource: str) -> str:
    """The ARN of a product or portfolio."""
    return f'arn:aws:catalog:{get_region()}:{get_account_id()}:{resource}'


def now() -> float:
    """The time as the service's JSON carries it."""
    return round(time.time(), 3)


def invalid(message: str) -> Refused:
    """InvalidParametersException."""
    return Refused('InvalidParametersException', message)


def not_found(message: str) -> Refused:
    """ResourceNotFoundException."""
    return Refused('ResourceNotFoundException', message)


def in_use(message: str) -> Refused:
    """ResourceInUseException."""
    return Refused('ResourceInUseException', message)


def duplicate(message: str) -> Refused:
    """DuplicateResourceException."""
    return Refused('DuplicateResourceException', message)


def of(store: Any, identity: Any, what: str) -> Record:
    """The record, or the refusal."""
    found = store.get(str(identity))
    if found is None:
        raise not_found(f'{what} {identity} not found.')
    assert isinstance(found, dict)
    return found


def text(name: str, value: Any, least: int, most: int, pattern: str | None = None) -> str:
    """Text of this length and shape, else the refusal."""
    found = '' if value is None else str(value)
    if not least <= len(found) <= most or (found and pattern and not re.fullmatch(pattern, found)):
        shape = f' of the form {pattern}' if pattern else ''
        raise invalid(f"{name} is '{found}'; it has {least} to {most} characters{shape}")
    return found


def tags_of(value: Any) -> Tags:
    """Tags, each key once."""
    found = [{'Key': str(one['Key']), 'Value': str(one.get('Value', ''))} for one in value or []]
    keys = [one['Key'] for one in found]
    if len(keys) != len(set(keys)) or len(keys) > MOST_TAGS:
        raise invalid(f'tags have different keys, at most {MOST_TAGS}')
    if any(one.startswith('aws:') for one in keys):
        raise invalid('tag keys that begin with aws: are reserved')
    return found


_answers: dict[tuple[str, str], tuple[Record, Mapping[str, Any]]] = {}


def once(name: str, handle: Callable[[Request], Mapping[str, Any]]) -> Callable[[Request], Mapping[str, Any]]:
    """An action that does nothing again when its token comes again."""

    def guarded(request: Request) -> Mapping[str, Any]:
        token = request.get(name)
        if not token:
            return handle(request)
        key = (handle.__module__ + handle.__name__, str(token))
        with LOCK:
            if key not in _answers:
                _answers[key] = (dict(request), handle(request))
            asked, answer = _answers[key]
        if asked != dict(request):
            raise invalid(f'the {name} {token} was used with other parameters')
        return answer

    return guarded
