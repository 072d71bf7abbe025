"""AWS::SecretsManager::Secret: generated as GetRandomPassword does it, and known to templates by its ARN."""

import json
from collections.abc import Mapping
from typing import Any

from ministack.services import secretsmanager
from ministack.services.cloudformation import provisioners

from .. import secrets
from ..query import Refused, flag
from .registry import Made, Properties, audit

_NAME = 'AWS::SecretsManager::Secret'
_FLAGS = (
    'ExcludeLowercase',
    'ExcludeNumbers',
    'ExcludePunctuation',
    'ExcludeUppercase',
    'IncludeSpace',
    'RequireEachIncludedType',
)


def _value(properties: Mapping[str, Any]) -> str:
    wanted, given = properties.get('GenerateSecretString'), properties.get('SecretString')
    if wanted is None:
        return str(given or '')
    if given:
        raise Refused('InvalidRequestException', 'a secret has one of SecretString and GenerateSecretString')
    template, key = wanted.get('SecretStringTemplate'), wanted.get('GenerateStringKey')
    if (template is None) != (key is None):
        raise Refused('InvalidRequestException', 'SecretStringTemplate and GenerateStringKey need each other')
    request: dict[str, Any] = {name: flag(wanted[name]) for name in _FLAGS if name in wanted}
    request['PasswordLength'] = int(wanted.get('PasswordLength') or 32)
    request['ExcludeCharacters'] = str(wanted.get('ExcludeCharacters') or '')
    status, _, body = secretsmanager._get_random_password(request)
    answer = json.loads(body)
    if status >= 400:
        raise Refused('InvalidParameterException', str(answer.get('message') or answer.get('Message')))
    password = str(answer['RandomPassword'])
    return json.dumps({**json.loads(template), key: password}) if template is not None else password


def _name_of(physical_id: str) -> str:
    """ministack knows secrets by their names."""
    found = [name for name, one in secretsmanager._secrets.items() if one['ARN'] == physical_id]
    return found[0] if found else physical_id


def install() -> None:
    """Guard the type, and let Ref give the ARN."""
    provisioners._sm_secret_string = _value
    names = 'Description GenerateSecretString KmsKeyId Name ReplicaRegions SecretString Tags'
    audit(_NAME, frozenset(names.split()))
    handler = provisioners._RESOURCE_HANDLERS[_NAME]

    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        if properties.get('Name') in secretsmanager._secrets:
            message = f'a secret with the name {properties["Name"]} exists already'
            raise Refused('ResourceExistsException', message)
        _, attributes = handler['create'](logical_id, properties, stack)
        if 'SecretString' not in properties and 'GenerateSecretString' not in properties:
            secrets.empty(_name_of(str(attributes['Arn'])))
        return str(attributes['Arn']), attributes

    def update(physical_id: str, old: Properties, new: Properties, stack: str, logical_id: str) -> Made:
        _, attributes = handler['update'](_name_of(physical_id), old, new, stack, logical_id)
        return str(attributes['Arn']), attributes

    def delete(physical_id: str, properties: Properties) -> None:
        handler['delete'](_name_of(physical_id), properties)

    provisioners._RESOURCE_HANDLERS[_NAME] = dict(handler, create=create, update=update, delete=delete)
