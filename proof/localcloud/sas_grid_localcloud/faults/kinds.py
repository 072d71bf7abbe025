"""All kinds of faults by name."""

from collections.abc import Callable
from typing import Any

from .. import history
from . import account, backups, capacity, denials, events, functions, hangs, hosts, image_builds, requests, stillness
from .fields import Wrong

Fault = Callable[[dict[str, Any]], dict[str, Any]]

KINDS: dict[str, Fault] = {
    'throttle': requests.throttle,
    'hang-shutdown': hangs.ask,
    'no-capacity': capacity.ask,
    'freeze-host': hosts.freeze,
    'lose-power': hosts.lose_power,
    'lose-carrier': hosts.lose_carrier,
    'slow-disks': hosts.slow_disks,
    'agent-gone': hosts.lose_agent,
    'agent-old': hosts.age_agent,
    'kill-function': functions.kill,
    'restart-functions': functions.restart,
    'events': events.ask,
    'stand-still': stillness.ask,
    'deny': denials.deny,
    'late': denials.delay,
    'quota': account.quota,
    'no-type': account.no_type,
    'no-endpoint-service': account.no_endpoint_service,
    'image': account.image,
    'stack-state': account.stack_state,
    'fail-backup': backups.fail,
    'fail-build-step': image_builds.fail,
    'hang-build-step': image_builds.hang,
}


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Bring a fault about. Raises Wrong for a request that is not one."""
    kind = request.get('kind')
    if kind == 'calm':
        calm()
        return {}
    if kind not in KINDS:
        raise Wrong(f'kind is {kind!r}; allowed: {", ".join([*KINDS, "calm"])}')
    answer = KINDS[kind](request)
    told = {key: value for key, value in request.items() if key != 'kind'}
    history.record(
        'fault', str(told.get('instance') or told.get('group') or kind), None, str(kind), asked=told, **answer
    )
    return answer


def calm() -> None:
    """End every fault that is in force."""
    for part in (requests, hangs, capacity, hosts, functions, events, stillness, denials, account, image_builds):
        part.calm()
    backups.calm()
    history.record('fault', 'all', None, 'calm')


def counts() -> dict[str, int]:
    """How often faults took effect since the start."""
    return {
        'throttledCalls': requests.refused(),
        'functionsKilled': functions.killed(),
        'launchesRefused': capacity.refused(),
        **events.counts(),
    }
