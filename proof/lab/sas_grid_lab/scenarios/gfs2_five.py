"""Five nodes in a partition of two against three."""

import time

from ..lab import Lab
from ..report import Steps
from ._gfs2 import Cluster

TITLE = 'GFS2: of five nodes two are cut off together; three have them fenced, go on, and take them back'
TIMEOUT = 3600
MACHINES = 5


def run(lab: Lab, steps: Steps) -> None:
    """The two see each other and EC2; still they must neither go on nor fence anybody."""
    with Cluster(lab, 5, 512) as cluster:
        cluster.start(steps)
        three, two = cluster.nodes[:3], cluster.nodes[3:]
        with steps.step('two are cut off; the three have both fenced, and go on'):
            since, lost = len(cluster.ec2.calls), time.monotonic()
            for node in two:
                node.cut_off()
            cluster.wait_until_fenced(two, three, since)
            steps.fact('both fenced after', round(time.monotonic() - lost, 1), 's')
            cluster.go_on(three)
            steps.fact('three write again after', round(time.monotonic() - lost, 1), 's')
            cluster.settled(three[0])
            cluster.only_fenced(two, three, since)
        with steps.step('both are started again, join by themselves and write'):
            lab.network.heal()
            cluster.rejoin(two, steps)
        cluster.finish(cluster.nodes, steps)
