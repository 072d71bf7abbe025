"""Answers what the tools of hosts ask the embedded AWS: they are processes that know the state folder only.

One question for each connection, one line of JSON each way: ``{"instance": ..., "server": ...}`` and what is
found there; ``{"instance": ..., "after": seconds, "script": ...}``, which systemd is to run then; ``{"instance": ...,
"halt": true}``, after which nothing runs in the host any more.
"""

import json
import logging
import os
import secrets
import socket
import threading
from typing import Any

from .. import managed
from ..scope import own_scope
from . import boot, file_systems, sandbox

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_listener: socket.socket | None = None
_NAME = f'sas-grid-{os.getpid()}-{secrets.token_hex(8)}'
"""of a socket that lies in no folder, whose path could be too long"""


def listen() -> None:
    """Answer from now on."""
    global _listener
    with _lock:
        if _listener is not None:
            return
        _listener = socket.socket(socket.AF_UNIX)
        _listener.bind(f'\0{_NAME}')
        _listener.listen(64)
    sandbox.let_ask(_NAME)
    threading.Thread(target=_serve, args=(_listener,), name='localcloud-asking', daemon=True).start()


def _serve(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection,), name='localcloud-answer', daemon=True).start()


def _answer(connection: socket.socket) -> None:
    with connection, connection.makefile('rw', encoding='utf-8') as stream:
        try:
            told = _find(json.loads(stream.readline()))
        except Exception:
            _log.exception('a question of a host was not answered')
            told = {}
        stream.write(json.dumps(told) + '\n')


def _find(question: dict[str, Any]) -> dict[str, Any]:
    with own_scope():
        if question.get('halt'):
            boot.halt(question['instance'])
            return {}
        if 'script' in question:
            boot.later(question['instance'], float(question['after']), question['script'])
            return {}
        found = managed.look_up(question['instance'], question['server'])
    if found.get('answers'):
        found['data'] = str(file_systems.folder(found['id']))
    return found
