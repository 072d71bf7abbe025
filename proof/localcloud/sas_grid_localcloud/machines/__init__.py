"""Hosts as virtual machines: those of the lab (proof/lab), with the hardware that the embedded AWS gives them.

A machine boots the lab's image, takes its user data from the metadata service, and has a real kernel, real disks and a
real network. What its kernel says of mounts and file systems is written down as the stand-ins of sandboxes do it.
"""

from .machines import Machines

__all__ = ['Machines']
