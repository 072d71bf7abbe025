"""What instances say on their consoles."""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from .state import LOCK, instance_record, now

MOST_BYTES = 64 * 1024
"""Amazon EC2 API Reference, GetConsoleOutput: the most recent 64 KB are kept."""

_read: Callable[[str], str] | None = None


def use(read: Callable[[str], str]) -> None:
    """From now on this says what is on an instance's console."""
    global _read
    _read = read


def get_output(request: Mapping[str, Any]) -> dict[str, Any]:
    """GetConsoleOutput: the end of what the instance said; nothing while it has said nothing."""
    with LOCK:
        identity = str(instance_record(str(request.get('InstanceId')))['InstanceId'])
    text = _read(identity) if _read else ''
    answer = {'instanceId': identity, 'timestamp': now()}
    if text:
        answer['output'] = base64.b64encode(text.encode()[-MOST_BYTES:]).decode()
    return answer
