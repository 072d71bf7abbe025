"""What Image Builder keeps: by ARN, for each kind of resource."""

import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from ministack.core.responses import AccountRegionScopedDict, get_account_id, get_region

from ..query import Refused

Record = dict[str, Any]
Request = Mapping[str, Any]

COMPONENTS: Any = AccountRegionScopedDict()
"""by build version"""
RECIPES: Any = AccountRegionScopedDict()
INFRASTRUCTURE: Any = AccountRegionScopedDict()
DISTRIBUTION: Any = AccountRegionScopedDict()
PIPELINES: Any = AccountRegionScopedDict()
POLICIES: Any = AccountRegionScopedDict()
IMAGES: Any = AccountRegionScopedDict()
"""by build version"""

_STORES = {
    'component': COMPONENTS,
    'image-recipe': RECIPES,
    'infrastructure-configuration': INFRASTRUCTURE,
    'distribution-configuration': DISTRIBUTION,
    'image-pipeline': PIPELINES,
    'lifecycle-policy': POLICIES,
    'image': IMAGES,
}


def arn_of(kind: str, name: str, *version: str) -> str:
    """The ARN of a resource. Names that differ only in case, spaces and underscores have the same one."""
    normal = re.sub(r'[ _]', '-', name.lower())
    return f'arn:aws:imagebuilder:{get_region()}:{get_account_id()}:' + '/'.join((kind, normal, *version))


def now() -> str:
    """The time as Image Builder writes it."""
    seconds = time.time()
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds)) + f'.{int(seconds % 1 * 1000):03d}Z'


def invalid(message: str) -> Refused:
    """InvalidRequestException."""
    return Refused('InvalidRequestException', message)


def invalid_value(parameter: str, why: str) -> Refused:
    """InvalidParameterValueException, in Image Builder's words."""
    message = f"The value supplied for parameter '{parameter}' is not valid. {why}"
    return Refused('InvalidParameterValueException', message)


def not_here(what: str) -> Refused:
    """What is right on AWS, and not emulated."""
    return invalid(f'{what} is not implemented by the embedded AWS')


def exists_already(what: str, arn: str) -> Refused:
    """ResourceAlreadyExistsException."""
    message = f"The following resource '{what}' already exists: '{arn}'."
    return Refused('ResourceAlreadyExistsException', message)


def in_use(what: str, arn: str, by: Iterable[str]) -> Refused:
    """ResourceDependencyException."""
    message = f"The {what} '{arn}' cannot be deleted, since these depend on it: {', '.join(sorted(by))}"
    return Refused('ResourceDependencyException', message)


def found(store: Any, arn: str, what: str) -> Record:
    """The resource, or the refusal."""
    record = store.get(arn)
    if record is None:
        raise Refused('ResourceNotFoundException', f"The resource with ARN '{arn}' does not exist ({what}).", 404)
    assert isinstance(record, dict)
    return record


def shown(record: Record) -> Record:
    """What an answer carries of it: what is not set is absent, and so is what is only for the embedded AWS."""
    return {key: value for key, value in record.items() if value is not None and not key.startswith('_')}


def of_request(request: Request, *names: str) -> Record:
    """What a request sets of these members."""
    return {name: json.loads(json.dumps(request[name])) for name in names if request.get(name) is not None}


def tagged(arn: str) -> Record:
    """The resource of any kind that has tags."""
    kind = arn.split(':')[-1].split('/')[0]
    store = _STORES.get(kind)
    record = store.get(arn) if store is not None else None
    if record is None:
        raise Refused('ResourceNotFoundException', f"The resource with ARN '{arn}' does not exist.", 404)
    assert isinstance(record, dict)
    return record
