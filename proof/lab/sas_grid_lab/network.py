"""A network of its own for each run: a namespace with a bridge for each subnet, and the router of all."""

import ctypes
import ipaddress
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .commands import HostCommandFailed, host

SUBNET = ipaddress.IPv4Network('10.77.0.0/24')
ROUTER = '10.77.0.1'
METADATA = '169.254.169.254'
OUTSIDE = '10.88.0.1'
"""somebody beyond the router"""
MTU = '9001'
ISLAND = 'island'
FIRST_MACHINE = 11

_CLONE_NEWNET = 0x40000000


@dataclass(frozen=True)
class Subnet:
    """A subnet: a bridge, on which the router has the first address."""

    cidr: ipaddress.IPv4Network
    bridge: str

    @property
    def router(self) -> str:
        return str(self.cidr.network_address + 1)


LAB_SUBNET = Subnet(SUBNET, 'subnet')
"""of the scenarios"""


class NoAddress(Exception):
    """The subnet has no such address left."""


class Addresses:
    """Hands out the subnet's addresses and MAC addresses that go with them."""

    def __init__(self) -> None:
        self._taken: set[str] = {ROUTER}

    def next(self) -> str:
        """The next machine's address."""
        for number in range(FIRST_MACHINE, 255):
            address = f'10.77.0.{number}'
            if address not in self._taken:
                self._taken.add(address)
                return address
        raise NoAddress(f'{SUBNET} is full')

    def take(self, address: str) -> str:
        """A certain address."""
        if ipaddress.ip_address(address) not in SUBNET:
            raise NoAddress(f'{address} is not in {SUBNET}')
        if address in self._taken:
            raise NoAddress(f'{address} is taken')
        self._taken.add(address)
        return address


def mac_of(address: str) -> str:
    """A locally administered MAC address that carries the address."""
    return '02:77:' + ':'.join(f'{int(part):02x}' for part in address.split('.'))


def address_of(mac: str) -> str | None:
    """The address that a MAC address carries; None of one that is not the lab's."""
    return '.'.join(str(int(part, 16)) for part in mac.split(':')[2:]) if mac.startswith('02:77:') else None


