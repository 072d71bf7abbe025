"""Security groups of machines: what EC2's books say becomes a packet filter between them."""

import logging
import threading
import time

from ministack.services import ec2
from sas_grid_lab.network import Network

from ..ec2 import reach
from ..ec2.state import LOCK
from ..scope import own_scope

LOOK_SECONDS = 1.0
_PORTS = ('tcp', 'udp')

_log = logging.getLogger(__name__)


def rules() -> str:
    """What may begin between the interfaces that instances have: a line of nftables for each."""
    with own_scope(), LOCK:
        attached = [one for one in ec2._network_interfaces.values() if one.get('Attachment')]
        lines = {
            _line(source['PrivateIpAddress'], destination['PrivateIpAddress'], opening)
            for source in attached
            for destination in attached
            if source is not destination
            for opening in reach.openings(source, destination)
        }
    return '\n'.join(sorted(lines))


def _line(source: str, destination: str, opening: reach.Opening) -> str:
    pair = f'ip saddr {source} ip daddr {destination}'
    if opening.protocol == reach.ANY:
        return f'{pair} accept'
    if opening.protocol in _PORTS:
        return f'{pair} {opening.protocol} dport {opening.first}-{opening.last} accept'
    return f'{pair} ip protocol {opening.protocol} accept'


class Groups:
    """Keeps the filter as the books are, from its start on."""

    def __init__(self, network: Network) -> None:
        """:raises HostCommandFailed: when this machine cannot filter between virtual machines"""
        self._network = network
        self._in_force = ''
        network.filter('')
        threading.Thread(target=self._keep, name='machines-groups', daemon=True).start()

    def _keep(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                found = rules()
                if found != self._in_force:
                    self._network.filter(found)
                    self._in_force = found
            except Exception:
                _log.exception('security groups are not as they should be')
