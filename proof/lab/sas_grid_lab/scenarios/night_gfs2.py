"""A cluster that shares a GFS2 is put to sleep, and other instances are its nodes in the morning."""

from ..lab import Lab
from ..report import Steps
from ..side_by_side import ROOM
from ..together import on_each
from ._gfs2 import Cluster
from ._gfs2_elsewhere import serve_elsewhere, stripes
from ._gfs2_programs import POINT
from ._night import told

TITLE = 'Night: the nodes of a GFS2 unmount all at once, and others serve it in the morning'
TIMEOUT = 3000
MACHINES = ROOM
"""two, and later two others, with both processors for themselves"""


def run(lab: Lab, steps: Steps) -> None:
    """Work, stop, start."""
    with Cluster(lab, 2, 640) as cluster:
        cluster.start(steps)
        table = stripes(cluster.nodes[0], [volume.device for volume in cluster.volumes])
        with steps.step('somebody works, and then nobody does'):
            first = cluster.nodes[0]
            first.background(f"exec runuser -u nobody -- sh -c 'cd {POINT} && exec sleep 3600'", 'worker')
            first.run(
                f'for i in $(seq 100); do ls -l /proc/[0-9]*/cwd | grep -q "{POINT}$" && exit; sleep 0.2; done; exit 1'
            )
            told(first, 'sleep', 10, 'nobody has 1 process at work', what='work')
            first.run('systemctl stop worker')
            told(first, 'sleep', 0, 'nobody is at work', what='work')
            cluster.stop_writing()
        with steps.step('all unmount at once, nobody is fenced; told again, nothing is left to do'):
            took = on_each(cluster.nodes, lambda node: told(node, 'sleep', 0, 'left the cluster', what='unmount'))
            steps.fact('the slower of two nodes unmounts', max(took), 's')
            on_each(cluster.nodes, lambda node: told(node, 'sleep', 0, 'left the cluster', what='unmount'))
            on_each(cluster.nodes, lambda node: node.run(f'! findmnt {POINT} && ! ls /sys/fs/gfs2/*/'))
            cluster.only_fenced([], [], 0)
        for node in cluster.nodes:
            node.kill()
        written = dict(cluster.told)
    with Cluster(lab, 2, 640, cluster.volumes, 'morning') as other:
        serve_elsewhere(other, table, written, 0, steps)
