"""Members of a cluster notice that one of them is gone: what their daemons would do at once, they do here."""

import json
import threading
from typing import Any

from .. import signals
from . import folders, sandbox

STEP_SECONDS = 60.0


def subscribe() -> None:
    """Follow the instances; after the hosts themselves, so that what is off has let go."""
    signals.subscribe('instance-state', _state_changed)


def _state_changed(*, instance_id: str, state: str, **_: Any) -> None:
    if state not in ('terminated', 'stopped'):
        return
    for path in (folders.state() / 'clusters').glob('*/state.json'):
        members = json.loads(path.read_text())['members']
        if instance_id not in members:
            continue
        others = [one for one in sorted(members) if one != instance_id and folders.alive(one)]
        for other in others[:1]:
            name = f'cluster-{other}'
            threading.Thread(target=_step, args=(other,), name=name, daemon=True).start()


def _step(instance_id: str) -> None:
    sandbox.run(instance_id, 'crm_node --quorum', STEP_SECONDS)
