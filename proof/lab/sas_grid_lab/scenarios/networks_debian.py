"""netplan and systemd-networkd as in Debian's cloud images: one entry for all interfaces."""

from ..lab import Lab
from ..report import Steps
from . import _networks
from ._networks import MACHINES, TIMEOUT, Manager

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'run']

TITLE = "Network managers: Debian's netplan and systemd-networkd leave the interface of a slot alone"
# The images' own file, /etc/netplan/90-default.yaml.
ENTRY = '      dhcp4: true\n      dhcp4-overrides: {use-domains: true}\n'
DEFAULT = f'network:\n  version: 2\n  ethernets:\n    all-en:\n      match: {{name: en*}}\n{ENTRY}' + (
    f'    all-eth:\n      match: {{name: eth*}}\n{ENTRY}'
)
DEBIAN = Manager(
    name='netplan with one entry for all',
    units=('systemd-networkd.service',),
    files=lambda machine: {'/etc/netplan/90-default.yaml': DEFAULT},
    reload='networkctl reload',
    restart='systemctl restart systemd-networkd',
    others={'netplan apply': 'netplan apply', 'the first interface anew': 'networkctl reconfigure eth0'},
)


def run(lab: Lab, steps: Steps) -> None:
    _networks.run(DEBIAN, lab, steps)
