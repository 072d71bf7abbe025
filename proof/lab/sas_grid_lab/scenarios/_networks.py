"""A slot's interface beside what manages interfaces on an image: it leaves the slot's alone, whatever happens."""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from ..dhcp_server import DhcpServer, listener
from ..lab import Interface, Lab, Machine
from ..network import LAB_SUBNET, OUTSIDE, ROUTER, SUBNET, Network, address_of
from ..report import ScenarioFailed, Steps
from ..settings import PROJECT
from ._network_watch import Strays, answers
from ._nfs import ADDRESS, SLOT, expect, serve, server_roles

MACHINES = 1
TIMEOUT = 1500
LEASE_SECONDS = 40
CARRIER_SECONDS = 10
PROBE = PROJECT / 'constructs/host/documents/probe.sh'
DEVICE = 'device=$(basename "$(dirname "$(grep -lx {mac} /sys/class/net/*/address)")")'
LOOK = (
    f'{DEVICE}; table=$((1000 + $(cat /sys/class/net/$device/ifindex))); echo $device $table;'
    f' echo --; ip -4 -o address show dev $device; echo --; ip rule show from {ADDRESS};'
    f' echo --; ip route show table $table; echo --; ip -o route get 192.0.2.1 from {ADDRESS};'
    f' ip -o route get {ROUTER} from {ADDRESS}; echo --; ip route show default'
)
STATE = 'ip -4 address; ip -4 rule; ip -4 route show table all; networkctl list; nmcli device'
MONITOR = '/run/monitor'
"""what the kernel says of changes"""


@dataclass(frozen=True)
class Manager:
    """What manages the interfaces of a guest, as images bring it."""

    name: str
    units: tuple[str, ...]
    """masked in the lab, enabled here"""
    files: Callable[[Machine], Mapping[str, str]]
    """by path; a script is executable"""
    reload: str
    restart: str
    plugged: Callable[[Machine, Interface], object] = lambda machine, interface: None
    """what an image does when an interface is plugged in, beyond its manager"""
    others: Mapping[str, str] = field(default_factory=dict)
    """what else happens on such an image, each with its command"""


def run(manager: Manager, lab: Lab, steps: Steps) -> None:
    interface, volume = lab.interface(ADDRESS), lab.volume(384)
    server = lab.machine('server', volumes=[volume])
    leases = DhcpServer(
        lab.network.inside(lambda: listener(LAB_SUBNET.bridge)), address_of, ROUTER, LEASE_SECONDS
    ).start()
    with closing(leases):
        with steps.step('boot, install the server'):
            server.start().wait()
            server.install(server_roles(volumes=1))
        with steps.step(f'{manager.name} has the first interface after a boot'):
            turn_on(server, manager)
            server.reboot()
            wait_for(server, has_address(server.mac, server.address))
        with steps.step('an interface is plugged in: it gets an address by DHCP as well'):
            server.attach_interface(interface)
            manager.plugged(server, interface)
            wait_for(server, has_address(interface.mac, ADDRESS))
            if not leases.granted[interface.mac]:
                raise ScenarioFailed('the slot interface had no lease, so that nothing is shown')
        with steps.step('serve: the slot has the interface at once'):
            expect(serve(server, 1, [volume], '--may-format'), 0)
            server.background(f'exec ip -4 monitor address rule route >{MONITOR}', 'monitor')
            wait_for(server, f'[ -e {MONITOR} ]')
            strays = Strays(lab.network, server.tap, ADDRESS)
            check(lab.network, server, interface, strays)
        with closing(strays):
            live_through(manager, lab, steps, server, interface, leases, strays)
            with steps.step('reboot: it serves again by itself'):
                server.reboot()
                server.wait_for_unit('sas-grid-slot.service', 400)
                wait_for(server, has_address(server.mac, server.address))
                check(lab.network, server, interface, strays)


def live_through(
    manager: Manager,
    lab: Lab,
    steps: Steps,
    server: Machine,
    interface: Interface,
    leases: DhcpServer,
    strays: Strays,
) -> None:
    """What happens to interfaces on EC2, one after the other; the slot's is looked at after each."""

    def lease_ends() -> None:
        leases.silent = True
        try:
            wait_for(server, f'! {has_address(server.mac, server.address)}')
            check(lab.network, server, interface, strays)
        finally:
            leases.silent = False

    happenings: dict[str, Callable[[], object]] = {
        f'carrier loss of {CARRIER_SECONDS} s': lambda: server.lose_carrier(interface, CARRIER_SECONDS),
        'a lease that is renewed': lambda: until_renewed(leases, server.mac),
        'the end of a lease: the first interface loses its address': lease_ends,
        'reload': partial(server.run, manager.reload),
        'restart': partial(server.run, manager.restart),
        **{name: partial(server.run, command) for name, command in manager.others.items()},
    }
    for name, happens in happenings.items():
        with steps.step(name):
            happens()
            check(lab.network, server, interface, strays)
            wait_for(server, has_address(server.mac, server.address))
            check(lab.network, server, interface, strays)
            check_untouched(server)


