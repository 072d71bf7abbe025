"""What of machines and disks needs no machine."""

import re
from pathlib import Path

import pytest

from sas_grid_lab import accelerator, user_data
from sas_grid_lab.commands import HostCommandFailed, host
from sas_grid_lab.disks import BadDisk, Volume, hexadecimal, instance_store, make_file
from sas_grid_lab.image import Image
from sas_grid_lab.memory import Sampler
from sas_grid_lab.qemu import Shape, command_line
from sas_grid_lab.settings import Settings


def volume(folder: Path, shared: bool = False) -> Volume:
    return Volume('vol-0123456789abcdef0', make_file(folder / 'volume.raw', 1), 1, shared)


def test_ids_look_like_ec2s() -> None:
    assert re.fullmatch('[0-9a-f]{17}', hexadecimal())
    assert hexadecimal() != hexadecimal()


def test_a_guest_finds_a_volume_by_its_id(tmp_path: Path) -> None:
    found = volume(tmp_path).device
    assert found == '/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0'


def test_a_volume_is_attached_to_one_machine_unless_it_is_shared(tmp_path: Path) -> None:
    alone = volume(tmp_path)
    alone.attach_to('n1')
    with pytest.raises(BadDisk, match='attached to n1'):
        alone.attach_to('n2')
    shared = volume(tmp_path, shared=True)
    shared.attach_to('n1')
    shared.attach_to('n2')
    assert shared.users == {'n1', 'n2'}


def test_instance_store_is_blank_and_has_new_serial_numbers_at_every_start(tmp_path: Path) -> None:
    first = instance_store(tmp_path, 'n1', 2, 1)
    first[0].path.write_bytes(b'data')
    second = instance_store(tmp_path, 'n1', 2, 1)
    assert second[0].path.read_bytes() == bytes(1 << 20)
    assert len({disk.serial for disk in [*first, *second]}) == 4
    assert all(len(disk.serial) == 20 for disk in first)


def shape(tmp_path: Path) -> Shape:
    store = instance_store(tmp_path, 'n1', 1, 1)
    words = {'lab.name': 'n1'}
    return Shape('n1', Image(tmp_path, '6.1'), False, 512, 2, '02:00', tmp_path / 'root', store, 3, words)


def test_a_machine_starts_paused_in_its_namespace_with_its_ports(tmp_path: Path) -> None:
    command = command_line(shape(tmp_path), tmp_path, 'space', 'tap1')
    assert command[:5] == ['ip', 'netns', 'exec', 'space', accelerator.QEMU]
    assert '-S' in command
    assert 'lab.name=n1' in command[command.index('-append') + 1]
    assert sum(word.startswith('pcie-root-port') for word in command) == 3
    assert sum(word.startswith('nvme,') for word in command) == 1


def test_emulation_is_used_where_hardware_does_not_work(tmp_path: Path) -> None:
    assert 'kvm' not in ' '.join(command_line(shape(tmp_path), tmp_path, 'space', 'tap1'))


def test_whether_kvm_works_is_remembered_for_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Image] = []
    monkeypatch.setattr(accelerator.os, 'access', lambda *_: True)
    monkeypatch.setattr(accelerator, 'boots', lambda image: bool(tried.append(image)) or len(tried) == 1)
    built = Image(tmp_path, '6.1')
    assert accelerator.works(built)
    assert accelerator.works(built)
    assert len(tried) == 1
    monkeypatch.setattr(accelerator.platform, 'release', lambda: 'another kernel')
    assert not accelerator.works(built)


def test_the_highest_sum_of_memory_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([300, 400, 100, 50])
    monkeypatch.setattr('sas_grid_lab.memory.resident_mib', lambda _: next(sizes))
    sampler = Sampler(lambda: [1, 2])
    sampler.look()
    sampler.look()
    assert sampler.peak_mib == 700


def test_a_failed_command_of_the_host_tells_what_it_said() -> None:
    with pytest.raises(HostCommandFailed, match=r'ended with 3: (?s:.*)broken'):
        host(['bash', '-c', 'echo broken >&2; exit 3'])
    with pytest.raises(HostCommandFailed, match='longer than'):
        host(['sleep', '5'], timeout=0.1)
    with pytest.raises(HostCommandFailed, match=r'setup\.sh'):
        host(['no-such-tool'])


def test_the_environment_decides_where_things_lie() -> None:
    chosen = Settings.from_environment({'XDG_CACHE_HOME': '/cache', 'SAS_GRID_LAB_WORK': '/fast'})
    assert chosen.runs == Path('/cache/cdk-sas-grid/lab/runs')
    assert chosen.work == Path('/fast')
    assert Settings.from_environment({'HOME': '/home/me'}).cache == Path('/home/me/.cache/cdk-sas-grid/lab')


def test_user_data_is_the_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    text = user_data.render({'scratch': {'SASWORK_DISKS': '5'}})
    assert text.startswith('#!/bin/bash\n')
    assert 'SASWORK_DISKS=5' in text
    monkeypatch.setattr(user_data, 'host', lambda *_, **__: pytest.fail('rendered again'))
    assert user_data.render({'scratch': {'SASWORK_DISKS': '5'}}) == text


def test_an_unknown_role_is_an_error_that_names_the_roles() -> None:
    with pytest.raises(HostCommandFailed, match="no role 'scrach'; there are"):
        user_data.render({'scrach': {}})
