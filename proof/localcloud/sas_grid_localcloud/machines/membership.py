"""Who is a member of a cluster, and whom it fenced, as its members' own programs say it."""

import re
import threading
from dataclasses import dataclass, field
from xml.etree import ElementTree

from .. import history

LOOK = "[ ! -d /sys/kernel/config/dlm/cluster ] || dlm_tool status 2>/dev/null | grep -E '^(cluster|node)' || true"
"""What the lock manager knows: cheaper than what follows, and different as soon as there is something to tell."""

DETAILS = (
    '[ ! -d /sys/kernel/config/dlm/cluster ] ||'
    " { crm_node --name; stonith_admin --history '*' --output-as xml; } 2>/dev/null || true"
)

_OWN = re.compile(r'^cluster nodeid (\d+) ', re.MULTILINE)


class Names:
    """Which instance each node was last, of all clusters together: fencing speaks of nodes only."""

    def __init__(self) -> None:
        self._instances: dict[str, str] = {}
        self._lock = threading.Lock()

    def is_now(self, node: str, instance_id: str) -> None:
        """The node is this instance from now on."""
        with self._lock:
            self._instances[node] = instance_id

    def instance(self, node: str) -> str | None:
        """The instance that is the node, or was it."""
        with self._lock:
            return self._instances.get(node)


@dataclass
class Membership:
    """Of one machine, since it was switched on."""

    instance_id: str
    names: Names
    _node: str | None = None
    _told: set[tuple[str, str]] = field(default_factory=set)

    def note(self, look: str, details: str) -> None:
        """Write down what is different."""
        own = _OWN.search(look)
        member = own is not None and re.search(rf'^node {own[1]} M ', look, re.MULTILINE) is not None
        node, _, fencing = details.strip().partition('\n')
        self._note_member(node if member and node else None)
        if fencing:
            self._note_fencing(fencing)

    def _note_member(self, node: str | None) -> None:
        if node == self._node:
            return
        if self._node:
            history.record('cluster-member', self._node, self.instance_id, None)
        if node:
            self.names.is_now(node, self.instance_id)
            history.record('cluster-member', node, None, self.instance_id)
        self._node = node

    def _note_fencing(self, fencing: str) -> None:
        """What this node itself has done for the cluster; the others tell what they did."""
        for event in ElementTree.fromstring(fencing).iter('fence_event'):
            target, done = event.get('target', ''), (event.get('target', ''), event.get('completed', ''))
            mine = event.get('status') == 'success' and event.get('delegate') == self._node
            if not mine or done in self._told:
                continue
            self._told.add(done)
            fenced = self.names.instance(target)
            if fenced:
                history.record('fence', fenced, target, 'off', instance=self.instance_id)
