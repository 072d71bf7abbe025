"""Two nodes, each of which can go on alone: they lose sight of each other, and later one dies."""

import time

from ..lab import Lab
from ..report import ScenarioFailed, Steps
from ..side_by_side import ROOM
from ._gfs2 import PATIENCE, Cluster, until

TITLE = 'GFS2: two nodes lose each other, one is fenced, comes back, and the other one is lost'
TIMEOUT = 3000
MACHINES = ROOM
"""two, with both processors for themselves"""


def run(lab: Lab, steps: Steps) -> None:
    """A partition, a start while it lasts, its end, a kill."""
    with Cluster(lab, 2, 640) as cluster:
        cluster.start(steps)
        first, second = cluster.nodes
        with steps.step('they lose each other, and both reach EC2: one has the other fenced, and goes on'):
            since, lost = len(cluster.ec2.calls), time.monotonic()
            second.cut_off()
            cluster.wait_until_fenced([second], [first], since)
            steps.fact('fenced after', round(time.monotonic() - lost, 1), 's')
            cluster.go_on([first])
            steps.fact('the other one writes again after', round(time.monotonic() - lost, 1), 's')
            cluster.settled(first)
            cluster.only_fenced([second], [first], since)
        with steps.step('started again while it is cut off, it waits for the other one and fences nobody'):
            since = len(cluster.ec2.calls)
            cluster.power_on(second, lambda: second.cut_off())
            blocked = 'corosync-quorumtool -s | grep "Activity blocked" && crm_mon -1 | grep "partition WITHOUT quorum"'
            until('it is alone', lambda: second.try_run(blocked)[0] == 0, PATIENCE)
            cluster.go_on([first], 200)
            cluster.only_fenced([], [], since)
            if second.try_run('findmnt -t gfs2')[0] == 0:
                raise ScenarioFailed(f'{second.name} has mounted without quorum')
        with steps.step('they see each other: it joins by itself and writes with the other one'):
            lab.network.heal()
            cluster.joined([second])
            cluster.only_fenced([], [], since)
        with steps.step('the first is lost; the second has it fenced and goes on'):
            since, lost = len(cluster.ec2.calls), time.monotonic()
            cluster.acknowledged(first)
            first.kill()
            cluster.wait_until_fenced([first], [second], since)
            steps.fact('fenced after', round(time.monotonic() - lost, 1), 's')
            cluster.go_on([second])
            cluster.settled(second)
            cluster.only_fenced([first], [second], since)
        with steps.step('it is started again, joins by itself and writes'):
            cluster.rejoin([first], steps)
        cluster.finish(cluster.nodes, steps)
