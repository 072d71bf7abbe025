"""Requests that are refused because there are too many: set from outside, so that a program can be tested with it.

``SAS_GRID_LOCALCLOUD_THROTTLE='AttachVolume=2 Describe*=10'`` refuses every second AttachVolume and every tenth call of
the actions that begin with Describe, the first of which is the second and the tenth. ``=1`` refuses all.
Such rules can also be in force for a while only (``faults/``).
"""

import fnmatch
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .query import Answer, Parameters, Protocol, Refused

VARIABLE = 'SAS_GRID_LOCALCLOUD_THROTTLE'


@dataclass
class Rule:
    """One action or pattern, and how many of its calls there are for one that is refused."""

    pattern: str
    every: int
    seen: int = field(default=0)
    until: float = field(default=math.inf)
    """on the clock of time.monotonic"""


_lock = threading.Lock()
_rules: list[Rule] = []
_refused = 0


def parse(text: str) -> list[Rule]:
    """The rules of a setting; an error names the part that is wrong."""
    rules = []
    for part in text.split():
        pattern, _, every = part.partition('=')
        if not pattern or not every.isdigit() or int(every) < 1:
            raise ValueError(f"{VARIABLE} has {part!r}; allowed: <action>=<n>, n from 1, for example 'AttachVolume=2'")
        rules.append(Rule(pattern, int(every)))
    return rules


def use(rules: list[Rule]) -> None:
    """Make these rules the ones in force."""
    with _lock:
        _rules[:] = rules


def use_for(rules: list[Rule], seconds: float) -> None:
    """Put these rules in front of the others for a time."""
    until = time.monotonic() + seconds
    for rule in rules:
        rule.until = until
    with _lock:
        _rules[:0] = rules


def calm() -> None:
    """Only the rules without an end stay."""
    with _lock:
        _rules[:] = [rule for rule in _rules if rule.until == math.inf]


def refused() -> int:
    """How many calls were refused."""
    return _refused


def refuses(action: str) -> bool:
    """Whether this call of the action is one too many. Counts it."""
    global _refused
    now = time.monotonic()
    with _lock:
        _rules[:] = [rule for rule in _rules if rule.until > now]
        for rule in _rules:
            if fnmatch.fnmatchcase(action, rule.pattern):
                rule.seen += 1
                too_many = rule.seen % rule.every == 0
                _refused += too_many
                return too_many
    return False


def throttled(
    protocol: Protocol, action: str, refusal: Refused, handler: Callable[[Parameters], Answer]
) -> Callable[[Parameters], Answer]:
    """A ministack action handler that is refused now and then."""

    def guarded(parameters: Parameters) -> Answer:
        return protocol.refusal(refusal) if refuses(action) else handler(parameters)

    return guarded
