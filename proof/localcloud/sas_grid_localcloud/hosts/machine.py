"""What a host reads of its machine and its image: type, processors, memory, distribution."""

import re
from pathlib import Path
from typing import Any

from ..ec2 import images, limits

_AMAZON = 'NAME="Amazon Linux"\nVERSION="{0}"\nID="amzn"\nID_LIKE="{1}"\nVERSION_ID="{0}"\n'
_KIB = 1024 * 1024
_USABLE = 0.97
"""The firmware and the kernel keep some memory."""


def describe(root: Path, instance: dict[str, Any]) -> None:
    """Write what the kernel and the image tell; a type or an image that is not known changes nothing."""
    (root / 'metadata').mkdir(exist_ok=True)
    (root / 'metadata/instance-type').write_text(str(instance.get('InstanceType') or ''))
    size = limits.size_of(str(instance.get('InstanceType') or ''))
    if size:
        processors, cores, memory_gib = size
        (root / 'proc/cpuinfo').write_text(''.join(_processor(number, cores) for number in range(processors)))
        (root / 'proc/meminfo').write_text(f'MemTotal:       {int(memory_gib * _USABLE * _KIB)} kB\n')
    release = images.amazon_linux(str(instance.get('ImageId') or ''))
    if release:
        like = 'fedora' if release == '2023' else 'centos rhel fedora'
        (root / 'etc/os-release').write_text(_AMAZON.format(release, like))
    system = images.os_release(str(instance.get('ImageId') or ''))
    if system:
        (root / 'etc/os-release').write_text(system)


def wanted_disks(user_data: str) -> int:
    """As many instance-store disks as the roles speak of: the constructs checked them against the type."""
    wanted = re.findall(r'^(?:SASWORK|UTILLOC|INSTANCE_STORE)_DISKS=(\d+)$', user_data, re.MULTILINE)
    return sum(int(count) for count in wanted)


def _processor(number: int, cores: int) -> str:
    """Hyper-threads of a core have its number, as EC2 counts them: the second half are the threads of the first."""
    return f'processor\t: {number}\nphysical id\t: 0\ncore id\t\t: {number % cores}\n'
