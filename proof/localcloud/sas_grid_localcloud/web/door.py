"""The check of every request, before anything else looks at it: AWS's API, faults, addresses of S3, WebSockets."""

import http.server
import ipaddress
import json
from collections.abc import Awaitable, Callable
from typing import Any

from .origins import Headers, refusal

Application = Callable[..., Awaitable[None]]

_CORS = b'access-control-'
_STATUS = 403


def guarded(application: Application) -> Application:
    """The same application, closed to web pages. No answer of it has a header of CORS."""

    async def guard(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope['type'] not in ('http', 'websocket'):
            await application(scope, receive, send)
            return
        why = refusal(_headers(scope))
        if why is None:
            await application(scope, receive, _without_cors(send))
        elif scope['type'] == 'websocket':
            # Before it is accepted this is an answer of 403.
            await receive()
            await send({'type': 'websocket.close'})
        else:
            headers = [(b'content-type', b'application/json'), (b'connection', b'close')]
            await send({'type': 'http.response.start', 'status': _STATUS, 'headers': headers})
            await send({'type': 'http.response.body', 'body': json.dumps({'error': why}).encode()})

    return guard


def install() -> None:
    """Close the other door of this process: the runtime API of functions that bring a runtime of their own."""
    handler = http.server.BaseHTTPRequestHandler
    own_parse = handler.parse_request

    def parse_request(self: http.server.BaseHTTPRequestHandler) -> bool:
        if not own_parse(self):
            return False
        if _in_the_network_of_machines(self):
            return True
        why = refusal([(name.lower(), value) for name, value in self.headers.items()])
        if why is not None:
            self.close_connection = True
            self.send_error(_STATUS, explain=why)
        return why is None

    handler.parse_request = parse_request  # type: ignore[method-assign]


def _in_the_network_of_machines(handler: http.server.BaseHTTPRequestHandler) -> bool:
    """Virtual machines ask a service at an address of theirs, which no browser of this machine reaches."""
    address = handler.connection.getsockname()[0]
    return ipaddress.ip_address(address).is_link_local


def _headers(scope: dict[str, Any]) -> Headers:
    return [(name.decode('latin-1').lower(), value.decode('latin-1')) for name, value in scope.get('headers', [])]


def _without_cors(send: Any) -> Any:
    async def clean(message: dict[str, Any]) -> None:
        if 'headers' in message:
            kept = [pair for pair in message['headers'] if not bytes(pair[0]).lower().startswith(_CORS)]
            message = {**message, 'headers': kept}
        await send(message)

    return clean
