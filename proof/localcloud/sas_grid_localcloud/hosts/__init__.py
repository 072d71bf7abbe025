"""Hosts: what runs inside an emulated instance.

Each instance has a folder that is its root. The user data and the SSM commands run there for real, as bash
processes of this machine, but with a search path on which everything that would touch the machine is a stand-in,
and, where the kernel has Landlock, unable to write outside the state folder. Stand-ins are strict where data is at
stake: what lies on a volume stays on it, a volume that carries data is not formatted, and nothing is mounted twice.
"""

from pathlib import Path

from . import asking, boot, file_systems, hardware, members, sandbox


def install(state_dir: Path) -> None:
    """Keep hosts in this state folder from now on, and follow what happens to the hardware."""
    sandbox.open_in(state_dir)
    hardware.subscribe()
    file_systems.subscribe()
    asking.listen()
    boot.subscribe()
    members.subscribe()


def stop() -> None:
    """End every process that runs inside a host."""
    boot.forget()
    sandbox.kill_all()
