"""Describes are behind: what they show of a changed state is how it was a moment ago.

EC2's API is eventually consistent. The emulated one shows the state of instances, volumes and attachments with a
fixed lag (``LAG``), while calls that change something act on what is really so. So a program sees what one sees on
EC2 at bad moments: a volume that is ``available`` but can't be attached, or one that is attached to a dead instance.
"""

import time
from collections.abc import Callable
from typing import Any

from .. import settings
from .state import Record

Look = Callable[[Record], Record]
"""How a record is looked at: as it is, or as describes see it."""


def note_volume(volume: Record) -> None:
    """Remember how the volume looks from now on."""
    # An attachment without a state is being made by the caller, who notes again when it has one.
    attachments = [dict(one) for one in volume['Attachments'] if 'State' in one]
    _note(volume, {'State': volume['State'], 'Attachments': attachments})


def note_interface(interface: Record) -> None:
    """Remember how the interface looks from now on."""
    held = interface['Attachment']
    _note(interface, {'Status': interface['Status'], 'Attachment': None if held is None else dict(held)})


def note_instance(instance: Record) -> None:
    """Remember how the instance looks from now on."""
    reason = instance.get('StateTransitionReason', '')
    _note(instance, {'State': dict(instance['State']), 'StateTransitionReason': reason})


def as_it_is(record: Record) -> Record:
    """The record itself."""
    return record


def as_seen(record: Record) -> Record:
    """A copy of the record in the state that describes show now."""
    past: list[tuple[float, dict[str, Any]]] = record.get('_past') or []
    shown: dict[str, Any] = {}
    horizon = time.monotonic() - settings.delays().lag
    for since, state in past:
        # The first state is shown from the start: that a record is new is what VISIBLE hides.
        if since <= horizon or not shown:
            shown = state
    return {**record, **shown}


def _note(record: Record, state: dict[str, Any]) -> None:
    past: list[tuple[float, dict[str, Any]]] = record.setdefault('_past', [])
    now = time.monotonic()
    past.append((now, state))
    horizon = now - settings.delays().lag
    while len(past) > 1 and past[1][0] <= horizon:
        past.pop(0)