def turn_on(machine: Machine, manager: Manager) -> None:
    """From the next boot on the manager does what the lab's own identity does otherwise."""
    for path, text in manager.files(machine).items():
        machine.put(path, text, mode_of(path, text))
    units = ' '.join(manager.units)
    machine.run(
        'rm -f /etc/systemd/system-generators/netplan && systemctl disable lab-identity.service &&'
        f' systemctl unmask {units} && systemctl enable {units}'
    )


def mode_of(path: str, text: str) -> int:
    """netplan complains about files that all can read."""
    return 0o755 if text.startswith('#!') else 0o600 if path.startswith('/etc/netplan/') else 0o644


def has_address(mac: str, address: str) -> str:
    """A condition: the interface has the address."""
    return f'{{ {DEVICE.format(mac=mac)}; ip -4 -o address show dev $device | grep -q " {address}/"; }}'


def wait_for(machine: Machine, condition: str, seconds: int = 300) -> None:
    """Wait inside of the machine, where a question costs less."""
    loop = f'for i in $(seq {seconds * 2}); do {condition} && exit 0; sleep 0.5; done; ip address; ip rule; exit 1'
    code, output = machine.try_run(loop, seconds)
    if code != 0:
        raise ScenarioFailed(f'{machine.name}: after {seconds} s not yet: {condition}\n{output}')


def until_renewed(leases: DhcpServer, mac: str, seconds: float = 300) -> None:
    """Wait until a lease was given again, twice."""
    deadline, wanted = time.monotonic() + seconds, leases.granted[mac] + 2
    while leases.granted[mac] < wanted:
        if time.monotonic() > deadline:
            raise ScenarioFailed(f'no lease was renewed within {seconds:g} s')
        time.sleep(0.2)


def check(network: Network, server: Machine, interface: Interface, strays: Strays) -> None:
    """The interface is as sas-grid-serve makes it, clients near and far get answers, the health probe says so, too."""
    problems = wrong(server.run(LOOK.format(mac=interface.mac)))
    problems += [f'{source} gets no answer' for source in (ROUTER, OUTSIDE) if not answers(network, source, ADDRESS)]
    # From a file: the document's runner does the same.
    server.put('/run/probe.sh', PROBE.read_text(), 0o700)
    code, said = server.try_run('SAS_GRID_PROBE_SECONDS=60 /run/probe.sh', 120)
    if code != 0 or said.split() != [SLOT, '1', 'serves']:
        problems.append(f'the probe says ({code}): {said.strip()}')
    if strays.count:
        problems.append(f'{strays.count} answers left by the first interface')
    if problems:
        state = server.try_run('ip -4 address; ip -4 rule; ip -4 route show table all; networkctl list; nmcli device')[
            1
        ]
        raise ScenarioFailed('\n'.join([*problems, state]))


def wrong(seen: str) -> list[str]:
    """What LOOK shows that sas-grid-serve does not make."""
    names, addresses, rules, routes, ways, defaults = (part.strip().splitlines() for part in f'{seen}\n'.split('--\n'))
    device, table = names[0].split()
    problems = []
    if (
        len(addresses) != 1
        or f' {ADDRESS}/{SUBNET.prefixlen} ' not in addresses[0]
        or ' valid_lft forever ' not in addresses[0]
    ):
        problems.append(f'addresses of {device}: {addresses}')
    if len(rules) != 1 or f'from {ADDRESS} lookup {table}' not in rules[0]:
        problems.append(f'rules from {ADDRESS}: {rules}')
    made = {f'default via {ROUTER} dev {device} src {ADDRESS}', f'{SUBNET} dev {device} scope link src {ADDRESS}'}
    if {route.strip() for route in routes} != made:
        problems.append(f'routes of table {table}: {routes}')
    problems += [f'an answer would leave otherwise: {way}' for way in ways if f' dev {device} ' not in f'{way} ']
    # NetworkManager leaves its second best behind: in use only while the first interface has no way out.
    if len(defaults) > 1 and f' dev {device} ' in f'{defaults[0]} ':
        problems.append(f'the host itself leaves by the slot: {defaults}')
    return problems


def check_untouched(server: Machine) -> None:
    """Nothing of the slot's was taken away since it was served, not for a moment either."""
    table = server.run(f"ip rule show from {ADDRESS} | sed 's/.*lookup //; s/ .*//'").strip()
    code, removed = server.try_run(f"grep -E '^Deleted .*({ADDRESS}([/ ]|$)|table {table}( |$))' {MONITOR}")
    if code != 1:
        raise ScenarioFailed(f'taken away: {removed}')
