"""Events that AWS services send to EventBridge, delivered in the order they happened.

They are delivered on a thread of their own, since a rule's target may call back into the embedded AWS.
"""

import json
import logging
import queue
import threading
from collections.abc import Sequence
from typing import Any

from ministack.services import eventbridge

from . import clock
from .faults import events as faults
from .scope import own_scope

_log = logging.getLogger(__name__)
_pending: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
_start = threading.Lock()
_thread: threading.Thread | None = None


def emit(source: str, detail_type: str, detail: dict[str, Any], resources: Sequence[str] = ()) -> None:
    """Send one event of an AWS service (``aws.ec2``, ``aws.autoscaling``) to the default bus."""
    global _thread
    entry = {
        'Source': source,
        'DetailType': detail_type,
        'Detail': json.dumps(detail),
        'Resources': list(resources),
    }
    for seconds in faults.deliveries(entry):
        if seconds:
            clock.after(seconds, lambda: _pending.put(entry))
        else:
            _pending.put(entry)
    with _start:
        if _thread is None:
            _thread = threading.Thread(target=_deliver, name='localcloud-events', daemon=True)
            _thread.start()


def _deliver() -> None:
    while True:
        entry = _pending.get()
        try:
            with own_scope():
                # PutEvents from outside refuses aws.* sources; services of AWS itself are allowed.
                eventbridge._put_events({'Entries': [entry]}, allow_aws_source=True)
        except Exception:
            _log.exception('event %s was not delivered', entry['DetailType'])
