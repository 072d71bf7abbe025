"""In-process signals: what happened to the emulated hardware, told to whoever subscribed.

Kinds and what they carry:

=====================  ==========================================================
instance-state         instance_id, state (pending, running, shutting-down, ...)
instance-rebooted      instance_id; its state stays running
host-halted            instance_id; its state stays running, and nothing runs in it any more
host-unreachable       instance_id; its kernel does not answer, whatever became of it
host-reachable         instance_id; it answers again
volume-attached        volume_id, instance_id, device
volume-detached        volume_id, instance_id, device
volume-resized         volume_id, size (GiB)
interface-attached     interface_id, instance_id, address, device_index
interface-detached     interface_id, instance_id, address, device_index
agent-online           instance_id
file-system-gone       file_system (of FSx or EFS), or the backup
files-copied           source, target (of file systems, folders in them, backups)
=====================  ==========================================================

Subscribers run on the publisher's thread, in the order they subscribed, and must not block. A subscriber
that raises is logged and does not stop the others: hardware does not care who was watching.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

Subscriber = Callable[..., None]

KINDS = frozenset(
    {
        'instance-state',
        'instance-rebooted',
        'host-halted',
        'host-unreachable',
        'host-reachable',
        'volume-attached',
        'volume-detached',
        'volume-resized',
        'interface-attached',
        'interface-detached',
        'agent-online',
        'file-system-gone',
        'files-copied',
    }
)

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_subscribers: dict[str, list[Subscriber]] = {}


def subscribe(kind: str, fn: Subscriber) -> None:
    """Call ``fn(**data)`` whenever something of this kind happens."""
    _require_known(kind)
    with _lock:
        _subscribers.setdefault(kind, []).append(fn)


def unsubscribe(kind: str, fn: Subscriber) -> None:
    """Stop calling ``fn``; nothing happens when it was not subscribed."""
    _require_known(kind)
    with _lock:
        if fn in _subscribers.get(kind, []):
            _subscribers[kind].remove(fn)


def publish(kind: str, **data: Any) -> None:
    """Tell all subscribers of this kind."""
    _require_known(kind)
    with _lock:
        listeners = list(_subscribers.get(kind, []))
    for fn in listeners:
        try:
            fn(**data)
        except Exception:
            _log.exception('a subscriber of %s failed', kind)


def _require_known(kind: str) -> None:
    if kind not in KINDS:
        raise ValueError(f'unknown signal {kind!r}; known: {", ".join(sorted(KINDS))}')
