"""Transitions that wait: what comes between two states can be looked at, however busy the machine is."""

from collections.abc import Mapping
from typing import Any

from .. import clock


def ask(_: Mapping[str, Any]) -> dict[str, Any]:
    """No state changes by itself until calm."""
    clock.hold(True)
    return {}


def calm() -> None:
    """What has fallen due happens now."""
    clock.hold(False)
