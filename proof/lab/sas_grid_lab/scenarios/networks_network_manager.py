"""NetworkManager with the connections that it makes by itself, one for each interface."""

from ..lab import Lab
from ..report import Steps
from . import _networks
from ._networks import MACHINES, TIMEOUT, Manager

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'run']

# RHEL's nm-cloud-setup, which Debian lacks, does this to the first interface when EC2 tells of a second one.
CLOUD_SETUP = (
    'name=$(nmcli -g GENERAL.CONNECTION device show eth0) && nmcli connection modify "$name" ipv4.routing-rules'
    ' "priority 30350 from 0.0.0.0/0 table 254 suppress_prefixlength 0" && nmcli device reapply eth0'
    ' && ip rule show priority 30350 | grep -q main'
)
TITLE = 'Network managers: NetworkManager leaves the interface of a slot alone'
NETWORK_MANAGER = Manager(
    name='NetworkManager',
    units=('NetworkManager.service', 'NetworkManager-wait-online.service', 'NetworkManager-dispatcher.service'),
    files=lambda machine: {},
    reload='nmcli general reload && nmcli connection reload',
    restart='systemctl restart NetworkManager',
    others={
        'nm-cloud-setup has main asked first': CLOUD_SETUP,
        'the first interface anew': 'nmcli --wait 120 device connect eth0',
    },
)


def run(lab: Lab, steps: Steps) -> None:
    _networks.run(NETWORK_MANAGER, lab, steps)
