"""What the scenarios networks_* decide without machines."""

import json
from pathlib import Path

import pytest

from sas_grid_lab.network import address_of, mac_of
from sas_grid_lab.plugs import Interface
from sas_grid_lab.report import NotRun, ScenarioFailed
from sas_grid_lab.scenarios._network_watch import answer_of
from sas_grid_lab.scenarios._networks import mode_of, wrong
from sas_grid_lab.scenarios.networks_amazon import SOURCES, installed, needs
from sas_grid_lab.scenarios.networks_ubuntu import entries

SERVED = """\
eth1 1003
--
3: eth1    inet 10.77.0.50/24 scope global noprefixroute eth1\\       valid_lft forever preferred_lft forever
--
32765:	from 10.77.0.50 lookup 1003 proto kernel
--
default via 10.77.0.1 dev eth1 src 10.77.0.50
10.77.0.0/24 dev eth1 scope link src 10.77.0.50
--
192.0.2.1 from 10.77.0.50 via 10.77.0.1 dev eth1 table 1003 uid 0 \\    cache
10.77.0.1 from 10.77.0.50 dev eth1 table 1003 uid 0 \\    cache
--
default via 10.77.0.1 dev eth0 proto dhcp src 10.77.0.11 metric 1024
"""


def test_an_interface_as_it_is_served_is_right_also_while_the_first_has_no_way_out() -> None:
    assert wrong(SERVED) == []
    assert wrong(SERVED[: SERVED.rindex('default')]) == []
    assert wrong(SERVED.replace('dev eth0 proto dhcp', 'dev eth1 proto dhcp')) == []


@pytest.mark.parametrize(
    ('was', 'seen', 'said'),
    [
        ('valid_lft forever', 'valid_lft 39sec', 'addresses of eth1'),
        (' inet 10.77.0.50/24 ', ' inet 10.77.0.51/24 ', 'addresses of eth1'),
        ('lookup 1003', 'lookup 101', 'rules from'),
        ('default via 10.77.0.1 dev eth1 src 10.77.0.50\n', '', 'routes of table 1003'),
        ('via 10.77.0.1 dev eth1 table', 'via 10.77.0.1 dev eth0 table', 'would leave otherwise'),
        (
            'default via 10.77.0.1 dev eth0',
            'default via 10.77.0.1 dev eth1\ndefault via 10.77.0.1 dev eth0',
            'by the slot',
        ),
    ],
)
def test_what_a_manager_changes_is_told(was: str, seen: str, said: str) -> None:
    assert was in SERVED
    assert [problem for problem in wrong(SERVED.replace(was, seen)) if said in problem]


def test_a_mac_address_tells_its_address() -> None:
    assert address_of(mac_of('10.77.0.50')) == '10.77.0.50'
    assert address_of('52:54:00:12:34:56') is None


def test_only_answers_for_an_address_count() -> None:
    address, macs = bytes([10, 77, 0, 50]), bytes(12)

    def tcp(port: int, options: int = 0) -> bytes:
        head = bytes([0x45 + options]) + bytes(8) + b'\6' + bytes(2) + address + bytes(4 + options * 4)
        return macs + b'\x08\x00' + head + port.to_bytes(2, 'big') + bytes(18)

    def arp(kind: int) -> bytes:
        return macs + b'\x08\x06' + bytes(6) + kind.to_bytes(2, 'big') + bytes(6) + address + bytes(10)

    assert [answer_of(frame) for frame in (tcp(2049), tcp(2049, options=2), arp(2))] == ['10.77.0.50'] * 3
    others = (tcp(40000), arp(1), macs + b'\x86\xdd' + bytes(60), macs + b'\x08\x00', macs + b'\x08\x06')
    assert [answer_of(frame) for frame in others] == [None] * 5


def test_one_interface_has_a_plain_entry_and_a_second_one_its_routes() -> None:
    assert json.loads(entries('02:77:0a:4d:00:0b'))['network']['ethernets'] == {
        'eth0': {'dhcp4': True, 'dhcp6': False, 'match': {'macaddress': '02:77:0a:4d:00:0b'}, 'set-name': 'eth0'}
    }
    both = json.loads(entries('02:77:0a:4d:00:0b', Interface('10.77.0.50')))['network']['ethernets']
    assert both['eth1']['routing-policy'] == [{'from': '10.77.0.50', 'table': 101}]
    assert [both[name]['dhcp4-overrides']['route-metric'] for name in both] == [100, 200]


def test_amazons_tools_come_from_a_checkout(tmp_path: Path) -> None:
    with pytest.raises(NotRun, match='EC2_NET_UTILS'):
        needs({})
    with pytest.raises(ScenarioFailed, match=r'lacks bin/setup-policy-routes\.sh'):
        needs({'EC2_NET_UTILS': str(tmp_path)})
    for name in SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'#!/bin/bash\n{name} AMAZON_EC2_NET_UTILS_LIBDIR Driver=ena ixgbevf vif\n')
    needs({'EC2_NET_UTILS': str(tmp_path)})
    files = installed(tmp_path)
    assert '/usr/share/amazon-ec2-net-utils' in files['/usr/bin/setup-policy-routes']
    assert 'Driver=ena virtio_net ' in files['/usr/lib/systemd/network/80-ec2.network']


def test_scripts_are_executable_and_netplans_files_private() -> None:
    assert [mode_of('/usr/bin/x', '#!/bin/sh\n'), mode_of('/etc/netplan/x', ''), mode_of('/etc/x', '')] == [
        0o755,
        0o600,
        0o644,
    ]
