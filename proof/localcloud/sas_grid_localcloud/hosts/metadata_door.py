"""The metadata service for programs in sandboxes that ask it themselves: beside the API, a path for each instance.

AWS's SDKs, and programs of the host software, find it by AWS_EC2_METADATA_SERVICE_ENDPOINT. The credentials are those
by which permissions know an instance; signatures are not looked at.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2

from ..permissions import callers
from ..scope import own_scope

PATH = '/_sas_grid/metadata/'

_CREDENTIALS = 'meta-data/iam/security-credentials/'
_LATER = '2099-01-01T00:00:00Z'

Application = Callable[..., Awaitable[None]]


def beside(application: Application) -> Application:
    """The same application with the service beside it."""

    async def with_door(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope['type'] != 'http' or not scope['path'].startswith(PATH):
            await application(scope, receive, send)
            return
        instance, _, path = scope['path'].removeprefix(PATH).partition('/latest/')
        text = await asyncio.to_thread(answer, instance, path)
        status = 404 if text is None else 200
        await send({'type': 'http.response.start', 'status': status, 'headers': [(b'content-type', b'text/plain')]})
        await send({'type': 'http.response.body', 'body': (text or '').encode()})

    return with_door


def answer(instance_id: str, path: str) -> str | None:
    """What the service says; None where it has nothing."""
    with own_scope():
        instance = ec2._instances.get(instance_id)
        if instance is None:
            return None
        role = (callers.role_of(instance_id) or '').rsplit('/', 1)[-1] if instance.get('IamInstanceProfile') else ''
        zone = str(instance['Placement']['AvailabilityZone'])
        known = {
            'api/token': 'token',
            'meta-data/ami-id': str(instance['ImageId']),
            'meta-data/instance-id': instance_id,
            'meta-data/instance-type': str(instance['InstanceType']),
            'meta-data/local-ipv4': str(instance['PrivateIpAddress']),
            'meta-data/placement/availability-zone': zone,
            'meta-data/placement/region': str(get_region()),
            'meta-data/services/domain': 'amazonaws.com',
        }
        if role:
            known[_CREDENTIALS] = known[_CREDENTIALS.rstrip('/')] = role
            known[_CREDENTIALS + role] = _credentials(instance_id)
        return known.get(path)


def _credentials(instance_id: str) -> str:
    key = {'AccessKeyId': instance_id, 'SecretAccessKey': 'test', 'Token': 'test'}
    return json.dumps({'Code': 'Success', 'Type': 'AWS-HMAC', **key, 'Expiration': _LATER})
