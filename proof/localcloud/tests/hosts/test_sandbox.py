"""What runs in a host cannot touch this machine, and ends with the host."""

import ast
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sas_grid_localcloud.hosts import confine, kind, sandbox, tools

from .conftest import Cloud


def test_the_search_path_holds_the_listed_tools_and_nothing_else(cloud: Cloud) -> None:
    cloud.launch('i-1')
    found = sandbox.run('i-1', 'ls "${PATH%%:*}"', 120).out.split()
    of_ours = [*tools.REAL_OR_STAND_IN, *tools.GUARDED, *tools.AS_ANOTHER, *tools.OF_HOST]
    listed = [*tools.HARMLESS, *tools.STAND_INS, *tools.NO_EFFECT, *of_ours]
    assert found == sorted(listed)
    assert sandbox.run('i-1', 'type -P shutdown mkfs python ssh', 120).out == ''


def test_a_tool_that_would_touch_the_machine_is_a_stand_in(cloud: Cloud) -> None:
    cloud.launch('i-1')
    result = sandbox.run('i-1', 'hostnamectl set-hostname emulated && modprobe lustre', 120)
    assert (result.code, result.err) == (0, '')
    assert (cloud.state / 'hosts/i-1/etc/hostname').read_text() == 'emulated\n'
    assert 'modprobe lustre' in (cloud.state / 'hosts/i-1/var/log/tools.log').read_text()


def test_the_programs_of_a_benchmark_run_in_a_real_python_and_no_others_do(cloud: Cloud) -> None:
    cloud.launch('i-1')
    root = cloud.state / 'hosts/i-1'
    for folder in ('run/sas-grid/benchmark-1', 'other'):
        (root / folder).mkdir(parents=True)
        (root / folder / 'program.py').write_text('import beside\nprint(beside.WORD)\n')
        (root / folder / 'beside.py').write_text("WORD = 'measured'\n")
    found = sandbox.run('i-1', 'python3 -B run/sas-grid/benchmark-1/program.py; python3 "$PWD/other/program.py"', 120)
    assert found.out == ''
    found = sandbox.run('i-1', 'python3 -B "$PWD/run/sas-grid/benchmark-1/program.py"; python3 -c "print(1)"', 120)
    assert found.out == 'measured\n1\n'


def test_dd_writes_to_no_device_and_accounts_are_those_of_the_host(cloud: Cloud) -> None:
    cloud.launch('i-1')
    good = sandbox.run('i-1', 'dd if=/dev/zero of=file bs=1k count=2 && dd if=file of=/dev/null && wc -c <file', 120)
    assert (good.code, good.out) == (0, '2048\n')
    bad = sandbox.run('i-1', 'dd if=/dev/zero of=/dev/sas-grid-none bs=1k count=1', 120)
    assert (bad.code, bad.err) == (1, "dd: failed to open '/dev/sas-grid-none': Permission denied\n")
    (cloud.state / 'hosts/i-1/etc/passwd').write_text('sas:x:3000:3001::/:\n')
    asked = sandbox.run('i-1', 'id -u sas; id -g sas; id -u root; id -u nobody-here', 120)
    assert (asked.out, asked.err) == ('3000\n3001\n0\n', "id: 'nobody-here': no such user\n")
    assert sandbox.run('i-1', 'setpriv --reuid sas --init-groups -- echo done', 120).out == 'done\n'


@pytest.mark.skipif(not confine.available(), reason='this kernel has no Landlock')
def test_nothing_is_written_outside_the_state_folder(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> None:
    cloud.launch('i-1')
    outside = tmp_path_factory.mktemp('outside')
    kept = outside / 'kept'
    kept.write_text('kept')
    script = f'echo x >{outside}/new; rm -f {kept}; echo y >{kept}; mv {kept} {outside}/moved; echo z >inside'
    assert sandbox.run('i-1', script, 120).err.count('ermission denied') >= 3
    assert [path.name for path in outside.iterdir()] == ['kept']
    assert kept.read_text() == 'kept'
    assert (cloud.state / 'hosts/i-1/inside').exists()


def test_processes_end_with_their_host(cloud: Cloud) -> None:
    cloud.launch('i-1')
    results: list[kind.Result] = []
    script = 'touch begun; sleep 3600 & wait'
    thread = threading.Thread(target=lambda: results.append(sandbox.run('i-1', script, 3600)))
    thread.start()
    cloud.wait((cloud.state / 'hosts/i-1/begun').exists)
    cloud.terminate('i-1')
    cloud.wait(lambda: not thread.is_alive())
    assert results[0].killed


def test_a_volume_detached_while_it_is_mounted_is_a_violation(cloud: Cloud) -> None:
    cloud.launch('i-1')
    cloud.attach('i-1', '172.16.4.10', 'vol-0a')
    device = cloud.state / 'hosts/i-1/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a'
    script = f'mkfs.lustre --mgs {device} && mkdir mnt && mount -t lustre {device} "$PWD/mnt"'
    assert sandbox.run('i-1', script, 120).code == 0
    cloud.detach('i-1', '172.16.4.10', 'vol-0a')
    assert not device.exists()
    assert [(line['id'], line['from'], line['to']) for line in cloud.history('violation')] == [
        ('vol-0a', 'mounted', 'detached')
    ]


def test_every_stand_in_is_in_the_module_that_is_loaded_for_it(tmp_path: Path) -> None:
    program = 'import main; print({name: list(__import__(name).TOOLS) for name in main.TOOLS_OF}); print(main.TOOLS_OF)'
    folder = Path(sandbox.__file__).parent / 'standins'
    done = subprocess.run(
        [sys.executable, '-S', '-c', program],
        cwd=folder,
        env={'SAS_GRID_ROOT': str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    own, told = map(ast.literal_eval, done.stdout.splitlines())
    assert {name: sorted(names) for name, names in own.items()} == {name: sorted(names) for name, names in told.items()}
    assert sorted(name for names in own.values() for name in names) == sorted(
        [*tools.STAND_INS, *tools.OF_PACKAGES, *tools.REAL_OR_STAND_IN]
    )


def test_a_missing_tool_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(tools.MissingTool, match='awk is not on the PATH'):
        tools.make_search_path(tmp_path / 'tools')
