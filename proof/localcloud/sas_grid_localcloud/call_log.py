"""The call log: one JSON line for every API call, from wherever it came (CLI, Lambda, Step Functions)."""

import json
import os
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from ministack import app
from ministack.core.router import extract_access_key_id
from ministack.services import stepfunctions

from .patience import Moves
from .permissions import WHEN, callers, wire
from .settings import PREFIX

FILE_NAME = 'api-calls.jsonl'
_LONGEST_VALUE = int(os.environ.get(f'{PREFIX}LOGGED_CHARACTERS', '200'))

_lock = threading.Lock()
_path: Path | None = None
_moves: Moves | None = None

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], Any]]]


def open_in(state: Path) -> None:
    """Write the log to this state folder from now on."""
    global _path, _moves
    with _lock:
        state.mkdir(parents=True, exist_ok=True)
        _path = state / FILE_NAME
        _moves = Moves(state)


def moves() -> int:
    """Another number when something has moved in this embedded AWS."""
    return _moves() if _moves else 0


def install() -> None:
    """Log what passes ministack's service handlers and what Step Functions asks of Lambda."""
    for service, handler in list(app.SERVICE_HANDLERS.items()):
        app.SERVICE_HANDLERS[service] = _logged(service, handler)
    own_call = stepfunctions._call_lambda

    def call_lambda(reference: str, event: Any) -> Any:
        name = str(reference).split(':function:')[-1]
        try:
            result = own_call(reference, event)
        except Exception as error:
            _write('lambda', 'Invoke', {'FunctionName': name}, 200, str(getattr(error, 'error', error)), 'states')
            raise
        _write('lambda', 'Invoke', {'FunctionName': name}, 200, None, 'states')
        return result

    stepfunctions._call_lambda = call_lambda


def _logged(service: str, handler: Handler) -> Handler:
    async def logged(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> Any:
        started = time.time()
        answer = await handler(method, path, headers, body, query)
        try:
            status, answered, content = answer
            action = _name(service, method, path, headers, _with_form(headers, body, query))
            parameters = _parameters(headers, body, path)
            code = _error_code(content) if status >= 400 else None
            agent = headers.get('user-agent') or 'states'
            role = callers.role_of(extract_access_key_id(headers, query))
            _write(service, action, parameters, status, code, agent, started, role, answered.get(WHEN))
        except Exception as error:
            _write(service, f'{method} {path}', {}, 0, f'not logged: {error}', '', started)
        return answer

    return logged


def _name(service: str, method: str, path: str, headers: dict[str, str], query: dict[str, Any]) -> str:
    """The operation; of some REST services it is the path."""
    if service != 's3' and wire.NAMED.fullmatch(path):
        return path[1:]
    return str(app._ct_event_name(service, method, path, headers, query))


def _with_form(headers: dict[str, str], body: Any, query: dict[str, Any]) -> dict[str, Any]:
    if 'form' in headers.get('content-type', '') and body:
        return {**parse_qs(_text(body)), **query}
    return query


def _parameters(headers: dict[str, str], body: Any, path: str) -> dict[str, Any]:
    kind = headers.get('content-type', '')
    if not body:
        return {'path': path} if path != '/' else {}
    if 'form' in kind:
        pairs = parse_qs(_text(body))
        return {key: _short(value[0]) for key, value in pairs.items() if key not in ('Action', 'Version')}
    if 'json' in kind:
        try:
            data = json.loads(_text(body))
        except ValueError:
            return {'path': path}
        if isinstance(data, dict):
            return {key: _short(value) for key, value in data.items()}
    return {'path': path}


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if len(text) > _LONGEST_VALUE:
        return text[:_LONGEST_VALUE] + '...'
    return value


def _error_code(content: Any) -> str:
    text = _text(content)
    if '<Code>' in text:
        return text.split('<Code>', 1)[1].split('</Code>', 1)[0]
    try:
        data = json.loads(text)
    except ValueError:
        return 'unknown'
    return str(data.get('__type') or data.get('code') or data.get('Code') or 'unknown').split('#')[-1]


def _text(content: Any) -> str:
    return content.decode('utf-8', 'replace') if isinstance(content, bytes) else str(content)


def _write(
    service: str,
    action: str,
    parameters: dict[str, Any],
    status: int,
    code: str | None,
    agent: str,
    started: float | None = None,
    role: str | None = None,
    when: str | None = None,
) -> None:
    now = time.time()
    line = json.dumps(
        {
            'time': round(started or now, 4),
            'seconds': round(now - started, 4) if started else None,
            'service': service,
            'action': action,
            'parameters': parameters,
            'status': status,
            'error': code,
            'userAgent': agent,
            'role': role.rsplit('/', 1)[-1] if role else None,
            **({when: True} if when else {}),
        },
        default=str,
    )
    with _lock:
        if _path is not None:
            with _path.open('a', encoding='utf-8') as file:
                file.write(line + '\n')
