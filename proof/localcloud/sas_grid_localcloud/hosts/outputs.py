"""What commands print, whole, in a bucket: the agent puts it there, a moment after the end."""

import logging
import threading
from dataclasses import dataclass

from .. import permissions
from ..permissions import callers
from ..permissions.s3 import s3_checks
from ..scope import in_scope
from . import folders

LATER_SECONDS = 0.5
"""Longer than it takes to see that a command has ended."""

PLUGIN = 'awsrunShellScript'
"""The only action that is implemented, as the agent names its folder."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Place:
    """Where a command's output goes."""

    bucket: str
    prefix: str

    def key(self, command_id: str, instance_id: str, step: str, stream: str) -> str:
        """As the agent makes it: amazon-ssm-agent, agent/framework/processor/executer/iohandler."""
        parts = (self.prefix.strip('/'), command_id, instance_id, PLUGIN, step, stream)
        return '/'.join(part for part in parts if part)


def put(place: Place | None, command_id: str, instance_id: str, step: str, out: str, err: str) -> None:
    """Put the output of a step into the bucket, later. What is empty is not put there, as by the agent."""
    texts = {'stdout': out, 'stderr': err}
    if place is None or not folders.alive(instance_id):
        return

    def upload() -> None:
        # A machine that is gone by then puts nothing anywhere.
        if not folders.alive(instance_id):
            return
        for stream, text in texts.items():
            if text:
                _put(instance_id, place, place.key(command_id, instance_id, step, stream), text)

    timer = threading.Timer(LATER_SECONDS, in_scope(upload))
    timer.daemon = True
    timer.start()


def _put(instance_id: str, place: Place, key: str, text: str) -> None:
    """What fails the agent writes into its log, and goes on."""
    from ministack.services import s3

    try:
        role = callers.role_of(instance_id) or instance_id
        permissions.require(role, s3_checks('PUT', f'/{place.bucket}/{key}', {}, b'', {}))
    except permissions.Denied as denied:
        _log.warning('s3://%s/%s was not written: %s', place.bucket, key, denied)
        return
    status, _, answer = s3._put_object(place.bucket, key, text.encode(), {'content-type': 'text/plain'})
    if status >= 300:
        _log.warning('s3://%s/%s was not written: %s', place.bucket, key, answer)
