"""SSM documents: what they may hold, their parameters, and the script they become."""

import json
import re
import shlex
import time
from dataclasses import dataclass, field
from typing import Any

NAME = re.compile(r'^[a-zA-Z0-9_\-.]{3,128}$')
PLACEHOLDER = re.compile(r'\{\{\s*([^\s{}]+)\s*\}\}')
TYPES = ('String', 'StringList', 'Integer', 'Boolean')
PARAMETER_KEYS = {
    'type', 'description', 'default', 'allowedValues', 'allowedPattern', 'minChars', 'maxChars', 'minItems',
    'maxItems', 'displayType', 'interpolationType',
}  # fmt: skip
STEP_KEYS = {'action', 'name', 'inputs', 'precondition', 'description'}
INPUT_KEYS = {'runCommand', 'timeoutSeconds', 'workingDirectory'}
DEFAULT_TIMEOUT_SECONDS = 3600


class Refused(Exception):
    """An error as SSM answers it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Document:
    """A document and its versions."""

    name: str
    type: str = 'Command'
    versions: list[dict[str, Any]] = field(default_factory=list)
    default: int = 1
    created: float = field(default_factory=time.time)
    format: str = 'JSON'

    def content(self, version: str = '$DEFAULT') -> dict[str, Any]:
        """The content of a version: ``$DEFAULT``, ``$LATEST`` or a number."""
        return self.versions[self.number(version) - 1]

    def number(self, version: str = '$DEFAULT') -> int:
        """The number of a version."""
        if version in ('', '$DEFAULT'):
            return self.default
        if version == '$LATEST':
            return len(self.versions)
        if not version.isdigit() or not 1 <= int(version) <= len(self.versions):
            raise Refused('InvalidDocumentVersion', 'The document version is not valid or does not exist.')
        return int(version)


@dataclass(frozen=True)
class Step:
    """One script of a document, ready to run."""

    name: str
    script: str
    timeout: float


def parse(content: Any) -> dict[str, Any]:
    """Check a document's content: what this emulation cannot run is refused, not skipped."""
    try:
        found = json.loads(content) if isinstance(content, str) else content
    except json.JSONDecodeError:
        raise _invalid('the content is no JSON') from None
    if not isinstance(found, dict):
        raise _invalid('the content is no object')
    if found.get('schemaVersion') != '2.2':
        version = found.get('schemaVersion')
        raise Refused('InvalidDocumentSchemaVersion', f'schemaVersion {version!r} is not implemented; use "2.2"')
    _known(found, {'schemaVersion', 'description', 'parameters', 'mainSteps'}, 'the document')
    parameters = found.get('parameters') or {}
    for name, definition in parameters.items():
        _known(definition, PARAMETER_KEYS, f'parameter {name}')
        if definition.get('type') not in TYPES:
            raise _invalid(f'parameter {name} has the type {definition.get("type")!r}; allowed: {", ".join(TYPES)}')
    steps = found.get('mainSteps') or []
    if not steps:
        raise _invalid('mainSteps is empty')
    for step in steps:
        _known(step, STEP_KEYS, 'a step')
        if step.get('action') != 'aws:runShellScript':
            raise _invalid(f'the action {step.get("action")!r} is not implemented; use aws:runShellScript')
        inputs = step.get('inputs') or {}
        _known(inputs, INPUT_KEYS, f'inputs of step {step.get("name")}')
        for used in PLACEHOLDER.findall(json.dumps(inputs)):
            if used not in parameters:
                raise _invalid(f'step {step.get("name")} uses the parameter {used}, which is not defined')
    return found


def resolve(content: dict[str, Any], given: dict[str, list[str]]) -> dict[str, Any]:
    """The parameters' values: what was given, checked, else the defaults."""
    definitions: dict[str, Any] = content.get('parameters') or {}
    unknown = sorted(set(given) - set(definitions))
    if unknown:
        raise _bad(f'Parameters {unknown} are not defined in the document')
    values: dict[str, Any] = {}
    for name, definition in definitions.items():
        if name in given:
            values[name] = _value(name, definition, [str(v) for v in given[name]])
        elif 'default' in definition:
            values[name] = definition['default']
        else:
            raise _bad(f'Parameter {name} is required')
    return values


