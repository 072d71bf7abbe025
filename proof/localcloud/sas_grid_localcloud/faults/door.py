"""Where faults are asked for: beside the API of AWS, at a path that no service of AWS has."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from .fields import Wrong
from .kinds import ask, counts

PATH = '/_sas_grid/faults'

Application = Callable[..., Awaitable[None]]


def beside(application: Application) -> Application:
    """The same application with the door beside it: POST asks for a fault, GET says how often faults took effect."""

    async def with_door(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope['type'] != 'http' or scope['path'] != PATH:
            await application(scope, receive, send)
            return
        body = b''
        more = True
        while more:
            message = await receive()
            body += message.get('body', b'')
            more = message.get('more_body', False)
        status, content = await asyncio.to_thread(_answer, scope['method'], body)
        headers = [(b'content-type', b'application/json')]
        await send({'type': 'http.response.start', 'status': status, 'headers': headers})
        await send({'type': 'http.response.body', 'body': json.dumps(content).encode()})

    return with_door


def _answer(method: str, body: bytes) -> tuple[int, dict[str, Any]]:
    if method == 'GET':
        return 200, counts()
    try:
        request = json.loads(body)
        if not isinstance(request, dict):
            raise Wrong('the request is no object')
        return 200, ask(request)
    except (Wrong, ValueError) as problem:
        return 400, {'error': str(problem)}
