"""Three nodes, of which one is lost and not dead: cut off, then frozen, while EC2 does not answer."""

import time
from contextlib import suppress
from threading import Event

from ..agent import AgentError
from ..ec2_endpoint import Outage
from ..lab import Lab
from ..machine import Machine
from ..plugs import MachineError
from ..report import ScenarioFailed, Steps
from ..side_by_side import ROOM
from ..together import on_each
from ._gfs2 import MONITOR_SECONDS, PATIENCE, Cluster, recoveries
from ._until import until

TITLE = 'GFS2: a node that is cut off, one that is frozen, and no answer from EC2: nobody writes until it is fenced'
TIMEOUT = 3000
MACHINES = ROOM
"""three, with both processors for themselves"""

REBOOTS = 'corosync ended while this host holds locks: it is rebooted'
AWAKE = 20.0
"""seconds that a node which is about to be stopped still runs"""


def run(lab: Lab, steps: Steps) -> None:
    """Each loss begins while EC2 is lost, too."""
    with Cluster(lab, 3, 640) as cluster:
        cluster.start(steps)
        one, two, three = cluster.nodes
        mounted = sum(on_each([one, two], recoveries))
        cut_off(lab, cluster, [one, two], three, steps)
        if sum(on_each([one, two], recoveries)) == mounted:
            raise ScenarioFailed('no kernel tells of the journal that was recovered: nothing was proven')
        frozen(cluster, [one, three], two, steps)
        without_corosync(cluster, two, [one, three], steps)
        cluster.finish(cluster.nodes, steps)


def cut_off(lab: Lab, cluster: Cluster, majority: list[Machine], alone: Machine, steps: Steps) -> None:
    """A partition."""
    since = len(cluster.ec2.calls)
    with steps.step('one is cut off, and EC2 hangs up: nobody writes, nobody recovers its journal'):
        cluster.endpoint.lose(Outage.REFUSES)
        alone.cut_off()
        unable(cluster, majority, [alone])
    with steps.step('EC2 is back: the others have it fenced and go on'):
        back = time.monotonic()
        cluster.endpoint.restore()
        cluster.wait_until_fenced([alone], majority, since)
        steps.fact('fenced after EC2 was back by', round(time.monotonic() - back, 1), 's')
        cluster.go_on(majority)
        cluster.settled(majority[0])
        cluster.only_fenced([alone], majority, since)
    with steps.step('it is started again, joins by itself and writes'):
        lab.network.heal()
        cluster.rejoin([alone], steps)


def frozen(cluster: Cluster, majority: list[Machine], asleep: Machine, steps: Steps) -> None:
    """A host that stands still for minutes, and wakes up when its fence is under way."""
    since = len(cluster.ec2.calls)
    awake, enough = Event(), Event()

    def power_off() -> None:
        asleep.thaw()
        awake.set()
        enough.wait(PATIENCE)
        asleep.end()

    cluster.ec2.instances[asleep.instance_id].power_off = power_off
    with steps.step('one stands still, and EC2 keeps silent: nobody writes, nobody recovers its journal'):
        before = on_each(majority, boot_id)
        cluster.acknowledged(asleep)
        cluster.endpoint.lose(Outage.SILENT)
        asleep.freeze()
        unable(cluster, majority, [])
    with steps.step('EC2 is back and stops it, and it wakes up: nobody writes until it is off'):
        cluster.endpoint.restore()
        until('its stop is asked for', awake.is_set, PATIENCE)
        until_then = time.monotonic() + AWAKE
        cluster.stand_still(majority, lambda: time.monotonic() > until_then, 'it has been awake for a while')
        enough.set()
        cluster.wait_until_fenced([asleep], majority, since)
    with steps.step('it is started again; whoever lost the cluster to it has rebooted by itself; all write'):
        # The agent waits until EC2 says that it is off, and would wait for ever for one that runs again.
        until('nobody fences any more', lambda: all(not fences(node) for node in majority), PATIENCE)
        cluster.power_on(asleep)
        rebooted = [node for node, was in zip(majority, before, strict=True) if boot_id(node) != was]
        steps.fact('healthy nodes that rebooted', len(rebooted))
        cluster.joined([asleep, *rebooted])
        cluster.go_on([asleep, *majority])


def fences(node: Machine) -> bool:
    """Whether it is at it; one that does not answer may be, or starts."""
    try:
        return node.try_run('pgrep -f fence_[a]ws', 30)[0] == 0
    except (AgentError, MachineError):
        return True


def boot_id(node: Machine) -> str:
    """Another after each boot."""
    return node.run('cat /proc/sys/kernel/random/boot_id', PATIENCE)


def without_corosync(cluster: Cluster, loser: Machine, others: list[Machine], steps: Steps) -> None:
    """As a node's lock manager does with healthy ones that it takes for strangers."""
    since = len(cluster.ec2.calls)
    with steps.step('corosync of one is killed while it holds locks: it reboots at once, and is fenced'):
        cluster.acknowledged(loser)
        # It may not live to answer.
        with suppress(AgentError, MachineError):
            loser.try_run('systemctl kill --signal=KILL corosync.service', 30)
        until('it reboots', lambda: REBOOTS in loser.console(2000), PATIENCE)
        cluster.wait_until_fenced([loser], others, since)
        cluster.go_on(others)
        cluster.settled(others[0])
    cluster.rejoin([loser], steps)


def unable(cluster: Cluster, majority: list[Machine], alone: list[Machine]) -> None:
    """The majority asks EC2 in vain, and all stands still, for so long that each resource is looked at meanwhile."""
    addresses = {node.address for node in majority}

    def asked() -> bool:
        return any(caller in addresses for caller in list(cluster.endpoint.missed))

    until('fencing is tried', asked, PATIENCE)
    cluster.endpoint.missed.clear()
    looked_at = time.monotonic() + 1.5 * MONITOR_SECONDS
    nodes = [*majority, *alone]
    cluster.stand_still(nodes, lambda: asked() and time.monotonic() > looked_at, 'fencing is tried again')
