"""Templates of products: read from S3 once, shown as parameters, joined with the rules of constraints."""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlparse

from ministack.services import s3
from ministack.services.cloudformation import engine

from .state import Record, invalid

_CONSTRAINTS = ('AllowedPattern', 'ConstraintDescription', 'MaxLength', 'MinLength', 'MaxValue', 'MinValue')


def fetch(url: str) -> str:
    """What lies at the address, which must be one of S3, as virtual-hosted or path style."""
    address = urlparse(url)
    host, path = address.netloc.split(':')[0], address.path.lstrip('/')
    if address.scheme not in ('http', 'https') or not host:
        raise invalid(f'{url} is not the address of a template in S3')
    virtual = '.s3.' in host or '.s3-' in host
    bucket, key = (host.split('.s3')[0], path) if virtual else (path.partition('/')[0], path.partition('/')[2])
    found = s3._get_object_data(bucket, key)
    if found is None:
        raise invalid(f'{url} does not exist, or Service Catalog may not read it')
    return bytes(found).decode('utf-8')


def parse(body: str) -> Record:
    """The template, which must have resources."""
    try:
        template = engine._parse_template(body)
    except Exception as problem:
        raise invalid(f'Invalid templateBody: {problem}') from problem
    if not isinstance(template, dict) or not template.get('Resources'):
        raise invalid('Invalid templateBody: at least one Resources member must be defined.')
    return template


def parameters(template: Mapping[str, Any]) -> list[Record]:
    """Parameters as DescribeProvisioningParameters shows them."""
    return [_parameter(key, defined) for key, defined in (template.get('Parameters') or {}).items()]


def _parameter(key: str, defined: Mapping[str, Any]) -> Record:
    limits: Record = {name: str(defined[name]) for name in _CONSTRAINTS if name in defined}
    limits['AllowedValues'] = [str(one) for one in defined.get('AllowedValues') or []]
    found = {
        'ParameterKey': key,
        'ParameterType': str(defined.get('Type', 'String')),
        'IsNoEcho': str(defined.get('NoEcho', False)).lower() == 'true',
        'ParameterConstraints': limits,
    }
    if 'Default' in defined:
        found['DefaultValue'] = str(defined['Default'])
    if 'Description' in defined:
        found['Description'] = str(defined['Description'])
    return found


def outputs(template: Mapping[str, Any]) -> list[Record]:
    """Outputs as DescribeProvisioningParameters shows them."""
    return [
        {'Key': key, **({'Description': str(one['Description'])} if 'Description' in one else {})}
        for key, one in (template.get('Outputs') or {}).items()
    ]


def rules_of(written: str) -> Record:
    """The rules of a template constraint. The API's form has a member Rules, that of CDK has not."""
    try:
        found = json.loads(written)
    except ValueError as problem:
        raise invalid(f'the rules of a template constraint are JSON: {problem}') from problem
    rules = found.get('Rules', found) if isinstance(found, dict) else None
    if not isinstance(rules, dict) or not rules:
        raise invalid('a template constraint has at least one rule')
    for name, rule in rules.items():
        if not isinstance(rule, dict) or not rule.get('Assertions'):
            raise invalid(f'the rule {name} has no Assertions')
    return rules


def with_rules(body: str, constraints: Iterable[str]) -> str:
    """The template with the rules of all template constraints, unchanged when there are none.

    Service Catalog administrator guide, "Template Constraint Rules": rules of several constraints all hold.
    """
    added = [one for written in constraints for one in rules_of(written).items()]
    if not added:
        return body
    template = parse(body)
    rules: Record = dict(template.get('Rules') or {})
    for name, rule in added:
        while name in rules:
            name += 'Again'
        rules[name] = rule
    return json.dumps({**template, 'Rules': rules}, default=str)
