"""Other nodes serve a GFS2 that was left in order, or a copy of one that was held: nothing is replayed or lost."""

from ..machine import Machine
from ..report import ScenarioFailed, Steps
from ..together import on_each
from ._gfs2 import Cluster
from ._gfs2_fsck import checked
from ._gfs2_programs import POINT


def serve_elsewhere(other: Cluster, table: str, told: dict[str, int], untold: int, steps: Steps) -> None:
    """Another cluster of the same name, which formats nothing, has all that was acknowledged, and writes on.

    :param table: of the logical volume, as `stripes` has it
    :param untold: how many lines may be there besides
    """
    other.boot(steps)
    node = other.nodes[0]
    with steps.step('the volumes are clean: fsck finds nothing'):
        devices = [volume.device for volume in other.volumes]
        lines = table.format(*devices)
        node.run(f"udevadm settle; echo '{lines}' | dmsetup create --readonly unused")
        if off := checked(node, '/dev/mapper/unused'):
            # Each node keeps what it changed, in a file of its own on the volumes, until it tells the others.
            steps.fact('free blocks of df are off, as nodes have not told each other yet, by', off)
        node.run('dmsetup remove --retry unused')
    with steps.step('two other nodes mount them, and find no journal to replay'):
        other.join()
        if replayed := [node.name for node in other.nodes if replays(node)]:
            raise ScenarioFailed(f'{replayed} replayed a journal')
    with steps.step('all that was acknowledged is there, nothing later, and both write on'):
        other.told.update(told)
        on_each(other.nodes, other.check)
        wanted, found = sum(told.values()), int(node.run(f'wc -l <{POINT}/sequence'))
        if not wanted <= found <= wanted + untold:
            raise ScenarioFailed(f'{told} was acknowledged, {found} lines are there')
        steps.fact('acknowledged before, and all there', wanted)
        on_each(other.nodes, other.write)
        other.go_on(other.nodes)
    other.finish(other.nodes, steps)


def stripes(node: Machine, devices: list[str]) -> str:
    """The table of the logical volume, with a place for each of its devices."""
    table = node.run('dmsetup table labgfs-sasdata').strip()
    for number, device in enumerate(devices):
        name = node.run(f'lsblk -dno MAJ:MIN {device}').strip()
        if f' {name} ' not in table:
            raise ScenarioFailed(f'{device} ({name}) is not in {table}')
        table = table.replace(f' {name} ', f' {{{number}}} ')
    return table


def replays(node: Machine) -> bool:
    """Whether the node's kernel found a journal that was not empty."""
    return int(node.run("journalctl -b -k -o cat | grep -c 'jid=[0-9]*: Replaying' || true")) > 0
