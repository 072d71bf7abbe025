"""What is wrong with what a cluster of GFS2 did, and with what its nodes read."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..ec2_endpoint import Call
from ._gfs2_programs import POINT


def wrong_stops(calls: Iterable[Call], lost: set[str], by: set[str], names: dict[str, str]) -> str:
    """What is wrong when each of these was to be stopped once, by one of those; empty when nothing is."""
    stops = [
        (names[one], names.get(call.source, call.source))
        for call in calls
        if call.action == 'StopInstances'
        for one in call.instances
    ]
    if Counter(one for one, _ in stops) == Counter(lost) and {source for _, source in stops} <= by:
        return ''
    return f'stopped were {stops}; right is {sorted(lost)}, once each, by some of {sorted(by)}'


def faults(found: dict[str, Any], told: dict[str, int]) -> str:
    """What is wrong with what a node reads; empty when nothing is.

    A writer that was lost may leave the file that it was about to write in pieces, and no other.
    """
    count = found['count']
    in_hand = {f'{POINT}/{name}-{(number - 1) % 40}' for name, number in count.items() if told.get(name, 0) < number}
    torn = [one for one in found['torn'] if one[0] not in in_hand]
    lost = {name: number for name, number in told.items() if count.get(name, 0) < number}
    if not found['broken'] and not torn and not lost and found['rest'] == "b''":
        return ''
    return json.dumps({**found, 'torn': torn, 'told, and not there': lost})
