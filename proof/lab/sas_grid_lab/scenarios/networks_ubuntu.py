"""netplan and systemd-networkd as in Ubuntu's images, where cloud-init writes an entry for each interface."""

import json

from ..lab import Interface, Lab, Machine
from ..network import ROUTER, SUBNET
from ..report import Steps
from . import _networks
from ._networks import MACHINES, TIMEOUT, Manager

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'run']

TITLE = "Network managers: netplan with cloud-init's entries leaves the interface of a slot alone"
FILE = '/etc/netplan/50-cloud-init.yaml'


def entries(first: str, *others: Interface) -> str:
    """What cloud-init makes of EC2's metadata (convert_ec2_metadata_network_config of 26.2); JSON is YAML."""
    made: dict[str, object] = {}
    for number, mac in enumerate([first, *(other.mac for other in others)]):
        entry = made[f'eth{number}'] = {
            'dhcp4': True,
            'dhcp6': False,
            'match': {'macaddress': mac},
            'set-name': f'eth{number}',
        }
        if others:
            entry['dhcp4-overrides'] = {'route-metric': (number + 1) * 100}
        if number > 0:
            # So that answers leave by the interface that has the address.
            table = 100 + number
            entry['routes'] = [{'to': '0.0.0.0/0', 'via': ROUTER, 'table': table}, {'to': str(SUBNET), 'table': table}]
            entry['routing-policy'] = [{'from': others[number - 1].address, 'table': table}]
    return json.dumps({'network': {'version': 2, 'ethernets': made}}, indent=2)


def hot_plug(machine: Machine, interface: Interface) -> None:
    """cloud-init's part when an interface is plugged in, which it does unless it is told otherwise."""
    machine.put(FILE, entries(machine.mac, interface), 0o600)
    machine.run('netplan apply')


UBUNTU = Manager(
    name="netplan with cloud-init's entries",
    units=('systemd-networkd.service',),
    files=lambda machine: {FILE: entries(machine.mac)},
    plugged=hot_plug,
    reload='networkctl reload',
    restart='systemctl restart systemd-networkd',
    others={'netplan apply, as cloud-init calls it': f'touch {FILE} && netplan apply'},
)


def run(lab: Lab, steps: Steps) -> None:
    _networks.run(UBUNTU, lab, steps)
