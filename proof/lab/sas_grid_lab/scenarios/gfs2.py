"""Three nodes share a GFS2 on two striped volumes; one is lost under load, fenced through EC2, and comes back."""

import time

from ..lab import Lab
from ..report import Steps
from ..side_by_side import ROOM
from ._gfs2 import Cluster

TITLE = 'GFS2: three nodes write, one is lost, fenced and comes back'
TIMEOUT = 2400
MACHINES = ROOM
"""three, with both processors for themselves"""


def run(lab: Lab, steps: Steps) -> None:
    """Start, write, lose a node, get it back, leave."""
    with Cluster(lab, 3, 640) as cluster:
        cluster.start(steps)
        *survivors, lost = cluster.nodes
        with steps.step('one is lost; the others have it fenced and go on'):
            since = len(cluster.ec2.calls)
            cluster.acknowledged(lost)
            killed = time.monotonic()
            lost.kill()
            cluster.wait_until_fenced([lost], survivors, since)
            steps.fact('fenced after', round(time.monotonic() - killed, 1), 's')
            cluster.go_on(survivors)
            steps.fact('survivors write again after', round(time.monotonic() - killed, 1), 's')
        with steps.step('nothing else is to be done; it was fenced once'):
            cluster.settled(survivors[0])
            cluster.only_fenced([lost], survivors, since)
        with steps.step('the lost node is started again, joins by itself and writes with the others'):
            cluster.rejoin([lost], steps)
        cluster.finish(cluster.nodes, steps)
