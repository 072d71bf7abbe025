"""Limits of instance types and volume types that the emulated EC2 enforces.

They are those of constructs/sizing, which names and dates its sources: scripts/export-limits.ts writes limits.json.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / 'limits.json'


@dataclass(frozen=True)
class TypeLimits:
    """What an instance type takes."""

    arm: bool
    shared: bool
    """whether volumes, interfaces and NVMe instance-store disks share the limit; else it is for volumes alone"""
    limit: int
    """attachments in all, or volumes; the root volume counts"""
    interfaces: int
    nvme_disks: int
    in_cluster_group: bool
    """whether it can be launched into a cluster placement group"""


@dataclass(frozen=True)
class Range:
    """What a user may ask of a volume, and how much of it per unit of something else (GiB, IOPS)."""

    least: int
    most: int
    ratio: float
    required: bool = False


@dataclass(frozen=True)
class VolumeLimits:
    """What a volume type takes. Sizes in GiB, throughput in MiB/s."""

    smallest: int
    largest: int
    multi_attach: bool
    iops: Range | None
    throughput: Range | None


def of_instance_type(name: str) -> TypeLimits:
    """The limits of a type; a type that is newer than the table gets the strictest that is common today."""
    return _instances().get(name) or TypeLimits(
        arm=re.match(r'^([a-z]+\d+g[a-z]*|a1)$', family(name)) is not None,
        shared=True,
        limit=28,
        interfaces=3,
        nvme_disks=0,
        in_cluster_group=re.search(r'^(t\d|mac)|-flex', family(name)) is None,
    )


def of_volume_type(name: str) -> VolumeLimits | None:
    """The limits of a volume type, None when there is no such type."""
    return _volumes().get(name)


def size_of(name: str) -> tuple[int, int, float] | None:
    """vCPUs, physical cores and GiB of memory of a type, None when the table lacks it."""
    return _sizes().get(name)


def sized_types() -> tuple[str, ...]:
    """All types that the table has."""
    return tuple(_sizes())


def quotas() -> dict[str, dict[str, Any]]:
    """By its code each quota: its service, its name, and what a new account has."""
    return dict(_read()['quotas'])


def family(instance_type: str) -> str:
    """``c6in`` of ``c6in.8xlarge``."""
    return instance_type.split('.')[0]


@cache
def _instances() -> dict[str, TypeLimits]:
    found: dict[str, TypeLimits] = {}
    for names, facts in _read()['instances'].items():
        architecture, attachments, limit, interfaces, disks, placement = facts.split()
        limits = TypeLimits(
            arm=architecture == 'arm64',
            shared=attachments == 'shared',
            limit=int(limit),
            interfaces=int(interfaces),
            nvme_disks=int(disks),
            in_cluster_group=placement == 'cluster',
        )
        found.update(dict.fromkeys(names.split(), limits))
    return found


@cache
def _sizes() -> dict[str, tuple[int, int, float]]:
    found: dict[str, tuple[int, int, float]] = {}
    for size, names in _read()['sizes'].items():
        processors, cores, memory = size.split()
        found.update(dict.fromkeys(names.split(), (int(processors), int(cores), float(memory))))
    return found


@cache
def _volumes() -> dict[str, VolumeLimits]:
    return {
        name: VolumeLimits(
            smallest=one['size'][0],
            largest=one['size'][1],
            multi_attach=one['multiAttach'],
            iops=_range(one.get('iops'), 'perGiB'),
            throughput=_range(one.get('throughput'), 'perIops'),
        )
        for name, one in _read()['volumes'].items()
    }


def _range(written: dict[str, Any] | None, ratio: str) -> Range | None:
    if written is None:
        return None
    return Range(written['min'], written['max'], written[ratio], bool(written.get('required')))


@cache
def _read() -> dict[str, Any]:
    return dict(json.loads(_FILE.read_text(encoding='utf-8')))
