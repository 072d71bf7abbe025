"""The history file: one JSON line for every state transition, in the order they happened.

A verifier reads it to tell, for instance, whether a volume was ever attached to two instances.
"""

import json
import threading
import time
from pathlib import Path
from typing import Any

FILE_NAME = 'history.jsonl'

_lock = threading.Lock()
_path: Path | None = None


def open_in(state: Path) -> None:
    """Write the history to this state folder from now on."""
    global _path
    with _lock:
        state.mkdir(parents=True, exist_ok=True)
        _path = state / FILE_NAME


def record(kind: str, id: str, before: str | None, after: str | None, **more: Any) -> None:
    """Note that the thing ``id`` of this kind went from one state to another.

    In the file the states are called ``from`` and ``to``. Without an opened state folder nothing is written.
    """
    line = json.dumps(
        {'time': round(time.time(), 4), 'kind': kind, 'id': id, 'from': before, 'to': after, **more},
        default=str,
    )
    with _lock:
        if _path is None:
            return
        with _path.open('a', encoding='utf-8') as file:
            file.write(line + '\n')
