"""systemd-networkd with amazon-ec2-net-utils, as in Amazon Linux 2023."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..lab import Lab
from ..report import NotRun, ScenarioFailed, Steps
from ..runner import Needs
from . import _networks
from ._networks import MACHINES, TIMEOUT, Manager

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Network managers: amazon-ec2-net-utils leaves the interface of a slot alone'
SHARE = '/usr/share/amazon-ec2-net-utils'
SOURCES = {
    'bin/setup-policy-routes.sh': '/usr/bin/setup-policy-routes',
    'lib/lib.sh': f'{SHARE}/lib.sh',
    'systemd/network/80-ec2.network': '/usr/lib/systemd/network/80-ec2.network',
    'systemd/system/policy-routes@.service': '/usr/lib/systemd/system/policy-routes@.service',
    'systemd/system/refresh-policy-routes@.service': '/usr/lib/systemd/system/refresh-policy-routes@.service',
    'systemd/system/refresh-policy-routes@.timer': '/usr/lib/systemd/system/refresh-policy-routes@.timer',
    'udev/99-vpc-policy-routes.rules': '/usr/lib/udev/rules.d/99-vpc-policy-routes.rules',
}
"""what its package installs, and where"""


def needs(environment: Mapping[str, str]) -> Needs:
    """A checkout of its sources. Debian carries none."""
    tree = environment.get('EC2_NET_UTILS', '')
    if not tree:
        raise NotRun('EC2_NET_UTILS is not set: it names a checkout of amazonlinux/amazon-ec2-net-utils')
    missing = [name for name in SOURCES if not (Path(tree) / name).exists()]
    if missing:
        raise ScenarioFailed(f'EC2_NET_UTILS={tree} lacks {", ".join(missing)}: it is no such checkout')
    return Needs()


def installed(tree: Path) -> dict[str, str]:
    """The files as `make install` puts them. The lab's interfaces are virtio's, which the tools would leave alone."""
    files = {path: (tree / name).read_text() for name, path in SOURCES.items()}
    for path, text in files.items():
        text = text.replace('AMAZON_EC2_NET_UTILS_LIBDIR', SHARE).replace('AMAZON_EC2_NET_UTILS_VERSION', 'lab')
        files[path] = text.replace('Driver=ena ', 'Driver=ena virtio_net ').replace('"vif|ena|', '"vif|ena|virtio_net|')
    return files


def run(lab: Lab, steps: Steps) -> None:
    tree = Path(os.environ['EC2_NET_UTILS'])
    manager = Manager(
        name='systemd-networkd with amazon-ec2-net-utils',
        units=('systemd-networkd.service',),
        files=lambda machine: installed(tree),
        # It waits for networkd, asks the metadata service and writes its files.
        plugged=lambda machine, interface: machine.wait_for_unit('policy-routes@eth1.service'),
        reload='networkctl reload',
        restart='systemctl restart systemd-networkd',
        others={
            'its timer refreshes routes': 'systemctl start refresh-policy-routes@eth1 refresh-policy-routes@eth0',
            'it sets up the first interface anew': 'systemctl restart policy-routes@eth0',
        },
    )
    _networks.run(manager, lab, steps)
