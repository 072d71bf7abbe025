"""Limits: read from the table that the constructs use, strict with what is not in it."""

import pytest

from sas_grid_localcloud.ec2 import limits, volume_limits
from sas_grid_localcloud.query import Refused


def test_types_of_the_table() -> None:
    assert limits.of_instance_type('c3.8xlarge') == limits.TypeLimits(False, False, 40, 8, 0, True)
    assert limits.of_instance_type('m6i.large') == limits.TypeLimits(False, True, 28, 3, 0, True)
    assert limits.of_instance_type('i4i.8xlarge').nvme_disks == 2
    assert limits.of_instance_type('m8g.large').arm
    assert not limits.of_instance_type('t3.large').in_cluster_group


def test_a_type_that_is_newer_than_the_table_gets_strict_limits() -> None:
    new = limits.of_instance_type('c99gn.large')
    assert (new.arm, new.shared, new.limit, new.interfaces, new.in_cluster_group) == (True, True, 28, 3, True)
    assert not limits.of_instance_type('m99i-flex.large').in_cluster_group
    assert not limits.of_instance_type('t99.large').in_cluster_group


@pytest.mark.parametrize(
    ('code', 'kind', 'size', 'iops', 'throughput'),
    [
        ('InvalidParameterValue', 'io1', 10, 501, None),
        ('InvalidParameterValue', 'io2', 4, 4001, None),
        ('InvalidParameterValue', 'gp3', 10, 5001, None),
        ('InvalidParameterValue', 'gp3', 10, 4000, 1001),
        ('InvalidParameterValue', 'st1', 124, None, None),
        ('InvalidParameterCombination', 'gp2', 10, 100, None),
        ('InvalidParameterCombination', 'io2', 10, 100, 125),
    ],
)
def test_volumes_past_a_limit(code: str, kind: str, size: int, iops: int | None, throughput: int | None) -> None:
    with pytest.raises(Refused) as refused:
        volume_limits.check(kind, size, iops, throughput)
    assert refused.value.code == code


def test_volumes_at_a_limit() -> None:
    volume_limits.check('gp3', 1, 3000, 750)
    volume_limits.check('gp3', 65536, 80000, 2000)
    volume_limits.check('io1', 10, 500, None, multi_attach=True)
    volume_limits.check('io2', 256, 256000, None)
