"""Components: a document with a name and a version. The same again is refused, another one is the next build version.

Model: CreateComponent's ``name``, DeleteComponent.
"""

import re
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import s3

from ..query import Refused
from .document import Document, parse
from .listing import listed
from .state import (
    COMPONENTS,
    RECIPES,
    Record,
    Request,
    arn_of,
    exists_already,
    found,
    in_use,
    invalid,
    invalid_value,
    not_here,
    now,
    of_request,
    shown,
)
from .tokens import once

MOST_BYTES = 64 * 1024
"""of a document in S3, as the quota of a new account"""


def make(request: Request) -> Record:
    """A new build version."""
    text = _text(request)
    document = parse(text)
    if request['platform'] != 'Linux':
        raise not_here(f'the platform {request["platform"]}')
    name, version = str(request['name']), str(request['semanticVersion'])
    stem = arn_of('component', name, version)
    before = builds_of(stem)
    if before and before[-1]['data'] == text:
        raise exists_already('Component', before[-1]['arn'])
    arn = f'{stem}/{len(before) + 1}'
    COMPONENTS[arn] = {
        'arn': arn,
        'name': name,
        'version': version,
        **of_request(request, 'description', 'changeDescription', 'platform', 'supportedOsVersions', 'kmsKeyId'),
        'type': document.kind,
        'state': {'status': 'ACTIVE'},
        'parameters': [
            {
                'name': one,
                'type': str(about.get('type') or 'string'),
                **({'defaultValue': [str(about['default'])]} if 'default' in about else {}),
                **({'description': str(about['description'])} if about.get('description') else {}),
            }
            for one, about in document.parameters.items()
        ],
        'owner': get_account_id(),
        'data': text,
        'encrypted': True,
        'dateCreated': now(),
        'tags': dict(request.get('tags') or {}),
        '_stem': stem,
    }
    return found(COMPONENTS, arn, 'component')


def _text(request: Request) -> str:
    data, uri = request.get('data'), request.get('uri')
    if (data is None) == (uri is None):
        raise Refused('InvalidParameterCombinationException', 'A component has either data or uri')
    if data is not None:
        return str(data)
    place = re.fullmatch(r's3://([^/]+)/(.+)', str(uri))
    content: Any = s3._get_object_data(place[1], place[2]) if place else None
    if content is None:
        raise invalid_value('uri', f'{uri} could not be read')
    if len(content) > MOST_BYTES:
        raise invalid_value('uri', f'{uri} has {len(content)} bytes; allowed: {MOST_BYTES}')
    return bytes(content).decode()


def builds_of(stem: str) -> list[Record]:
    """The build versions of a version, the newest last."""
    builds = [one for one in COMPONENTS.values() if one['_stem'] == stem]
    return sorted(builds, key=lambda one: int(one['arn'].rsplit('/', 1)[1]))


def resolve(arn: str) -> Record:
    """The newest build version that an ARN means, whose version may have wildcards."""
    if arn in COMPONENTS:
        return found(COMPONENTS, arn, 'component')
    if ':aws:component/' in arn or ':third-party:component/' in arn:
        raise not_here(f'{arn}: a component of others')
    fitting: list[Record] = [one for one in COMPONENTS.values() if _means(arn, one)]
    if not fitting:
        return found(COMPONENTS, arn, 'component')
    return max(fitting, key=_age)


def _means(arn: str, component: Record) -> bool:
    """Whether an ARN names this build version, its version, or wildcards for it."""
    pattern = re.escape(arn).replace('/x', r'/\d+').replace(r'\.x', r'\.\d+')
    return arn == component['arn'] or re.fullmatch(pattern, component['_stem']) is not None


def _age(component: Record) -> tuple[int, ...]:
    return (*map(int, component['version'].split('.')), int(component['arn'].rsplit('/', 1)[1]))


def document_of(component: Record) -> Document:
    """Its document, read again."""
    return parse(str(component['data']))


@once
def create(request: Request) -> Record:
    """CreateComponent."""
    return {'componentBuildVersionArn': make(request)['arn']}


def get(request: Request) -> Record:
    """GetComponent."""
    return {'component': shown(resolve(str(request['componentBuildVersionArn'])))}


def list_all(request: Request) -> Record:
    """ListComponents: versions, without their builds. ListComponentBuildVersions has those."""
    latest: dict[str, Record] = {}
    for one in sorted(COMPONENTS.values(), key=_age):
        names = ('name', 'version', 'description', 'platform', 'supportedOsVersions', 'type', 'owner', 'dateCreated')
        latest[one['_stem']] = {**{name: one.get(name) for name in names}, 'arn': one['_stem'], 'status': 'ACTIVE'}
    return listed('componentVersionList', list(latest.values()), request)


def list_builds(request: Request) -> Record:
    """ListComponentBuildVersions."""
    builds = builds_of(str(request['componentVersionArn']))
    summaries = [{key: value for key, value in one.items() if key not in ('data', 'parameters')} for one in builds]
    return listed('componentSummaryList', summaries, request)


def remove(arn: str) -> None:
    """Refuse while a recipe has it."""
    component = found(COMPONENTS, arn, 'component')
    users = [
        recipe['arn']
        for recipe in RECIPES.values()
        if any(_means(one['componentArn'], component) for one in recipe.get('components') or [])
    ]
    if users:
        raise in_use('component', arn, users)
    COMPONENTS.pop(arn)


def delete(request: Request) -> Record:
    """DeleteComponent."""
    arn = str(request['componentBuildVersionArn'])
    if arn.count('/') != 3:
        raise invalid(f'{arn} is no build version')
    remove(arn)
    return {'componentBuildVersionArn': arn}
