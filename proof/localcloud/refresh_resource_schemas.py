"""Makes sas_grid_localcloud/cloudformation/resource-schemas.json of CloudFormation's schemas, as cfn-lint ships them.

Run from the project's root, after ``bash scripts/setup.sh --template-checks``, when the test says that the file is
stale, which it is when the embedded AWS implements another type or property, or cfn-lint is another version::

    PYTHONPATH=proof/localcloud .venv/bin/python proof/localcloud/refresh_resource_schemas.py

Of each type that the embedded AWS implements it keeps what decides and refuses: which changes replace, what is required
or read-only, in which regions the type is absent, and the shapes of the properties that are implemented.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / 'proof/localcloud/sas_grid_localcloud/cloudformation/resource-schemas.json'
SOURCE = 'cfn-lint {version} (MIT-0, by AWS), data/schemas: the schemas of CloudFormation by region'
_HOME = 'us-east-1'
_UNREACHABLE = ('us-iso', 'eu-iso', 'sam')
"""Isolated partitions, for which the project makes no claim."""
_KEPT = ('type', 'enum', 'pattern', 'required', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems')


def _folder() -> Path:
    found = sorted(ROOT.glob('.venv-templates/lib/python3*/site-packages/cfnlint'))
    if not found:
        sys.exit('cfn-lint is not installed: bash scripts/setup.sh --template-checks')
    return found[0]


def installed_version() -> str:
    """The version of cfn-lint that the template checks use."""
    found = sorted(_folder().parent.glob('cfn_lint-*.dist-info'))
    return found[0].name.removeprefix('cfn_lint-').removesuffix('.dist-info')


def read_day() -> str:
    """The day on which cfn-lint read the schemas."""
    told = json.loads((_folder() / 'data/schemas/version.json').read_text(encoding='utf-8'))
    return str(told['schema_date'])[:10]


def compact(known: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """The contents of the file, for these types and the properties of each that are implemented."""
    folder = _folder() / 'data/schemas'
    regions = {
        path.stem: json.loads(path.read_text(encoding='utf-8'))
        for path in sorted((folder / 'providers').glob('*.json'))
        if not path.stem.startswith(_UNREACHABLE)
    }
    types: dict[str, Any] = {}
    for name in sorted(known):
        home = regions[_HOME].get(name)
        if home is None:
            continue
        schema = json.loads((folder / 'resources' / f'{home}.json').read_text(encoding='utf-8'))
        types[name] = _of_type(schema, known[name])
        absent = [region for region, offered in regions.items() if name not in offered]
        if absent:
            types[name]['absentIn'] = absent
    return {
        'source': SOURCE.format(version=installed_version()),
        'read': read_day(),
        'regions': list(regions),
        'types': types,
    }


def _of_type(schema: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    properties, definitions = schema['properties'], schema.get('definitions') or {}
    made: dict[str, Any] = {}
    for key, name in (
        ('createOnlyProperties', 'createOnly'),
        ('conditionalCreateOnlyProperties', 'conditionalCreateOnly'),
        ('readOnlyProperties', 'readOnly'),
        ('primaryIdentifier', 'identifier'),
    ):
        paths = [path.removeprefix('/properties/') for path in schema.get(key) or []]
        if paths:
            made[name] = sorted(paths) if key != 'primaryIdentifier' else paths
    if schema.get('required'):
        made['required'] = sorted(schema['required'])
    if 'update' not in (schema.get('handlers') or {'update': {}}):
        made['updatable'] = False
    made['properties'] = {
        name: _shape(one, definitions, ()) if name in known else {} for name, one in sorted(properties.items())
    }
    return made


def _shape(schema: Any, definitions: Mapping[str, Any], seen: tuple[str, ...]) -> dict[str, Any]:
    """What of a property's schema can be checked; anything in a place where it refers to itself."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get('$ref')
    if reference:
        name = str(reference).rsplit('/', 1)[-1]
        if name in seen or not str(reference).startswith('#/definitions/'):
            return {}
        return _shape(definitions.get(name), definitions, (*seen, name))
    made = {key: schema[key] for key in _KEPT if key in schema}
    if 'properties' in schema:
        made['properties'] = {
            name: _shape(one, definitions, seen) for name, one in sorted(schema['properties'].items())
        }
        if schema.get('additionalProperties') is False and 'patternProperties' not in schema:
            made['closed'] = True
    if 'items' in schema:
        made['items'] = _shape(schema['items'], definitions, seen)
    return made


def main() -> None:
    """Write the file, or with --check say whether it is as it would be written."""
    from sas_grid_localcloud import cloudformation, ssm
    from sas_grid_localcloud.cloudformation import registry

    cloudformation.install()
    ssm.install()
    text = json.dumps(compact(registry.KNOWN), separators=(',', ':'), sort_keys=True)
    # One line for each type: a change shows where it is.
    lines = text.replace('},"AWS::', '},\n"AWS::').replace('"types":{', '"types":{\n') + '\n'
    name = TARGET.relative_to(ROOT)
    if '--check' in sys.argv:
        if TARGET.read_text(encoding='utf-8') != lines:
            again = f'PYTHONPATH=proof/localcloud .venv/bin/python {Path(__file__).relative_to(ROOT)}'
            sys.exit(f'{name} is stale: {again}')
        return
    TARGET.write_text(lines, encoding='utf-8')
    print(f'{name}: {TARGET.stat().st_size // 1024} KiB')


if __name__ == '__main__':
    main()
