"""Writes of two nodes to a GFS2 are held on one of them while the volumes are copied; other nodes serve the copy."""

import time

from ..lab import Lab
from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..side_by_side import ROOM
from ..together import on_each
from ._gfs2 import Cluster
from ._gfs2_elsewhere import serve_elsewhere, stripes
from ._gfs2_programs import POINT
from ._night import told
from .backup import OVER, copy_of

TITLE = 'GFS2: writes of all nodes are held, the hold ends by itself, a copy of the volumes is served by other nodes'
TIMEOUT = 3600
MACHINES = ROOM
"""two, and later two others, with both processors for themselves"""
HELD = f'held {POINT}'
RELEASED = 'which was held until now'
SHORT = 30
"""seconds of a hold that nobody releases"""


def run(lab: Lab, steps: Steps) -> None:
    """Hold, copy, release; a hold that is left alone; a holder that dies; the copy."""
    with Cluster(lab, 2, 640) as cluster:
        first, second = cluster.nodes
        cluster.start(steps)
        with steps.step('all nodes write; one holds for both, the volumes are copied, and it lets go'):
            table = stripes(first, [volume.device for volume in cluster.volumes])
            # As a backup does: the others write first what they have.
            told(second, 'hold', 0, f'synced {POINT}', what='sync', token='one', seconds='60')
            steps.fact('all are held after', hold(first, 'one', 60), 's')
            began = time.monotonic()
            before = acknowledged(cluster)
            copies = [copy_of(lab, volume) for volume in cluster.volumes]
            expect_still(cluster, before)
            told(second, 'hold', 20, OVER, what='release', token='one', seconds='60')
            told(first, 'hold', 0, RELEASED, what='release', token='one', seconds='60')
            steps.fact('held until it was released for', round(time.monotonic() - began, 1), 's')
            cluster.go_on(cluster.nodes)
        with steps.step('a hold that nobody releases ends by itself, for all'):
            took = hold(second, 'two', SHORT)
            began = time.monotonic()
            expect_still(cluster, acknowledged(cluster))
            cluster.go_on(cluster.nodes)
            passed = time.monotonic() - began
            steps.fact(f'a hold of {SHORT} s that nobody releases: until both write', round(passed, 1), 's')
            # Its time runs from before it holds.
            if passed + took < SHORT:
                raise ScenarioFailed(f'a hold of {SHORT} s was over after {passed + took:.1f} s')
            told(second, 'hold', 20, OVER, what='release', token='two', seconds=str(SHORT))
        with steps.step('the node that holds is lost: the other one has it fenced, and writes on'):
            hold(first, 'three', 60)
            since, lost = len(cluster.ec2.calls), time.monotonic()
            cluster.acknowledged(first)
            first.kill()
            cluster.wait_until_fenced([first], [second], since)
            cluster.go_on([second])
            steps.fact('writes go on after', round(time.monotonic() - lost, 1), 's')
            cluster.settled(second)
        cluster.finish([second], steps)
        second.kill()
    for copy in copies:
        copy.shared = True
    with Cluster(lab, 2, 640, copies, 'restored') as other:
        # Each writer may have had a line on disk that it was not told of.
        serve_elsewhere(other, table, before, len(before), steps)


def hold(node: Machine, token: str, seconds: int) -> float:
    """Has a node hold for all; returns after how many seconds it held."""
    return told(node, 'hold', 0, HELD, what='hold', token=token, seconds=str(seconds))


def acknowledged(cluster: Cluster) -> dict[str, int]:
    """How many lines each writer knows to be on disk."""
    on_each(cluster.nodes, cluster.acknowledged)
    return dict(cluster.told)


def expect_still(cluster: Cluster, before: dict[str, int]) -> None:
    """Nothing is acknowledged on any node while one holds."""
    time.sleep(3)
    if (now := acknowledged(cluster)) != before:
        raise ScenarioFailed(f'{before} was acknowledged when writes were held, {now} later')
