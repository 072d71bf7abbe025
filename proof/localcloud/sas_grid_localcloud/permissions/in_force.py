"""IAM is eventually consistent: what CloudFormation has given a role, or changed, counts a little later.

Until then the policy counts as it was before (IAM User Guide, "Changes that I make are not always immediately
visible").
"""

import json
import time
from dataclasses import dataclass
from typing import Any

from .. import settings


@dataclass(frozen=True)
class _Change:
    before: str | None
    now: str
    until: float


_changes: dict[tuple[str, str], _Change] = {}
"""the last change of each role's policies, by the names of both"""
_ended: dict[str, dict[str, str]] = {}
"""the policies of roles whose stacks go or are gone, by the names of both"""


def changed(role: str, name: str, document: Any) -> None:
    """A role has got this policy, or another version of it."""
    text = _text(document)
    last = _changes.get((role, name))
    if last is not None and last.now == text:
        return
    until = time.monotonic() + settings.delays().permission
    _changes[role, name] = _Change(last.now if last else None, text, until)


def counting(role: str, inline: dict[str, Any]) -> list[str]:
    """The documents of a role's inline policies that count now."""
    now = time.monotonic()
    found = []
    for name, document in inline.items():
        change = _changes.get((role, name))
        if change is None or now >= change.until:
            found.append(_text(document))
        elif change.before is not None:
            found.append(change.before)
    return found


def ending(role: str, inline: dict[str, Any]) -> None:
    """The stack of a role goes; until now the role had these inline policies."""
    _ended.setdefault(role, {}).update({name: _text(document) for name, document in inline.items()})


def ended(role: str) -> list[str]:
    """The documents that counted before the role's stack began to go."""
    return list(_ended.get(role, {}).values())


def _text(document: Any) -> str:
    return document if isinstance(document, str) else json.dumps(document)
