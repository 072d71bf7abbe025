"""NetworkManager with the connections that it makes by itself, one for each interface."""

from ..lab import Lab
from ..report import Steps
from . import _networks
from ._networks import MACHINES, TIMEOUT, Manager

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'run']

TITLE = 'Network managers: NetworkManager leaves the interface of a slot alone'
NETWORK_MANAGER = Manager(
    name='NetworkManager',
    units=('NetworkManager.service', 'NetworkManager-wait-online.service', 'NetworkManager-dispatcher.service'),
    files=lambda machine: {},
    reload='nmcli general reload && nmcli connection reload',
    restart='systemctl restart NetworkManager',
    others={'the first interface anew': 'nmcli --wait 120 device connect eth0'},
)


def run(lab: Lab, steps: Steps) -> None:
    _networks.run(NETWORK_MANAGER, lab, steps)
