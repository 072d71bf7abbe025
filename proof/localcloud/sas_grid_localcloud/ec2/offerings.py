"""Which instance types there are, where, and what is to be known of them before one is launched."""

import fnmatch
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from ministack.core.responses import get_region

from ..query import Refused
from . import limits
from .multi_attach import on_nitro

_lock = threading.Lock()
_withheld: list[tuple[str, str]] = []
"""type and zone; a zone of '' is the whole region"""


def withhold(instance_type: str, zone: str) -> None:
    """From now on the type is not offered there."""
    with _lock:
        _withheld.append((instance_type, zone))


def offer_all() -> None:
    """Every type is offered everywhere again."""
    with _lock:
        _withheld.clear()


def zones() -> list[str]:
    """Those of ministack's DescribeAvailabilityZones."""
    return [f'{get_region()}{letter}' for letter in 'abc']


def _is_offered(instance_type: str, zone: str) -> bool:
    with _lock:
        return (instance_type, zone) not in _withheld and (instance_type, '') not in _withheld


def describe_offerings(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeInstanceTypeOfferings."""
    kind = request.get('LocationType') or 'region'
    if kind not in ('region', 'availability-zone'):
        raise Refused('InvalidParameterValue', f"The location type '{kind}' is not emulated")
    places = zones() if kind == 'availability-zone' else [get_region()]
    wanted = _filters(request, ('instance-type', 'location'))
    return {
        'instanceTypeOfferingSet': [
            {'instanceType': name, 'locationType': kind, 'location': place}
            for name in _chosen(wanted.get('instance-type'))
            for place in places
            if _is_offered(name, place if kind == 'availability-zone' else '')
            and place in wanted.get('location', [place])
        ]
    }


def describe_types(request: Mapping[str, Any]) -> dict[str, Any]:
    """DescribeInstanceTypes."""
    asked = list(request.get('InstanceType') or [])
    for name in asked:
        if limits.size_of(name) is None or not _is_offered(name, ''):
            raise Refused('InvalidInstanceType', f'The following supplied instance types do not exist: [{name}]')
    wanted = _filters(request, ('instance-type',))
    names = [name for name in asked or _chosen(wanted.get('instance-type')) if _is_offered(name, '')]
    return {'instanceTypeSet': [_shown(name) for name in names]}


def _shown(name: str) -> dict[str, Any]:
    size, facts, nitro = limits.size_of(name), limits.of_instance_type(name), on_nitro(name)
    assert size is not None
    vcpus, cores, memory = size
    return {
        'instanceType': name,
        'currentGeneration': nitro,
        'bareMetal': '.metal' in name,
        'hypervisor': 'nitro' if nitro else 'xen',
        'supportedUsageClasses': ['on-demand', 'spot'],
        'supportedVirtualizationTypes': ['hvm'],
        'supportedBootModes': ['uefi'] if facts.arm else ['legacy-bios', *(['uefi'] if nitro else [])],
        'processorInfo': {'supportedArchitectures': ['arm64' if facts.arm else 'x86_64']},
        'vCpuInfo': {'defaultVCpus': vcpus, 'defaultCores': cores, 'defaultThreadsPerCore': vcpus // cores or 1},
        'memoryInfo': {'sizeInMiB': int(memory * 1024)},
        'instanceStorageSupported': facts.nvme_disks > 0,
        'networkInfo': {
            'maximumNetworkInterfaces': facts.interfaces,
            'enaSupport': 'required' if nitro else 'unsupported',
        },
        'placementGroupInfo': {
            'supportedStrategies': [*(['cluster'] if facts.in_cluster_group else []), 'partition', 'spread']
        },
    }


def _chosen(patterns: Iterable[str] | None) -> list[str]:
    names = limits.sized_types()
    if patterns is None:
        return list(names)
    return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def _filters(request: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, list[str]]:
    found = {}
    for one in request.get('Filter') or []:
        if one['Name'] not in known:
            raise Refused('InvalidParameterValue', f"The filter '{one['Name']}' is invalid")
        found[one['Name']] = [str(value) for value in one.get('Value') or []]
    return found
