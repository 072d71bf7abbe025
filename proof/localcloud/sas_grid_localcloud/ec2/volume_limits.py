"""What EBS refuses when a volume is made or modified, and the performance that follows from its type."""

from ..query import Refused
from .limits import VolumeLimits, of_volume_type

_BASELINE_IOPS, _BASELINE_THROUGHPUT = 3000, 125
"""gp3 has these without asking."""


def limits_of(kind: str) -> VolumeLimits:
    """The limits of a volume type, or the refusal of an unknown one."""
    limits = of_volume_type(kind)
    if limits is None:
        raise Refused('UnknownVolumeType', f"Unsupported volume type '{kind}' for volume creation.")
    return limits


def check(kind: str, size: int, iops: int | None, throughput: int | None, multi_attach: bool = False) -> None:
    """Refuse what EBS refuses for this type."""
    limits = limits_of(kind)
    if multi_attach and not limits.multi_attach:
        raise Refused(
            'InvalidParameterCombination',
            f'The parameter MultiAttachEnabled is not supported for volume type {kind}',
        )
    if not limits.smallest <= size <= limits.largest:
        raise Refused(
            'InvalidParameterValue',
            f'Volume of {size}GiB is invalid; for volume type {kind} it is {limits.smallest} to {limits.largest} GiB',
        )
    _check_iops(kind, limits, size, iops)
    _check_throughput(kind, limits, iops, throughput)


def _check_iops(kind: str, limits: VolumeLimits, size: int, iops: int | None) -> None:
    allowed = limits.iops
    if allowed is None:
        if iops is not None:
            raise Refused('InvalidParameterCombination', f'The parameter iops is not supported for {kind} volumes.')
        return
    if iops is None:
        if allowed.required:
            raise Refused('MissingParameter', 'The request must contain the parameter iops')
        return
    if not allowed.least <= iops <= allowed.most:
        raise Refused(
            'InvalidParameterValue',
            f'Volume iops of {iops} is invalid; for {kind} it is {allowed.least} to {allowed.most}',
        )
    # Every gp3 volume has the baseline, however small it is.
    if iops > max(allowed.ratio * size, 0 if allowed.required else allowed.least):
        raise Refused(
            'InvalidParameterValue', f'Iops to volume size ratio of {iops / size:.1f} exceeds {allowed.ratio}'
        )


def _check_throughput(kind: str, limits: VolumeLimits, iops: int | None, throughput: int | None) -> None:
    if throughput is None:
        return
    allowed = limits.throughput
    if allowed is None:
        raise Refused('InvalidParameterCombination', f'Throughput is not supported for {kind} volumes.')
    most = (iops or _BASELINE_IOPS) * allowed.ratio
    if not allowed.least <= throughput <= allowed.most or throughput > most:
        raise Refused(
            'InvalidParameterValue',
            f'Throughput of {throughput} is invalid; {kind} gives {allowed.least} to {allowed.most} MiB/s '
            f'and {allowed.ratio} MiB/s per IOPS',
        )


def iops_of(kind: str, size: int, iops: int | None) -> int:
    """The IOPS that describes show. Those of gp2 follow from its size (EBS user guide, "General Purpose SSD")."""
    if kind == 'gp2':
        return min(max(3 * size, 100), 16000)
    if kind == 'gp3':
        return iops or _BASELINE_IOPS
    return iops or 0


def throughput_of(kind: str, throughput: int | None) -> int:
    """The throughput that describes show, 0 where they show none."""
    return (throughput or _BASELINE_THROUGHPUT) if kind == 'gp3' else 0
