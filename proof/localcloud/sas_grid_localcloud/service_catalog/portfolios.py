"""Portfolios, who may use them, which products they offer, and tag options."""

import re
from typing import Any

from ministack.core.responses import get_account_id

from ..json_service import page, without_none
from .state import (
    CONSTRAINTS,
    LOCK,
    PORTFOLIOS,
    PRODUCTS,
    TAG_OPTIONS,
    Record,
    Request,
    catalog_arn,
    duplicate,
    in_use,
    invalid,
    new_id,
    not_found,
    now,
    of,
    tags_of,
    text,
)

MOST_OPTIONS = 25
"""tag options of one portfolio or product"""
_PRINCIPAL = r'arn:aws[\w-]*:iam::(\d{12})?:(user|role|group)/[\w+=,.@/*?-]+'


def portfolio_of(identity: Any) -> Record:
    """The portfolio, or the refusal."""
    return of(PORTFOLIOS, identity, 'Portfolio')


def _shown(record: Record) -> Record:
    return without_none({key: value for key, value in record.items() if not key.startswith('_')})


def create(request: Request) -> Record:
    """CreatePortfolio."""
    with LOCK:
        identity = new_id('port')
        record = {
            'Id': identity,
            'ARN': catalog_arn(f'portfolio/{identity}'),
            'DisplayName': text('DisplayName', request['DisplayName'], 1, 100),
            'Description': text('Description', request.get('Description'), 0, 2000),
            'ProviderName': text('ProviderName', request['ProviderName'], 1, 50),
            'CreatedTime': now(),
            '_tags': tags_of(request.get('Tags')),
            '_products': [],
            '_principals': [],
            '_options': [],
        }
        PORTFOLIOS[identity] = record
        return {'PortfolioDetail': _shown(record), 'Tags': record['_tags']}


def describe(request: Request) -> Record:
    """DescribePortfolio."""
    with LOCK:
        record = portfolio_of(request['Id'])
        return {
            'PortfolioDetail': _shown(record),
            'Tags': record['_tags'],
            'TagOptions': [TAG_OPTIONS[one] for one in record['_options']],
            'Budgets': [],
        }


def update(request: Request) -> Record:
    """UpdatePortfolio."""
    with LOCK:
        record = portfolio_of(request['Id'])
        for name, most in (('DisplayName', 100), ('ProviderName', 50), ('Description', 2000)):
            if name in request:
                record[name] = text(name, request[name], 0 if name == 'Description' else 1, most)
        gone = set(request.get('RemoveTags') or [])
        kept = {tag['Key']: tag for tag in record['_tags'] if tag['Key'] not in gone}
        kept.update({tag['Key']: tag for tag in tags_of(request.get('AddTags'))})
        record['_tags'] = list(kept.values())
        return {'PortfolioDetail': _shown(record), 'Tags': record['_tags']}


def delete(request: Request) -> Record:
    """DeletePortfolio: it must be empty."""
    with LOCK:
        record = portfolio_of(request['Id'])
        for what in ('_products', '_principals', '_options'):
            if record[what]:
                raise in_use(f'Portfolio {record["Id"]} still has {what[1:]}: {", ".join(map(str, record[what]))}')
        if any(one['PortfolioId'] == record['Id'] for one in CONSTRAINTS.values()):
            raise in_use(f'Portfolio {record["Id"]} still has constraints')
        PORTFOLIOS.pop(record['Id'])
    return {}


def list_all(request: Request) -> Record:
    """ListPortfolios."""
    with LOCK:
        chosen, token = page(list(PORTFOLIOS.values()), request, 'PageSize', 'PageToken', 20)
        return without_none({'PortfolioDetails': [_shown(one) for one in chosen], 'NextPageToken': token})


def associate_product(request: Request) -> Record:
    """AssociateProductWithPortfolio."""
    with LOCK:
        portfolio = portfolio_of(request['PortfolioId'])
        product = str(of(PRODUCTS, request['ProductId'], 'Product')['Id'])
        if product not in portfolio['_products']:
            portfolio['_products'].append(product)
    return {}


def disassociate_product(request: Request) -> Record:
    """DisassociateProductFromPortfolio: constraints go first."""
    with LOCK:
        portfolio = portfolio_of(request['PortfolioId'])
        product = str(request['ProductId'])
        if product not in portfolio['_products']:
            raise not_found(f'{product} is not in {portfolio["Id"]}')
        for one in CONSTRAINTS.values():
            if (one['PortfolioId'], one['ProductId']) == (portfolio['Id'], product):
                raise in_use(f'{product} has the constraint {one["ConstraintId"]} in {portfolio["Id"]}')
        portfolio['_products'].remove(product)
    return {}


