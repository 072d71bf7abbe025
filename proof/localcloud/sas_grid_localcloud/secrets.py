"""Secrets Manager: a secret without a value has no version, and a version is never changed.

Model of CreateSecret and PutSecretValue, ``ClientRequestToken``; AWS::SecretsManager::Secret, "you create an empty
secret". ministack gives every secret a version, and writes over one that has the token.
"""

import json
from typing import Any

from ministack.core.responses import error_response_json, json_response
from ministack.services import secretsmanager

from .query import Answer

_VALUES = ('SecretString', 'SecretBinary')


def install() -> None:
    """Put both in front of ministack's functions."""
    own_create, own_put = secretsmanager._create_secret, secretsmanager._put_secret_value

    def create(data: dict[str, Any]) -> Answer:
        answer: Answer = own_create(data)
        if answer[0] >= 400 or any(data.get(name) is not None for name in _VALUES):
            return answer
        told = json.loads(answer[2])
        empty(told['Name'])
        made: Answer = json_response({key: value for key, value in told.items() if key != 'VersionId'})
        return made

    def put(data: dict[str, Any]) -> Answer:
        secret = secretsmanager._resolve(str(data.get('SecretId')))[1] or {}
        token = data.get('ClientRequestToken')
        known = (secret.get('Versions') or {}).get(token)
        answer: Answer
        if known is None:
            answer = own_put(data)
        elif all(known.get(name) == data.get(name) for name in _VALUES):
            told = {'ARN': secret['ARN'], 'Name': secret['Name'], 'VersionId': token}
            answer = json_response({**told, 'VersionStages': list(known['Stages'])})
        else:
            message = "You can't use ClientRequestToken because that value is already in use for another version."
            answer = error_response_json('ResourceExistsException', message, 400)
        return answer

    secretsmanager._create_secret, secretsmanager._put_secret_value = create, put


def empty(name: str) -> None:
    """The secret has no value."""
    secretsmanager._secrets[name]['Versions'].clear()
