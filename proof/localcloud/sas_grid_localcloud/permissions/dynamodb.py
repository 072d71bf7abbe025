"""What calls of DynamoDB have to be allowed: the table, the partition key's values, and the table's key.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html, both read 2026-11-22
"""

from collections.abc import Iterable
from typing import Any

from ministack.services import dynamodb

from ..scope import arn
from .check import Check, key_use

_PARTS = {
    'Get': 'GetItem',
    'Put': 'PutItem',
    'Update': 'UpdateItem',
    'Delete': 'DeleteItem',
    'ConditionCheck': 'ConditionCheckItem',
}
"""A transaction is no action: each part of it is one."""


def single(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """A call about one table."""
    yield from _checks(api, request, {})


def transaction(api: str, request: dict[str, Any]) -> Iterable[Check]:
    """Each of the parts; a policy may demand that it is part of a transaction."""
    for item in request.get('TransactItems') or []:
        for part, about in item.items():
            yield from _checks(_PARTS[part], about, {'dynamodb:EnclosingOperation': api})


def _checks(api: str, about: dict[str, Any], keys: dict[str, Any]) -> Iterable[Check]:
    name = str(about['TableName']).rsplit('/', 1)[-1]
    table = dynamodb._tables.get(name) or {}
    resource = arn('dynamodb', f'table/{name}')
    if about.get('IndexName'):
        resource += f'/index/{about["IndexName"]}'
    leading = _leading_keys(about, str(table.get('pk_name')))
    if leading:
        keys = {**keys, 'dynamodb:LeadingKeys': leading}
    yield Check(f'dynamodb:{api}', resource, keys)
    yield from key_use('Decrypt', (table.get('SSEDescription') or {}).get('KMSMasterKeyArn'), 'dynamodb')


def _leading_keys(about: dict[str, Any], name: str) -> list[str]:
    """The values of the partition key that a call names; of a Query the one that its condition compares with."""
    item = about.get('Key') or about.get('Item') or {}
    if name in item:
        return [str(next(iter(item[name].values())))]
    names = about.get('ExpressionAttributeNames') or {}
    values = about.get('ExpressionAttributeValues') or {}
    words = str(about.get('KeyConditionExpression', '')).replace('=', ' = ').split()
    for left, sign, right in zip(words, words[1:], words[2:], strict=False):
        if sign == '=' and names.get(left, left) == name and right in values:
            return [str(next(iter(values[right].values())))]
    return []