def portfolios_for(request: Request) -> Record:
    """ListPortfoliosForProduct."""
    with LOCK:
        product = of(PRODUCTS, request['ProductId'], 'Product')['Id']
        found = [one for one in PORTFOLIOS.values() if product in one['_products']]
        chosen, token = page(found, request, 'PageSize', 'PageToken', 20)
        return without_none({'PortfolioDetails': [_shown(one) for one in chosen], 'NextPageToken': token})


def associate_principal(request: Request) -> Record:
    """AssociatePrincipalWithPortfolio."""
    with LOCK:
        portfolio = portfolio_of(request['PortfolioId'])
        principal, kind = str(request['PrincipalARN']), str(request['PrincipalType'])
        if kind not in ('IAM', 'IAM_PATTERN') or not re.fullmatch(_PRINCIPAL, principal):
            raise invalid(f'{principal} is not the ARN of a user, role or group, or {kind} is not IAM or IAM_PATTERN')
        if kind == 'IAM' and (re.search(r'[*?]', principal) or '::' + get_account_id() not in principal):
            raise invalid(f'{principal} needs the PrincipalType IAM_PATTERN')
        wanted = {'PrincipalARN': principal, 'PrincipalType': kind}
        if wanted not in portfolio['_principals']:
            portfolio['_principals'].append(wanted)
    return {}


def disassociate_principal(request: Request) -> Record:
    """DisassociatePrincipalFromPortfolio."""
    with LOCK:
        portfolio = portfolio_of(request['PortfolioId'])
        principal = str(request['PrincipalARN'])
        if principal not in [one['PrincipalARN'] for one in portfolio['_principals']]:
            raise not_found(f'{principal} has no access to {portfolio["Id"]}')
        portfolio['_principals'] = [one for one in portfolio['_principals'] if one['PrincipalARN'] != principal]
    return {}


def principals_of(request: Request) -> Record:
    """ListPrincipalsForPortfolio."""
    with LOCK:
        found = portfolio_of(request['PortfolioId'])['_principals']
        chosen, token = page(found, request, 'PageSize', 'PageToken', 20)
        return without_none({'Principals': chosen, 'NextPageToken': token})


# --- Tag options


def create_option(request: Request) -> Record:
    """CreateTagOption."""
    with LOCK:
        key, value = text('Key', request['Key'], 1, 128), text('Value', request['Value'], 1, 256)
        if any((one['Key'], one['Value']) == (key, value) for one in TAG_OPTIONS.values()):
            raise duplicate(f'the TagOption {key}={value} exists already')
        identity = new_id('tag')
        TAG_OPTIONS[identity] = {
            'Id': identity,
            'Key': key,
            'Value': value,
            'Active': True,
            'Owner': get_account_id(),
        }
        return {'TagOptionDetail': TAG_OPTIONS[identity]}


def describe_option(request: Request) -> Record:
    """DescribeTagOption."""
    with LOCK:
        return {'TagOptionDetail': of(TAG_OPTIONS, request['Id'], 'TagOption')}


def update_option(request: Request) -> Record:
    """UpdateTagOption."""
    with LOCK:
        record = of(TAG_OPTIONS, request['Id'], 'TagOption')
        if 'Value' in request:
            record['Value'] = text('Value', request['Value'], 1, 256)
        if 'Active' in request:
            record['Active'] = bool(request['Active'])
        return {'TagOptionDetail': record}


def delete_option(request: Request) -> Record:
    """DeleteTagOption."""
    with LOCK:
        identity = of(TAG_OPTIONS, request['Id'], 'TagOption')['Id']
        for one in [*PORTFOLIOS.values(), *PRODUCTS.values()]:
            if identity in one['_options']:
                raise in_use(f'TagOption {identity} is associated with {one["Id"]}')
        TAG_OPTIONS.pop(identity)
    return {}


def _resource(identity: Any) -> Record:
    found = PORTFOLIOS.get(str(identity)) or PRODUCTS.get(str(identity))
    if found is None:
        raise not_found(f'{identity} is neither a portfolio nor a product')
    assert isinstance(found, dict)
    return found


def associate_option(request: Request) -> Record:
    """AssociateTagOptionWithResource."""
    with LOCK:
        resource = _resource(request['ResourceId'])
        option = of(TAG_OPTIONS, request['TagOptionId'], 'TagOption')
        if option['Id'] in resource['_options']:
            raise duplicate(f'{option["Id"]} is associated with {resource["Id"]} already')
        if len(resource['_options']) >= MOST_OPTIONS:
            raise invalid(f'{resource["Id"]} has {MOST_OPTIONS} tag options, which is the limit')
        resource['_options'].append(option['Id'])
    return {}


def disassociate_option(request: Request) -> Record:
    """DisassociateTagOptionFromResource."""
    with LOCK:
        resource = _resource(request['ResourceId'])
        if request['TagOptionId'] not in resource['_options']:
            raise not_found(f'{request["TagOptionId"]} is not associated with {resource["Id"]}')
        resource['_options'].remove(request['TagOptionId'])
    return {}
