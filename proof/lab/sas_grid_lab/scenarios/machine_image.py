"""An image that the programs of constructs/machine-image make boots, and serves Lustre."""

import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

from .. import image_build
from ..lab import Lab
from ..recipe import Recipe, path_of, version_of
from ..report import NotRun, ScenarioFailed, Steps
from ..runner import Needs
from . import _lustre

__all__ = ['MACHINES', 'TIMEOUT', 'TITLE', 'needs', 'run']

TITLE = 'Machine image: the programs build it of a plain Debian, it boots, and serves Lustre on ZFS'
TIMEOUT = 1500
MACHINES = 1
MODULES = re.compile(r'lustre-server-modules-(.+)_.+_amd64\.deb')


def needs(environment: Mapping[str, str]) -> Needs:
    """The source of Lustre, packages, or an installed one. Debian carries none."""
    source = environment.get('LUSTRE_SOURCE', '')
    if source:
        return Needs(recipe=of_source(Path(source), environment.get('LUSTRE_KERNEL', '')))
    packages = environment.get('LUSTRE_PACKAGES', '')
    if packages:
        return Needs(recipe=Recipe(kernel_of(Path(packages)), Path(packages)))
    if not environment.get('LUSTRE_TREE'):
        raise NotRun(
            'none of LUSTRE_SOURCE, LUSTRE_PACKAGES and LUSTRE_TREE is set: the archive of a source tree, a folder of '
            'Debian packages of a Lustre server with ZFS, or the tree of an installed one'
        )
    tree = _lustre.needs(environment).lustre_tree
    assert tree
    return Needs(tree, Recipe(image_build.kernel_of(tree)))


def of_source(source: Path, kernel: str) -> Recipe:
    """What builds Lustre from an archive, for a kernel of Debian."""
    if not kernel:
        raise ScenarioFailed(
            'LUSTRE_KERNEL is not set: name the release of the kernel that LUSTRE_SOURCE is built for, such as '
            '6.1.0-56-amd64; apt-cache depends linux-image-amd64 says which one Debian has'
        )
    if not source.is_file():
        raise ScenarioFailed(f'LUSTRE_SOURCE={source} is no file: name the archive of a source tree of Lustre')
    try:
        version_of(source)
    except (ValueError, tarfile.TarError) as problem:
        raise ScenarioFailed(f'LUSTRE_SOURCE: {problem}') from problem
    return Recipe(kernel, source=source)


def kernel_of(packages: Path) -> str:
    """The kernel that the modules among the packages were built for."""
    found = sorted({match[1] for path in packages.glob('*.deb') if (match := MODULES.fullmatch(path.name))})
    if len(found) != 1:
        raise ScenarioFailed(
            f'LUSTRE_PACKAGES={packages} must have one package lustre-server-modules-KERNEL; '
            f'found kernels: {", ".join(found) or "none"}'
        )
    return found[0]


def run(lab: Lab, steps: Steps) -> None:
    machine = lab.machine('built', 1280, vcpus=2)
    with steps.step('the image boots'):
        machine.start()
        steps.fact('booted', machine.wait(), 's')
        steps.fact('kernel', machine.run('uname -r').strip())
    with steps.step('the versions are held'):
        held = machine.run('apt-mark showhold').split()
        steps.fact('held', ' '.join(held))
        if f'linux-image-{lab.image.version}' not in held:
            raise ScenarioFailed(f'the kernel is not held, and could be updated; held: {held}')
    with steps.step('image-test: kernel, host software, agent, and a Lustre that is served, written and read'):
        code, said = machine.try_run(f'{path_of("image-test")} 2>&1', TIMEOUT)
        for line in re.findall(r'^image-test: (.*)$', said, re.MULTILINE):
            steps.fact('said', line)
        if code != 0:
            raise ScenarioFailed(f'image-test ended with {code}:\n{said[-3000:]}')
