"""The stacks behind provisioned products: made, updated and deleted through the API, as Service Catalog does it."""

import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlencode
from xml.sax.saxutils import unescape

from ministack.core.responses import get_region
from ministack.services import cloudformation, iam
from ministack.services.cloudformation import helpers

from ..query import Refused
from ..scope import own_scope
from .state import Record, Tags

POLL_SECONDS = 0.05
SECONDS = 4 * 3600.0
_TEMPLATES = 'https://servicecatalog.invalid/'
_PRINCIPAL = 'servicecatalog.amazonaws.com'
_AUTOMATIC = 'aws:servicecatalog:'
_bodies: dict[str, str] = {}
_launched: set[str] = set()
"""ARNs of provisioned products: who knows one may set the tags of Service Catalog"""


def install() -> None:
    """Let CloudFormation read templates that Service Catalog keeps, and take its tags, reserved for others."""
    own_resolve, own_check = helpers._resolve_document, helpers._validate_stack_tags

    def resolve(params: Any, body_key: str, url_key: str, label: str) -> Any:
        url = str(helpers._p(params, url_key) or '')
        if url.startswith(_TEMPLATES) and url in _bodies:
            return _bodies[url], None
        return own_resolve(params, body_key, url_key, label)

    def check(tags: Tags) -> Any:
        named = {tag.get('Value') for tag in tags if tag.get('Key') == f'{_AUTOMATIC}provisionedProductArn'}
        if named & _launched:
            tags = [tag for tag in tags if not str(tag.get('Key')).startswith(_AUTOMATIC)]
        return own_check(tags)

    helpers._resolve_document = resolve
    helpers._validate_stack_tags = check


def automatic_tags(provisioned: Record, product: Record, portfolio: Record, artifact: Record) -> Tags:
    """Service Catalog administrator guide, "AutoTags"."""
    _launched.add(provisioned['Arn'])
    return [
        {'Key': f'{_AUTOMATIC}portfolioArn', 'Value': portfolio['ARN']},
        {'Key': f'{_AUTOMATIC}productArn', 'Value': product['ARN']},
        {'Key': f'{_AUTOMATIC}provisioningArtifactIdentifier', 'Value': artifact['Id']},
        {'Key': f'{_AUTOMATIC}provisionedProductArn', 'Value': provisioned['Arn']},
        {'Key': f'{_AUTOMATIC}provisioningPrincipalArn', 'Value': 'arn:aws:iam::000000000000:root'},
    ]


def require_role(role: str | None) -> None:
    """The launch role must exist and trust Service Catalog. What it may do is not enforced here."""
    if role is None:
        return
    record = iam._roles.get(role.rsplit('/', 1)[-1])
    if record is None:
        raise Refused('AccessDenied', f'Role {role} does not exist and cannot be assumed by AWS Service Catalog')
    trust = record.get('AssumeRolePolicyDocument') or ''
    written = trust if isinstance(trust, str) else json.dumps(trust)
    if _PRINCIPAL not in unquote(written):
        raise Refused('AccessDenied', f'Role {role} does not trust {_PRINCIPAL}: AWS Service Catalog cannot assume it')


def in_background(work: Callable[[], None]) -> None:
    """Run it on a thread of its own, in the account and region of the embedded AWS."""

    def run() -> None:
        with own_scope():
            work()

    threading.Thread(target=run, name='localcloud-service-catalog', daemon=True).start()


def ask(action: str, request: Mapping[str, Any], body: str | None = None) -> str:
    """One call of CloudFormation's API. Raises Refused with its code and message."""
    flat = {'Action': action, 'Version': '2010-05-15', **_flat('', dict(request))}
    if body is not None:
        flat['TemplateURL'] = f'{_TEMPLATES}{request["StackName"]}/{action}'
        _bodies[flat['TemplateURL']] = body
    scope = f'Credential=test/20260101/{get_region()}/cloudformation/aws4_request'
    headers = {
        'Authorization': f'AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=none',
        'User-Agent': _PRINCIPAL,
        'Content-Type': 'application/x-www-form-urlencoded',
    }
    sent = urllib.request.Request(os.environ['AWS_ENDPOINT_URL'], urlencode(flat).encode(), headers)
    try:
        with urllib.request.urlopen(sent, timeout=60) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        told = error.read().decode()
        raise Refused(_element(told, 'Code') or 'InternalFailure', _element(told, 'Message') or told) from error
    finally:
        _bodies.pop(flat.get('TemplateURL', ''), None)


def _flat(prefix: str, value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        pairs = [(f'{prefix}.{key}' if prefix else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, list):
        pairs = [(f'{prefix}.member.{number}', inner) for number, inner in enumerate(value, 1)]
    else:
        return {prefix: str(value)}
    return {key: text for name, inner in pairs for key, text in _flat(name, inner).items()}


def _element(xml: str, name: str) -> str | None:
    found = re.search(rf'<{name}>(.*?)</{name}>', xml, re.DOTALL)
    return unescape(found.group(1)) if found else None


def state_of(name: str) -> str | None:
    """The status of the stack; None when there is none, or a deleted one."""
    stack = cloudformation._stacks.get(name)
    status = None if stack is None else str(stack['StackStatus'])
    return None if status == 'DELETE_COMPLETE' else status


def perform(action: str, request: Mapping[str, Any], body: str | None = None) -> str | None:
    """One operation on a stack, to its end; the status of the stack. Raises Refused when it is refused at once."""
    name = str(request['StackName'])
    before = _operations(name)
    ask(action, request, body)
    end = time.monotonic() + SECONDS
    while True:
        status = state_of(name)
        # CloudFormation answers that it deletes before it begins to.
        if status is None or (_operations(name) > before and not status.endswith('_IN_PROGRESS')):
            return status
        if time.monotonic() > end:
            raise Refused('InternalFailure', f'the stack {name} is still {status}')
        time.sleep(POLL_SECONDS)


def _operations(name: str) -> int:
    return len(_starts(_events(name)))


def _events(name: str) -> list[Record]:
    stack = cloudformation._stacks.get(name) or {}
    return list(cloudformation._stack_events.get(stack.get('StackId')) or [])


def _starts(events: list[Record]) -> list[int]:
    states = ('CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'DELETE_IN_PROGRESS')
    return [
        number
        for number, one in enumerate(events)
        if one['ResourceType'] == 'AWS::CloudFormation::Stack' and one['ResourceStatus'] in states
    ]


def reason_of(name: str) -> str:
    """Why the stack failed: the first failed resource says it."""
    stack = cloudformation._stacks.get(name) or {}
    events = _events(name)
    latest = [
        one
        for one in events[_starts(events)[-1] if _starts(events) else 0 :]
        if str(one['ResourceStatus']).endswith('FAILED') and one['ResourceStatusReason']
    ]
    if latest:
        return f'{latest[0]["LogicalResourceId"]}: {latest[0]["ResourceStatusReason"]}'
    return str(stack.get('StackStatusReason') or f'the stack is {stack.get("StackStatus")}')


def outputs_of(name: str) -> list[Record]:
    """Outputs of the stack as DescribeRecord shows them."""
    stack = cloudformation._stacks.get(name)
    if stack is None:
        return []
    told = [
        {
            'OutputKey': one['OutputKey'],
            'OutputValue': str(one['OutputValue']),
            'Description': str(one.get('Description') or ''),
        }
        for one in stack.get('Outputs') or []
    ]
    arn = {
        'OutputKey': 'CloudformationStackARN',
        'OutputValue': stack['StackId'],
        'Description': 'The ARN of the launched Cloudformation Stack',
    }
    return [*told, arn]
