"""Versions of the SSM Agents. One that is too old is online like any other, and is told nothing."""

import threading

OLDEST_SERVED = '3.3.3598.0'
"""Run Command serves no older one (constructs/facts/hosts.ts)."""

_lock = threading.Lock()
_versions: dict[str, str] = {}


def version(instance_id: str) -> str:
    """Of the instance's agent."""
    with _lock:
        return _versions.get(instance_id, OLDEST_SERVED)


def set_version(instance_id: str, value: str) -> None:
    """The image brought an agent of this version."""
    with _lock:
        _versions[instance_id] = value


def served(instance_id: str) -> bool:
    """Whether Run Command serves it."""
    return _numbers(version(instance_id)) >= _numbers(OLDEST_SERVED)


def calm() -> None:
    """All agents are new enough."""
    with _lock:
        _versions.clear()


def _numbers(value: str) -> list[int]:
    return [int(part) for part in value.split('.')]
