"""Hosts: what runs inside an emulated instance.

Sandboxes, unless the environment asks for virtual machines (``kind``). A sandbox is a folder that is the root of a
host. The user data and the SSM commands run there for real, as bash processes of this machine, but with a search path
on which everything that would touch the machine is a stand-in, and, where the kernel has Landlock, unable to write
outside the state folder. Stand-ins are strict where data is at stake: what lies on a volume stays on it, a volume that
carries data is not formatted, and nothing is mounted twice.
"""

from pathlib import Path

from ..ec2 import console, own_images, snapshot_contents
from . import boot, kind


def install(state_dir: Path) -> None:
    """Keep hosts in this state folder from now on, and follow what happens to the hardware."""
    # First, so that what is off has let go when others hear of it.
    boot.subscribe()
    kind.current().open_in(state_dir)
    console.use(kind.current().console)
    own_images.use(_keep, kind.current().drop)
    snapshot_contents.use(kind.current())


def _keep(instance_id: str, image: str, restarts: bool) -> None:
    """What is on the root disk becomes an image's; whatever runs ends first, where it may."""
    if restarts and not kind.current().real_file_systems:
        kind.current().reset(instance_id)
    try:
        kind.current().keep(instance_id, image)
    except kind.NotHere as problem:
        raise own_images.CannotKeep(str(problem)) from problem


def stop() -> None:
    """End every process that runs inside a host."""
    boot.forget()
    kind.current().stop()
