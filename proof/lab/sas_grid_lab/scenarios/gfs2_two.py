"""Two nodes, each of which can go on alone: they lose sight of each other, and later one dies."""

import time

from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..side_by_side import ROOM
from ._gfs2 import PATIENCE, Cluster
from ._gfs2_programs import POINT
from ._until import until

TITLE = 'GFS2: two nodes lose each other, one is fenced, comes back, and the other one is lost'
TIMEOUT = 3000
MACHINES = ROOM
"""two, with both processors for themselves"""


def run(lab: Lab, steps: Steps) -> None:
    """A partition, a start while it lasts, its end, a kill."""
    with Cluster(lab, 2, 640) as cluster:
        cluster.start(steps)
        with steps.step('they lose each other, and both reach EC2: one has the other fenced, and goes on'):
            winner, loser = partition(cluster, steps)
        with steps.step('started again while it is cut off, it waits for the other one and fences nobody'):
            since = len(cluster.ec2.calls)
            cluster.power_on(loser, loser.cut_off)
            blocked = 'corosync-quorumtool -s | grep "Activity blocked" && crm_mon -1 | grep "partition WITHOUT quorum"'
            until(f'{loser.name} knows that it is alone', lambda: loser.try_run(blocked)[0] == 0, PATIENCE)
            cluster.go_on([winner], 100)
            cluster.only_fenced([], [], since)
            if loser.try_run(f'findmnt {POINT}')[0] == 0:
                raise ScenarioFailed(f'{loser.name} has mounted without quorum')
        with steps.step('they see each other: it joins by itself and writes with the other one'):
            lab.network.heal()
            cluster.joined([loser])
            cluster.only_fenced([], [], since)
        with steps.step('the one that went on is killed; the other one has it fenced and goes on alone'):
            since, lost = len(cluster.ec2.calls), time.monotonic()
            cluster.acknowledged(winner)
            winner.kill()
            cluster.wait_until_fenced([winner], [loser], since)
            steps.fact('fenced after', round(time.monotonic() - lost, 1), 's')
            cluster.go_on([loser])
            cluster.settled(loser)
            cluster.only_fenced([winner], [loser], since)
        with steps.step('it is started again, joins by itself and writes'):
            cluster.rejoin([winner], steps)
        cluster.finish(cluster.nodes, steps)


def partition(cluster: Cluster, steps: Steps) -> tuple[Machine, Machine]:
    """Each wants to fence the other. Returns who goes on, and who was fenced.

    The first node has a head start of 15 seconds. An emulated processor may be late by more, so either may win.
    """
    first, second = cluster.nodes
    since, lost = len(cluster.ec2.calls), time.monotonic()
    for node in cluster.nodes:
        cluster.acknowledged(node)
    second.cut_off()

    def stopped() -> list[str]:
        return [one for call in cluster.ec2.calls[since:] if call.action == 'StopInstances' for one in call.instances]

    until('one is fenced', lambda: bool(stopped()), PATIENCE)
    winner, loser = (second, first) if first.instance_id in stopped()[:1] else (first, second)
    cluster.wait_until_fenced([loser], [winner], since)
    steps.fact(f'{winner.name} had {loser.name} fenced after', round(time.monotonic() - lost, 1), 's')
    cluster.go_on([winner])
    steps.fact('it writes again after', round(time.monotonic() - lost, 1), 's')
    cluster.settled(winner)
    cluster.only_fenced([loser], [winner], since)
    return winner, loser
