"""Component documents, schema 1.0: what they may hold here. What cannot be run is refused when the component is made.

EC2 Image Builder User Guide, "Use the AWSTOE component document framework for custom components" and "Action modules
supported by AWSTOE component manager".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from .references import Unknown, references
from .state import Record, invalid_value

ACTIONS = ('ExecuteBash', 'Reboot', 'S3Download', 'S3Upload', 'UpdateOS')
PHASES = ('build', 'validate', 'test')
_OTHER_ACTIONS = (
    'AppendFile CopyFile CopyFolder CreateFile CreateFolder CreateSymlink DeleteFile DeleteFolder ExecuteBinary '
    'ExecuteDocument ExecutePowerShell InstallMSI ListFiles MoveFile MoveFolder ReadFile SetFileEncoding SetFileOwner '
    'SetFilePermissions SetFolderOwner SetFolderPermissions SetRegistry UninstallMSI WebDownload'
)
"""of AWSTOE, and not emulated"""
DEFAULT_SECONDS = 7200.0
_ON_FAILURE = ('Abort', 'Continue', 'Ignore')
_STEP = {'name', 'action', 'description', 'inputs', 'maxAttempts', 'onFailure', 'timeoutSeconds'}
_DOCUMENT = {'name', 'description', 'schemaVersion', 'parameters', 'constants', 'phases'}
_TRANSFER = {'source', 'destination', 'expectedBucketOwner', 'overwrite', 'recurse'}


@dataclass(frozen=True)
class Step:
    """One step of a phase."""

    name: str
    action: str
    inputs: Any
    seconds: float | None
    """None: without an end"""
    on_failure: str
    attempts: int


@dataclass(frozen=True)
class Document:
    """A component's document."""

    name: str
    phases: dict[str, list[Step]]
    parameters: dict[str, Record] = field(default_factory=dict)
    """name to type, default and description"""
    constants: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """A component with nothing but tests is a test component."""
        return 'TEST' if set(self.phases) == {'test'} else 'BUILD'


def parse(text: str) -> Document:
    """Read a document, or refuse it as CreateComponent does."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise _wrong(f'it is no YAML: {problem}') from problem
    content = _mapping(content, 'the document', _DOCUMENT)
    if str(content.get('schemaVersion')) != '1.0':
        raise _wrong(f'schemaVersion is {content.get("schemaVersion")}; allowed: 1.0')
    phases = {name: list(_steps(name, one)) for name, one in _phases(content)}
    if not set(phases) & set(PHASES):
        raise _wrong(f'it has none of the phases {", ".join(PHASES)}')
    document = Document(
        str(content.get('name') or ''),
        phases,
        dict(_declared(content.get('parameters'), 'parameters')),
        {name: one.get('value') for name, one in _declared(content.get('constants'), 'constants')},
    )
    _check_references(document)
    return document


def _phases(content: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    seen: set[str] = set()
    for one in _list(content.get('phases'), 'phases'):
        phase = _mapping(one, 'a phase', {'name', 'steps'})
        name = str(phase.get('name') or '')
        if not name or name in seen:
            raise _wrong(f'the name of a phase is {name!r}; each has one of its own')
        seen.add(name)
        yield name, phase


def _steps(phase: str, content: Mapping[str, Any]) -> Iterator[Step]:
    seen: set[str] = set()
    for one in _list(content.get('steps'), f'steps of the phase {phase}'):
        step = _mapping(one, f'a step of the phase {phase}', _STEP)
        name, action = str(step.get('name') or ''), str(step.get('action') or '')
        where = f"Parsing step '{name}' in phase '{phase}' failed. Error:"
        if not name or name in seen:
            raise _wrong(f'{where} each step of a phase has a name of its own')
        seen.add(name)
        if action in _OTHER_ACTIONS.split():
            raise _wrong(f'{where} the action {action} is not implemented by the embedded AWS')
        if action not in ACTIONS:
            raise _wrong(f'{where} Action {action} is not supported')
        _check_inputs(where, action, step.get('inputs'))
        on_failure = str(step.get('onFailure') or 'Abort')
        if on_failure not in _ON_FAILURE:
            raise _wrong(f'{where} onFailure is {on_failure}; allowed: {", ".join(_ON_FAILURE)}')
        seconds, attempts = step.get('timeoutSeconds', DEFAULT_SECONDS), step.get('maxAttempts', 1)
        if not isinstance(seconds, int | float) or seconds == 0 or seconds < -1:
            raise _wrong(f'{where} timeoutSeconds is {seconds}; allowed: a number of seconds, or -1')
        if not isinstance(attempts, int) or attempts < 1:
            raise _wrong(f'{where} maxAttempts is {attempts}; allowed: 1 or more')
        end = None if seconds == -1 else float(seconds)
        yield Step(name, action, step.get('inputs'), end, on_failure, attempts)


def _check_inputs(where: str, action: str, inputs: Any) -> None:
    if action == 'ExecuteBash':
        commands = inputs.get('commands') if isinstance(inputs, Mapping) and set(inputs) == {'commands'} else None
        if not isinstance(commands, list) or not commands:
            raise _wrong(f'{where} Action ExecuteBash needs inputs: a list of commands, and nothing else')
    if action in ('S3Download', 'S3Upload'):
        if not isinstance(inputs, list) or not inputs:
            raise _wrong(f"{where} Action {action} has no inputs; it requires an 'inputs'")
        for one in inputs:
            if not isinstance(one, Mapping) or not {'source', 'destination'} <= set(one) <= _TRANSFER:
                raise _wrong(f'{where} inputs of {action} have a source and a destination')
    if (
        action == 'Reboot'
        and inputs is not None
        and (not isinstance(inputs, Mapping) or set(inputs) - {'delaySeconds'})
    ):
        raise _wrong(f'{where} inputs of Reboot have delaySeconds, and nothing else')


def _declared(listed: Any, what: str) -> Iterator[tuple[str, Record]]:
    for one in listed or []:
        if not isinstance(one, Mapping) or len(one) != 1:
            raise _wrong(f'{what} is a list with a name and what is about it in each place')
        name, about = next(iter(one.items()))
        yield str(name), dict(_mapping(about, f'{what} {name}', {'type', 'default', 'description', 'value'}))


def _check_references(document: Document) -> None:
    """What is referred to has to exist: a parameter, a constant, or a step that ran before."""
    known = {*document.parameters, *document.constants}
    before: set[tuple[str, str]] = set()
    for phase, steps in document.phases.items():
        for step in steps:
            try:
                for one in references(step.inputs):
                    if one.name not in known and one.step not in before:
                        raise Unknown(one.text)
            except Unknown as unknown:
                raise _wrong(
                    f"Parsing step '{step.name}' in phase '{phase}' failed. Error: {unknown} is no parameter, no "
                    'constant, and of no step that runs before'
                ) from unknown
            before.add((phase, step.name))


def _mapping(found: Any, what: str, allowed: set[str]) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise _wrong(f'{what} is no mapping')
    unknown = sorted(str(key) for key in set(found) - allowed)
    if unknown:
        raise _wrong(f'{", ".join(unknown)} of {what} is not implemented by the embedded AWS')
    return found


def _list(found: Any, what: str) -> list[Any]:
    if not isinstance(found, list) or not found:
        raise _wrong(f'{what} is empty')
    return found


def _wrong(why: str) -> Exception:
    return invalid_value('data', f'Failed to parse document. {why}')
