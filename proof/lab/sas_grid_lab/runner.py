"""Runs scenarios one after another. A scenario passes only when it ran to its end."""

import importlib
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

from . import accelerator, image, scenarios
from .lab import Lab
from .recipe import Recipe
from .report import NotRun, Result, ScenarioFailed, Steps
from .settings import REPORT, Settings

ORDER = [
    *('scratch', 'nfs', 'benchmark', 'served_twice', 'wrong_disks', 'night', 'backup'),
    *('gfs2', 'gfs2_two', 'gfs2_backup', 'night_gfs2', 'gfs2_unseen', 'gfs2_five'),
    *('lustre_ldiskfs', 'lustre_zfs', 'lustre_harm_ldiskfs', 'lustre_harm_zfs', 'night_lustre', 'backup_lustre'),
    'machine_image',
]
BOUND = 600
"""seconds of a scenario that names no other TIMEOUT"""


@dataclass(frozen=True)
class Needs:
    """What a scenario needs beyond the plain lab."""

    lustre_tree: Path | None = None
    recipe: Recipe | None = None
    """makes the guest's image, instead of the lab"""


def names() -> list[str]:
    """All scenarios, in the order in which they run."""
    found = [item.name for item in pkgutil.iter_modules(scenarios.__path__) if not item.name.startswith('_')]
    return sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def chosen(wanted: list[str]) -> list[str]:
    """The scenarios of these names; a name also stands for those that begin with it, and no name for all.

    Raises LookupError with the names that stand for none.
    """
    found = {name: [one for one in names() if one == name or one.startswith(f'{name}_')] for name in wanted}
    if unknown := [name for name, ones in found.items() if not ones]:
        raise LookupError(', '.join(unknown))
    return list(dict.fromkeys(one for ones in found.values() for one in ones)) or names()


def load(name: str) -> ModuleType:
    """A scenario's module."""
    return importlib.import_module(f'{scenarios.__name__}.{name}')


def machines(name: str) -> int:
    """How many machines a scenario has at the same time: MACHINES, or more than there is room for."""
    return int(getattr(load(name), 'MACHINES', sys.maxsize))


def needs(name: str, environment: Mapping[str, str] | None = None) -> Needs:
    """What a scenario needs. Raises NotRun when it is not there."""
    module = load(name)
    return module.needs(os.environ if environment is None else environment) if hasattr(module, 'needs') else Needs()


def image_of(wanted: list[str], settings: Settings) -> image.Image | None:
    """The image of the first scenario that can run, built when there is none; None when none can."""
    for name in wanted:
        try:
            needed = needs(name)
            return image.ensure(settings, print, needed.lustre_tree, needed.recipe)
        except (NotRun, ScenarioFailed):
            continue
    return None


def run(name: str, settings: Settings, environment: Mapping[str, str] | None = None) -> Result:
    """Run one scenario; its result tells everything, also why it did not run."""
    result = Result(name, name)
    started = time.monotonic()
    try:
        module = load(name)
        result.title = module.TITLE
        print(f'{name}: {module.TITLE}', flush=True)
        needed = needs(name, environment)
        built = image.ensure(
            settings, lambda line: print(f'           {line}', flush=True), needed.lustre_tree, needed.recipe
        )
        with Lab(settings, built, accelerator.works(built)) as lab:
            try:
                with bounded(getattr(module, 'TIMEOUT', BOUND)):
                    module.run(lab, Steps(result))
            except Exception:
                lab.keep_logs(REPORT / name)
                raise
            finally:
                lab.memory.look()
                result.peak_memory_mib = lab.memory.peak_mib
        result.verdict = 'passed'
    except NotRun as reason:
        result.verdict, result.reason = 'not run', str(reason)
    except Exception as problem:
        result.verdict = 'failed'
        result.reason = str(problem) if isinstance(problem, ScenarioFailed) else f'{type(problem).__name__}: {problem}'
        print(f'  FAILED   {result.reason}', file=sys.stderr, flush=True)
    result.seconds = round(time.monotonic() - started, 1)
    return result


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """End what is inside with an error when it takes longer."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise ScenarioFailed(f'the scenario took longer than {seconds:g} s')

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
