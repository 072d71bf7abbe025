"""Addresses, and the namespace where it can be made."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sas_grid_lab.network import Addresses, Network, NoAddress, mac_of

ROOT = os.geteuid() == 0 and os.path.exists('/dev/net/tun') and os.path.exists('/sbin/ip')


def test_machines_start_at_11_and_each_address_is_given_once() -> None:
    addresses = Addresses()
    assert addresses.take('10.77.0.12') == '10.77.0.12'
    assert [addresses.next(), addresses.next()] == ['10.77.0.11', '10.77.0.13']


@pytest.mark.parametrize('address', ['10.77.0.1', '10.77.1.5', '192.168.0.1'])
def test_the_routers_and_foreign_addresses_are_refused(address: str) -> None:
    with pytest.raises(NoAddress, match=address.replace('.', r'\.')):
        Addresses().take(address)


def test_an_address_is_not_given_twice() -> None:
    addresses = Addresses()
    addresses.take('10.77.0.50')
    with pytest.raises(NoAddress, match='taken'):
        addresses.take('10.77.0.50')


def test_the_subnet_ends() -> None:
    addresses = Addresses()
    for _ in range(11, 255):
        addresses.next()
    with pytest.raises(NoAddress, match='full'):
        addresses.next()


def test_mac_addresses_are_local_unicast_and_differ() -> None:
    macs = {mac_of(f'10.77.0.{number}') for number in range(1, 255)}
    assert len(macs) == 254
    assert all(int(mac[:2], 16) & 3 == 2 for mac in macs)


@pytest.mark.skipif(not ROOT, reason='namespaces need root and /dev/net/tun')
def test_a_namespace_is_made_listened_in_and_removed() -> None:
    network = Network(f'sas-grid-test-{os.getpid()}')
    network.create()
    try:
        tap = network.add_tap()
        listener = network.listen('10.77.0.1', 8080)

        def accept() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b'hello')

        threading.Thread(target=accept, daemon=True).start()
        inside = "import socket; print(socket.create_connection(('10.77.0.1', 8080), 5).recv(9).decode())"
        shown = subprocess.run(
            ['ip', 'netns', 'exec', network.name, 'python3', '-c', inside], capture_output=True, text=True, timeout=20
        )
        assert shown.stdout == 'hello\n', shown.stderr
        network.remove_tap(tap)
        network.remove_tap(tap)
    finally:
        network.delete()
    assert not Path('/run/netns', network.name).exists()
    network.delete()


@pytest.mark.skipif(not ROOT, reason='namespaces need root and /dev/net/tun')
def test_who_is_cut_off_is_on_the_routers_other_bridge_until_the_network_is_one_again() -> None:
    network = Network(f'sas-grid-cut-{os.getpid()}')
    network.create()

    def asked(*words: str) -> list[dict[str, Any]]:
        command = ['ip', '-json', '-n', network.name, *words]
        found = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=20).stdout)
        assert isinstance(found, list)
        return found

    def ports(bridge: str) -> set[str]:
        return {one['ifname'] for one in asked('link') if one.get('master') == bridge}

    def way(address: str) -> str:
        return str(asked('route', 'get', address)[0]['dev'])

    def mac(bridge: str) -> str:
        return str(asked('link', 'show', bridge)[0]['address'])

    try:
        one, two, three = (network.add_tap() for _ in range(3))
        network.heal()
        network.cut_off(two, '10.77.0.12')
        network.cut_off(three, '10.77.0.13')
        assert (ports('subnet'), ports('island')) == ({one}, {two, three})
        assert (way('10.77.0.11'), way('10.77.0.13')) == ('subnet', 'island')
        assert mac('subnet') == mac('island') == mac_of('10.77.0.1')
        # One is gone with its machine, and is cut off again when it comes back.
        network.remove_tap(three)
        back = network.add_tap()
        network.cut_off(back, '10.77.0.13')
        network.heal()
        assert ports('subnet') == {one, two, back}
        assert way('10.77.0.13') == 'subnet'
    finally:
        network.delete()


CAN_FILTER = ROOT and shutil.which('nft') and os.path.exists('/proc/sys/net/bridge')

ASK = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 2).close()
except OSError:
    sys.exit(1)
"""


@pytest.mark.skipif(not CAN_FILTER, reason='a filter needs root, nftables and br_netfilter')
def test_only_what_the_rules_say_gets_from_one_machine_to_another() -> None:
    network = Network(f'sas-grid-test-{os.getpid()}')
    network.create()
    ends = [f'{network.name}-{number}' for number in (1, 2)]
    try:
        for number, end in enumerate(ends, 11):
            subprocess.run(['ip', 'netns', 'add', end], check=True)
            pair = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', end]
            subprocess.run(['ip', '-n', network.name, 'link', 'add', f'v{number}', *pair], check=True)
            subprocess.run(
                ['ip', '-n', network.name, 'link', 'set', f'v{number}', 'master', 'subnet', 'up'], check=True
            )
            subprocess.run(['ip', '-n', end, 'address', 'add', f'10.77.0.{number}/24', 'dev', 'eth0'], check=True)
            subprocess.run(['ip', '-n', end, 'link', 'set', 'eth0', 'up'], check=True)
        server = Network(ends[1])
        with server.listen('10.77.0.12', 2049), server.listen('10.77.0.12', 2050):
            assert connects(ends[0], 2049)
            assert connects(ends[0], 2050)
            network.filter('ip saddr 10.77.0.11 ip daddr 10.77.0.12 tcp dport 2049-2049 accept')
            assert connects(ends[0], 2049)
            assert not connects(ends[0], 2050)
            network.filter('')
            assert not connects(ends[0], 2049)
        # Whatever is filtered, a kernel that is there says so.
        assert network.answers('10.77.0.12', 30)
        assert not network.answers('10.77.0.13', 0.5)
    finally:
        for end in ends:
            subprocess.run(['ip', 'netns', 'delete', end], check=False)
        network.delete()


def connects(namespace: str, port: int) -> bool:
    asked = ['ip', 'netns', 'exec', namespace, sys.executable, '-c', ASK, '10.77.0.12', str(port)]
    return subprocess.run(asked, check=False).returncode == 0
