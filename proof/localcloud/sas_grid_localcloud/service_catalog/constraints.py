"""Constraints of a product in a portfolio: launch role, template rules, notifications, tag updates."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import sns

from ..json_service import page, without_none
from . import templates
from .portfolios import portfolio_of
from .state import CONSTRAINTS, LOCK, Record, Request, duplicate, invalid, new_id, not_found, of, text

MOST_TOPICS = 5
_ROLE = r'arn:aws[\w-]*:iam::\d{12}:role/[\w+=,.@/-]+'


def _launch(parameters: Mapping[str, Any]) -> None:
    arn, local = parameters.get('RoleArn'), parameters.get('LocalRoleName')
    if (arn is None) == (local is None) or set(parameters) - {'RoleArn', 'LocalRoleName'}:
        raise invalid('a LAUNCH constraint has one of RoleArn and LocalRoleName')
    if arn is not None and not re.fullmatch(_ROLE, str(arn)):
        raise invalid(f'{arn} is not the ARN of a role')


def _notification(parameters: Mapping[str, Any]) -> None:
    topics = parameters.get('NotificationArns')
    if not isinstance(topics, list) or not 1 <= len(topics) <= MOST_TOPICS:
        raise invalid(f'a NOTIFICATION constraint has NotificationArns, one to {MOST_TOPICS}')
    for one in topics:
        if one not in sns._topics:
            raise invalid(f'the topic {one} does not exist')


def _template(parameters: Mapping[str, Any]) -> None:
    templates.rules_of(json.dumps(parameters))


def _update(parameters: Mapping[str, Any]) -> None:
    wanted = (parameters.get('Properties') or {}).get('TagUpdateOnProvisionedProduct')
    if parameters.get('Version') != '2.0' or wanted not in ('ALLOWED', 'NOT_ALLOWED'):
        raise invalid('a RESOURCE_UPDATE constraint says whether TagUpdateOnProvisionedProduct is ALLOWED')


_CHECK: dict[str, Callable[[Mapping[str, Any]], None]] = {
    'LAUNCH': _launch,
    'NOTIFICATION': _notification,
    'TEMPLATE': _template,
    'RESOURCE_UPDATE': _update,
}
_ALONE = {'LAUNCH', 'RESOURCE_UPDATE'}
"""at most one for a product in a portfolio"""


def create(request: Request) -> Record:
    """CreateConstraint."""
    kind = str(request['Type'])
    if kind not in _CHECK:
        raise invalid(f'constraints of type {kind} are not implemented by the embedded AWS')
    try:
        parameters = json.loads(request['Parameters'])
    except ValueError as problem:
        raise invalid(f'Parameters of a constraint are JSON: {problem}') from problem
    with LOCK:
        portfolio, product = portfolio_of(request['PortfolioId']), str(request['ProductId'])
        if product not in portfolio['_products']:
            raise not_found(f'{product} is not in {portfolio["Id"]}')
        _CHECK[kind](parameters)
        others = [one['Type'] for one in found_for(portfolio['Id'], product)]
        if kind in _ALONE and kind in others:
            raise duplicate(f'{product} has a {kind} constraint in {portfolio["Id"]} already')
        identity = new_id('cons')
        CONSTRAINTS[identity] = {
            'ConstraintId': identity,
            'Type': kind,
            'Description': text('Description', request.get('Description'), 0, 2000),
            'Owner': get_account_id(),
            'ProductId': product,
            'PortfolioId': portfolio['Id'],
            '_parameters': parameters,
        }
        return _answer(CONSTRAINTS[identity])


def _answer(record: Record) -> Record:
    return {
        'ConstraintDetail': _shown(record),
        'ConstraintParameters': json.dumps(record['_parameters']),
        'Status': 'AVAILABLE',
    }


def _shown(record: Record) -> Record:
    return {key: value for key, value in record.items() if not key.startswith('_')}


def found_for(portfolio: str, product: str) -> list[Record]:
    """The constraints of a product in a portfolio. The lock is held."""
    return [one for one in CONSTRAINTS.values() if (one['PortfolioId'], one['ProductId']) == (portfolio, product)]


def describe(request: Request) -> Record:
    """DescribeConstraint."""
    with LOCK:
        return _answer(of(CONSTRAINTS, request['Id'], 'Constraint'))


def update(request: Request) -> Record:
    """UpdateConstraint."""
    with LOCK:
        record = of(CONSTRAINTS, request['Id'], 'Constraint')
        if 'Parameters' in request:
            parameters = json.loads(request['Parameters'])
            _CHECK[record['Type']](parameters)
            record['_parameters'] = parameters
        if 'Description' in request:
            record['Description'] = text('Description', request['Description'], 0, 2000)
        return _answer(record)


def delete(request: Request) -> Record:
    """DeleteConstraint."""
    with LOCK:
        CONSTRAINTS.pop(of(CONSTRAINTS, request['Id'], 'Constraint')['ConstraintId'])
    return {}


def list_of(request: Request) -> Record:
    """ListConstraintsForPortfolio."""
    with LOCK:
        portfolio = portfolio_of(request['PortfolioId'])['Id']
        only = request.get('ProductId')
        found = [
            _shown(one)
            for one in CONSTRAINTS.values()
            if one['PortfolioId'] == portfolio and only in (None, one['ProductId'])
        ]
        chosen, token = page(found, request, 'PageSize', 'PageToken', 20)
        return without_none({'ConstraintDetails': chosen, 'NextPageToken': token})