class Network:
    """The namespace of one run."""

    def __init__(self, name: str, subnets: Iterable[Subnet] = (LAB_SUBNET,)) -> None:
        self.name = name
        self._subnets = list(subnets)
        self._taps = 0
        self._cut_off: list[str] = []

    def create(self) -> None:
        """Make the namespace, the bridges and the router's addresses."""
        host(['ip', 'netns', 'add', self.name])
        self._ip('link', 'set', 'lo', 'up')
        for subnet in self._subnets:
            self._bridge(subnet.bridge, subnet.router, subnet.cidr.prefixlen)
        for address in (OUTSIDE, METADATA):
            self.add_address(address)

    def add_subnet(self, subnet: Subnet) -> None:
        """One more subnet, beside those that there are: the router carries what goes from one to another."""
        self._bridge(subnet.bridge, subnet.router, subnet.cidr.prefixlen)
        self._subnets.append(subnet)
        self._inside('sysctl', '-q', '-w', 'net.ipv4.ip_forward=1')

    def add_address(self, address: str) -> None:
        """One more address of the router."""
        self._ip('address', 'add', f'{address}/32', 'dev', 'lo')

    def add_tap(self, subnet: Subnet = LAB_SUBNET) -> str:
        """A new port of a subnet's bridge, for a machine's interface."""
        self._taps += 1
        tap = f'tap{self._taps}'
        self._ip('tuntap', 'add', tap, 'mode', 'tap')
        self._ip('link', 'set', tap, 'mtu', MTU, 'master', subnet.bridge, 'up')
        return tap

    def remove_tap(self, tap: str) -> None:
        """Take a port away; it may be gone with its machine."""
        try:
            self._ip('link', 'delete', tap)
        except HostCommandFailed:
            pass

    def answers(self, address: str, seconds: float = 2.0) -> bool:
        """Whether a kernel is at this address: it answers for it, whatever its packet filter says."""
        self._ip('neigh', 'flush', 'to', address)
        with self.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as question:
            question.sendto(b'', (address, 9))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if any('lladdr' in one for one in json.loads(self._ip('-json', 'neigh', 'show', 'to', address) or '[]')):
                return True
            time.sleep(0.1)
        return False

    def filter(self, rules: str) -> None:
        """Let through between machines what these rules of nftables say: lines of a chain, in which all else is lost.

        What was let through once is answered.
        """
        self._inside('sysctl', '-q', '-w', 'net.bridge.bridge-nf-call-iptables=1')
        chain = 'type filter hook forward priority 0; policy drop; ct state established,related accept'
        table = f'table ip groups {{\n chain between {{\n{chain}\n{rules}\n }}\n}}\n'
        self._inside('nft', '-f', '-', stdin=f'table ip groups\ndelete table ip groups\n{table}')

    def cut_off(self, tap: str, address: str) -> None:
        """Move a machine to a bridge that the router is on as well, and nobody else.

        What a real network loses is as odd: two hosts that do not see each other, and both see EC2's API.
        """
        if not self._cut_off:
            self._bridge(ISLAND, ROUTER, 32)
        self._cut_off.append(tap)
        self._ip('link', 'set', tap, 'master', ISLAND)
        self._ip('route', 'replace', f'{address}/32', 'dev', ISLAND, 'src', ROUTER)

    def heal(self) -> None:
        """One network again, for those that were cut off and still run."""
        for tap in self._cut_off:
            if self._exists(tap):
                self._ip('link', 'set', tap, 'master', LAB_SUBNET.bridge)
        if self._cut_off:
            self._ip('link', 'delete', ISLAND)
        self._cut_off.clear()

    def listen(self, address: str, port: int) -> socket.socket:
        """A listening socket in the namespace."""

        def bind() -> socket.socket:
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen(64)
            return listener

        return self.inside(bind)

    def inside(self, make: Callable[[], socket.socket]) -> socket.socket:
        """A socket that is made in the namespace."""
        made: list[socket.socket] = []
        problems: list[OSError] = []

        def enter_and_make() -> None:
            try:
                _enter(self.name)
                made.append(make())
            except OSError as problem:
                problems.append(problem)

        # A thread can be in another namespace than the rest of the process; the socket stays where it was made.
        thread = threading.Thread(target=enter_and_make)
        thread.start()
        thread.join()
        if problems:
            raise problems[0]
        return made[0]

    def delete(self) -> None:
        """Remove the namespace with all that is in it."""
        delete_namespace(self.name)

    def _ip(self, *words: str) -> str:
        return host(['ip', '-n', self.name, *words])

    def _inside(self, *command: str, stdin: str | None = None) -> str:
        return host(['ip', 'netns', 'exec', self.name, *command], stdin=stdin)

    def _bridge(self, name: str, router: str, prefix: int) -> None:
        # Machines keep the router's MAC address in mind: it must be the same whatever ports a bridge has.
        bridge = ['name', name, 'mtu', MTU, 'address', mac_of(router), 'type', 'bridge']
        self._ip('link', 'add', *bridge, 'stp_state', '0', 'forward_delay', '0')
        self._ip('address', 'add', f'{router}/{prefix}', 'dev', name)
        self._ip('link', 'set', name, 'up')

    def _exists(self, link: str) -> bool:
        return any(one['ifname'] == link for one in json.loads(self._ip('-json', 'link')))


def delete_namespace(name: str) -> None:
    """Remove a namespace, if it is still there."""
    if Path('/run/netns', name).exists():
        host(['ip', 'netns', 'delete', name])


def _enter(name: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    handle = os.open(f'/run/netns/{name}', os.O_RDONLY)
    try:
        if libc.setns(handle, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f'cannot enter the namespace {name}')
    finally:
        os.close(handle)
