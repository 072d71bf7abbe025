"""When the scenario of the machine image runs, and what the programs are told."""

import hashlib
import tarfile
from pathlib import Path

import pytest

from sas_grid_lab import recipe, runner
from sas_grid_lab.recipe import Recipe
from sas_grid_lab.report import ScenarioFailed
from sas_grid_lab.scenarios import machine_image
from sas_grid_lab.settings import Settings

KERNEL = '6.1.0-56-amd64'
NAMES = (
    f'lustre-server-modules-{KERNEL}_2.17.0-1_amd64.deb',
    'lustre-server-utils_2.17.0-1_amd64.deb',
    'other_1%3a2_all.deb',
)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / 'packages'
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(name)
    return folder


def test_without_a_lustre_it_is_not_run_and_says_what_it_lacks(tmp_path: Path) -> None:
    result = runner.run('machine_image', Settings(tmp_path, tmp_path), {})
    assert (result.verdict, result.steps) == ('not run', [])
    assert 'LUSTRE_PACKAGES' in result.reason
    assert 'LUSTRE_TREE' in result.reason


def test_the_kernel_is_the_one_of_the_packages(packages: Path) -> None:
    needed = machine_image.needs({'LUSTRE_PACKAGES': str(packages), 'LUSTRE_TREE': '/not/asked'})
    assert needed.lustre_tree is None
    assert needed.recipe == Recipe(KERNEL, packages)


def test_packages_of_no_kernel_or_of_two_fail(packages: Path) -> None:
    (packages / 'lustre-server-modules-5.10_2.17.0-1_amd64.deb').touch()
    with pytest.raises(ScenarioFailed, match=r'5\.10, 6\.1'):
        machine_image.needs({'LUSTRE_PACKAGES': str(packages)})
    with pytest.raises(ScenarioFailed, match='none'):
        machine_image.needs({'LUSTRE_PACKAGES': str(packages.parent)})


def test_a_tree_is_laid_over_the_image_and_counts_as_installed(tmp_path: Path) -> None:
    (tmp_path / 'usr/sbin').mkdir(parents=True)
    (tmp_path / 'usr/sbin/lctl').touch()
    (tmp_path / 'lib/modules' / KERNEL).mkdir(parents=True)
    needed = machine_image.needs({'LUSTRE_TREE': str(tmp_path)})
    assert (needed.lustre_tree, needed.recipe) == (tmp_path, Recipe(KERNEL))
    assert needed.recipe
    assert not [row for row in needed.recipe.wanted() if row[1].startswith('lustre')]


def test_the_programs_get_exactly_the_packages_that_were_given(packages: Path, tmp_path: Path) -> None:
    made = Recipe(KERNEL, packages)
    made.unpack(tmp_path / 'root')
    folder = tmp_path / 'root' / recipe.FOLDER
    rows = [line.split('\t') for line in (folder / 'packages.tsv').read_text().splitlines()]
    assert ['kernel', f'linux-image-{KERNEL}', '-'] in rows
    assert ['lustre', 'lustre-server-utils=2.17.0-1', 'given'] in rows
    assert ['lustre', 'other=1:2', 'given'] in rows
    sums = dict(reversed(line.split()) for line in (folder / 'given/SHA256SUMS').read_text().splitlines())
    assert sums.pop('amazon-ssm-agent_0_all.deb')
    assert sums == {name: hashlib.sha256(name.encode()).hexdigest() for name in NAMES}
    settings = dict(line.split('=') for line in (folder / 'image.env').read_text().splitlines())
    assert (settings['KERNEL'], settings['LUSTRE_VERSION'], settings['SYSTEM']) == (KERNEL, '2.17.0-1', 'debian')
    assert (folder / 'host/bin/sas-grid-serve').exists()
    assert all((tmp_path / 'root' / recipe.path_of(name).lstrip('/')).exists() for name in recipe.BUILD)


def archive(folder: Path, version: str = '2.17.0') -> Path:
    tree = folder / f'lustre-{version}'
    tree.mkdir()
    (tree / 'LUSTRE-VERSION-GEN').write_text(f'#!/bin/bash\nDEFAULT_VERSION={version}\n')
    path = folder / 'lustre.tar.gz'
    with tarfile.open(path, 'w:gz') as made:
        made.add(tree, tree.name)
    return path


def test_a_source_tree_is_built_by_the_programs_for_the_kernel_that_is_named(tmp_path: Path) -> None:
    source = archive(tmp_path)
    needed = machine_image.needs({'LUSTRE_SOURCE': str(source), 'LUSTRE_KERNEL': KERNEL, 'LUSTRE_TREE': '/not/asked'})
    assert needed.recipe == Recipe(KERNEL, source=source)
    root = tmp_path / 'root'
    (root / 'var/tmp').mkdir(parents=True)
    needed.recipe.unpack(root)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    rows = [line.split('\t') for line in (root / recipe.FOLDER / 'packages.tsv').read_text().splitlines()]
    assert ['lustre', f'lustre-server-modules-{KERNEL}=2.17.0-1+src{digest[:8]}', '-'] in rows
    settings = dict(line.split('=') for line in (root / recipe.FOLDER / 'image.env').read_text().splitlines())
    assert (settings['LUSTRE_VERSION'], settings['SOURCE_SHA256']) == ('2.17.0', digest)
    assert (root / recipe.SOURCE).read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ('kernel', 'text', 'says'),
    [('', None, 'LUSTRE_KERNEL is not set'), (KERNEL, 'no archive', 'LUSTRE_SOURCE'), (KERNEL, None, 'is no file')],
)
def test_a_source_that_cannot_be_built_fails_with_what_to_name(
    tmp_path: Path, kernel: str, text: str | None, says: str
) -> None:
    source = tmp_path / 'lustre.tar'
    if text:
        source.write_text(text)
    with pytest.raises(ScenarioFailed, match=says):
        machine_image.needs({'LUSTRE_SOURCE': str(source), 'LUSTRE_KERNEL': kernel})


def test_another_source_is_another_image(tmp_path: Path) -> None:
    before = Recipe(KERNEL, source=archive(tmp_path)).parts()
    assert before != Recipe(KERNEL, source=archive(tmp_path, '2.17.1')).parts()


def test_another_package_is_another_image(packages: Path) -> None:
    before = Recipe(KERNEL, packages).parts()
    assert before == Recipe(KERNEL, packages).parts()
    (packages / NAMES[1]).write_text('built again')
    assert before != Recipe(KERNEL, packages).parts()