def steps(content: dict[str, Any], values: dict[str, Any]) -> list[Step]:
    """The scripts of a document with the parameters in place."""
    environment = ''.join(
        f'export SSM_{name}={shlex.quote(str(values[name]))}\n'
        for name, definition in (content.get('parameters') or {}).items()
        if definition.get('interpolationType') == 'ENV_VAR'
    )
    found = []
    for step in content['mainSteps']:
        inputs = step.get('inputs') or {}
        lines: list[str] = []
        for line in inputs.get('runCommand') or []:
            lines.extend(_expand(str(line), values))
        directory = _text(str(inputs.get('workingDirectory') or ''), values)
        change = f'cd {shlex.quote(directory)} || exit 1\n' if directory else ''
        timeout = float(_text(str(inputs.get('timeoutSeconds') or DEFAULT_TIMEOUT_SECONDS), values))
        script = environment + change + '\n'.join(lines)
        found.append(Step(str(step.get('name')), script, timeout))
    return found


def _value(name: str, definition: dict[str, Any], given: list[str]) -> Any:
    if definition['type'] != 'StringList' and len(given) != 1:
        raise _bad(f'Parameter {name} takes one value, not {len(given)}')
    if not definition.get('minItems', 0) <= len(given) <= definition.get('maxItems', 1_000_000):
        raise _bad(f'Parameter {name} has {len(given)} items')
    for value in given:
        pattern = definition.get('allowedPattern')
        if pattern and not re.fullmatch(pattern, value):
            raise _bad(f'Parameter {name} has the value {value!r}, which does not match {pattern}')
        allowed = definition.get('allowedValues')
        if allowed and value not in [str(a) for a in allowed]:
            raise _bad(f'Parameter {name} has the value {value!r}; allowed: {allowed}')
        if not definition.get('minChars', 0) <= len(value) <= definition.get('maxChars', 1_000_000):
            raise _bad(f'Parameter {name} has a value of {len(value)} characters')
    return given if definition['type'] == 'StringList' else given[0]


def _expand(line: str, values: dict[str, Any]) -> list[str]:
    alone = PLACEHOLDER.fullmatch(line.strip())
    if alone and isinstance(values[alone[1]], list):
        return [str(value) for value in values[alone[1]]]
    return [_text(line, values)]


def _text(line: str, values: dict[str, Any]) -> str:
    def value_of(match: re.Match[str]) -> str:
        value = values[match[1]]
        return json.dumps(value) if isinstance(value, list) else str(value)

    return PLACEHOLDER.sub(value_of, line)


def _known(found: Any, allowed: set[str], what: str) -> None:
    if not isinstance(found, dict):
        raise _invalid(f'{what} is no object')
    unknown = sorted(set(found) - allowed)
    if unknown:
        raise _invalid(f'{", ".join(unknown)} of {what} is not implemented by the embedded AWS')


def _invalid(message: str) -> Refused:
    return Refused('InvalidDocumentContent', message)


def _bad(message: str) -> Refused:
    return Refused('InvalidParameters', message)


RUN_SHELL_SCRIPT = parse(
    {
        'schemaVersion': '2.2',
        'description': 'Run a shell script.',
        'parameters': {
            'commands': {'type': 'StringList', 'minItems': 1},
            'workingDirectory': {'type': 'String', 'default': ''},
            'executionTimeout': {'type': 'String', 'default': '3600', 'allowedPattern': r'[1-9][0-9]{0,5}'},
        },
        'mainSteps': [
            {
                'action': 'aws:runShellScript',
                'name': 'runShellScript',
                'inputs': {
                    'runCommand': ['{{ commands }}'],
                    'workingDirectory': '{{ workingDirectory }}',
                    'timeoutSeconds': '{{ executionTimeout }}',
                },
            }
        ],
    }
)
