"""Where AWS takes more than its model says: each with the reason, its source, and the day that it was read.

Whatever is not here is refused. A constraint is named by service, shape, member (for ``missing`` and ``unknown``) and
kind.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Laxer:
    """One constraint of a model that is not enforced."""

    service: str
    """botocore's name"""
    shape: str
    member: str
    kind: str
    reason: str
    source: str
    """document and day; ``unverified`` where none says so"""


LAXER: tuple[Laxer, ...] = ()

_named = {(one.service, one.shape, one.member, one.kind) for one in LAXER}


def is_laxer(service: str, shape: str, member: str, kind: str) -> bool:
    """Whether AWS is known to be laxer than this constraint of its model."""
    return (service, shape, member, kind) in _named
