"""Limits of instance types that the emulated EC2 enforces.

Sources, read 2026-11: EC2 user guide "Placement groups" (cluster strategy: not the burstable, flex and mac
families; of the previous generations only a1, c3, c4, i2, m4, r3, r4), "Amazon EBS volume limits" (Nitro: 28
attachments of volumes, interfaces and instance-store disks together on most types; Xen: 40 volumes).
"""

_NOT_IN_CLUSTER = ('t1', 't2', 't3', 't3a', 't4g', 'mac1', 'mac2', 'm1', 'm2', 'm3', 'c1', 'cc2', 'g2', 'hs1')
_XEN = (
    'c1',
    'c3',
    'c4',
    'd2',
    'g2',
    'g3',
    'h1',
    'i2',
    'i3',
    'm1',
    'm2',
    'm3',
    'm4',
    'p2',
    'p3',
    'r3',
    'r4',
    't1',
)
NITRO_ATTACHMENTS = 28
XEN_VOLUMES = 40


def family(instance_type: str) -> str:
    """``c6in`` of ``c6in.8xlarge``."""
    return instance_type.split('.')[0]


def in_cluster_group(instance_type: str) -> bool:
    """Whether the type can be launched into a cluster placement group."""
    name = family(instance_type)
    return name not in _NOT_IN_CLUSTER and '-flex' not in name


def is_nitro(instance_type: str) -> bool:
    """Whether volumes and interfaces share one limit."""
    return family(instance_type) not in (*_XEN, 't2', 'x1', 'x1e', 'f1')
