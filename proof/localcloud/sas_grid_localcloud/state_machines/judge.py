"""Asks asl-validator (npm) about definitions: one process of Node.js, started when the first is made."""

import contextlib
import itertools
import json
import subprocess
import threading
from functools import cache
from pathlib import Path
from typing import Any

from .gaps import gaps_in

_SCRIPT = Path(__file__).with_name('judge.cjs')

_lock = threading.Lock()
_numbers = itertools.count()
_process: 'subprocess.Popen[str] | None' = None


def errors_in(definition: Any) -> list[str]:
    """What is wrong with a definition in Amazon States Language, code first; nothing when it is well formed."""
    if not isinstance(definition, dict):
        return ['INVALID_JSON_DESCRIPTION: the definition is no JSON object']
    return [*_asked(json.dumps(definition)), *gaps_in(definition)]


@cache
def _asked(definition: str) -> tuple[str, ...]:
    with _lock:
        process = _running()
        number = next(_numbers)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f'{{"id": {number}, "definition": {definition}}}\n')
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or '{}')
    if answer.get('id') != number:
        raise RuntimeError(f'asl-validator did not answer; node {_SCRIPT} says why (npm ci installs it)')
    return tuple(answer['errors'])


def _running() -> 'subprocess.Popen[str]':
    global _process
    if _process is None or _process.poll() is not None:
        _process = subprocess.Popen(['node', str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return _process


def stop() -> None:
    """End the process."""
    with _lock:
        if _process is not None:
            with contextlib.suppress(OSError):
                _process.kill()
            _process.wait()
