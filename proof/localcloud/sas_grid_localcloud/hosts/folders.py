"""The folders in which hosts are kept, whatever they are made of."""

from pathlib import Path

_state: Path | None = None


def open_in(state: Path) -> None:
    """Keep hosts in this state folder."""
    global _state
    _state = state.resolve()
    for folder in ('hosts', 'volumes'):
        (_state / folder).mkdir(parents=True, exist_ok=True)


def state() -> Path:
    """The state folder."""
    if _state is None:
        raise RuntimeError('hosts.install() was not called')
    return _state


def root_of(instance_id: str) -> Path:
    """The folder of an instance: a sandbox's root, and what the embedded AWS notes about any host."""
    return state() / 'hosts' / instance_id


def alive(instance_id: str) -> bool:
    """Whether something can run in the host: its machine is on and does not stand still."""
    return (root_of(instance_id) / 'alive').exists()


def powered(instance_id: str) -> bool:
    """Whether the machine is on, whether its operating system stands still or not."""
    return alive(instance_id) or (root_of(instance_id) / 'halted').exists()
