"""Tags: at most 50 that are a user's own, and none whose key begins with ``aws:``.

AWS General Reference, "Tagging your AWS resources": both are the same for all services that take tags.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..query import Refused

MOST = 50
_NAMES = ('Tags', 'tags', 'Tag', 'TagList')


def check(members: Mapping[str, Any], invalid: str, too_many: str, own: tuple[str, ...] = ()) -> None:
    """Refuse wrong tags with these codes of the service.

    ``own``: with which the keys begin that AWS itself gives in what is looked at; they do not count.
    """
    for found in _sets(members):
        keys = [key for key in found if not key.startswith(own)]
        if len(keys) > MOST:
            raise Refused(too_many, f'{len(keys)} tags; allowed: {MOST}')
        for key in keys:
            if key.lower().startswith('aws:'):
                raise Refused(invalid, f"Tag keys starting with 'aws:' are reserved for internal use: {key}")


def _sets(members: Mapping[str, Any]) -> Iterator[list[str]]:
    for name in _NAMES:
        if members.get(name):
            yield _keys(members[name])
    for one in members.get('TagSpecifications') or []:
        if isinstance(one, Mapping):
            yield _keys(one.get('Tags') or [])


def _keys(tags: Any) -> list[str]:
    if isinstance(tags, Mapping):
        return [str(key) for key in tags]
    # The same key for several resources of Auto Scaling is one tag of each.
    pairs = {
        (str(one.get('ResourceId', '')), str(one.get('Key', one.get('key', one.get('TagKey', '')))))
        for one in tags
        if isinstance(one, Mapping)
    }
    most = max({where for where, _ in pairs}, key=lambda where: sum(at == where for at, _ in pairs), default='')
    return [key for where, key in sorted(pairs) if where == most or key.lower().startswith('aws:')]
