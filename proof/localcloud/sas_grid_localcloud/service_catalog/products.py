"""Products and their provisioning artifacts (versions)."""

from collections.abc import Mapping
from typing import Any

from ..json_service import page, without_none
from . import templates
from .state import (
    LOCK,
    PORTFOLIOS,
    PRODUCTS,
    TAG_OPTIONS,
    Record,
    Request,
    catalog_arn,
    in_use,
    invalid,
    new_id,
    not_found,
    now,
    of,
    tags_of,
    text,
)

TYPE = 'CLOUD_FORMATION_TEMPLATE'
_TEXTS = ('Name', 'Owner', 'Distributor', 'SupportDescription', 'SupportEmail', 'SupportUrl')
_SEARCHED = {'FullTextSearch': ('Name', 'ShortDescription', 'Owner'), 'Owner': ('Owner',), 'ProductType': ('Type',)}


def product_of(request: Request, id_key: str = 'Id', name_key: str = 'Name') -> Record:
    """The product a request names by id or by name."""
    if request.get(id_key):
        return of(PRODUCTS, request[id_key], 'Product')
    if not request.get(name_key):
        raise invalid(f'{id_key} or {name_key} is required')
    found = [one for one in PRODUCTS.values() if one['Name'] == request[name_key]]
    if len(found) != 1:
        raise not_found(f'{len(found)} products have the name {request[name_key]}')
    return dict_of(found[0])


def dict_of(record: Any) -> Record:
    """Stores of ministack are untyped: say once that records are dictionaries (the same object comes back)."""
    assert isinstance(record, dict)
    return record


def artifact_of(product: Record, identity: Any, name: Any = None) -> Record:
    """The version of a product, by id or name."""
    for one in product['_artifacts']:
        if one['Id'] == identity or (not identity and one['Name'] == name):
            return dict_of(one)
    raise not_found(f'ProvisioningArtifact {identity or name} of {product["Id"]} not found.')


def is_offered(product: Record) -> bool:
    """Whether any portfolio that somebody has access to offers the product."""
    return any(product['Id'] in one['_products'] and one['_principals'] for one in PORTFOLIOS.values())


def summary(product: Record) -> Record:
    """ProductViewSummary."""
    texts = {key: product[key] for key in (*_TEXTS, 'ShortDescription') if product.get(key)}
    view = {'Id': product['_view'], 'ProductId': product['Id'], 'Type': TYPE, 'HasDefaultPath': False}
    return {**view, **texts}


def _detail(product: Record) -> Record:
    return {
        'ProductViewSummary': summary(product),
        'Status': 'AVAILABLE',
        'ProductARN': product['ARN'],
        'CreatedTime': product['CreatedTime'],
    }


def create(request: Request) -> Record:
    """CreateProduct."""
    if request['ProductType'] != TYPE:
        raise invalid(f'ProductType {request["ProductType"]} is not implemented by the embedded AWS; {TYPE} is')
    first = artifact_from(request['ProvisioningArtifactParameters'])
    with LOCK:
        identity = new_id('prod')
        product: Record = {
            'Id': identity,
            'ARN': catalog_arn(f'product/{identity}'),
            'CreatedTime': now(),
            'ShortDescription': text('Description', request.get('Description'), 0, 8191),
            '_view': new_id('prodview'),
            '_tags': tags_of(request.get('Tags')),
            '_options': [],
            '_artifacts': [first],
        }
        _describe_with(product, {**dict.fromkeys(_TEXTS), **request})
        PRODUCTS[identity] = product
        return {
            'ProductViewDetail': _detail(product),
            'ProvisioningArtifactDetail': artifact_shown(first),
            'Tags': product['_tags'],
        }


def _describe_with(product: Record, request: Request) -> None:
    for name in _TEXTS:
        if name in request:
            product[name] = text(name, request[name], 1 if name in ('Name', 'Owner') else 0, 8191)
    if 'Description' in request:
        product['ShortDescription'] = text('Description', request['Description'], 0, 8191)


def update(request: Request) -> Record:
    """UpdateProduct."""
    with LOCK:
        product = of(PRODUCTS, request['Id'], 'Product')
        _describe_with(product, request)
        gone = set(request.get('RemoveTags') or [])
        kept = {tag['Key']: tag for tag in product['_tags'] if tag['Key'] not in gone}
        kept.update({tag['Key']: tag for tag in tags_of(request.get('AddTags'))})
        product['_tags'] = list(kept.values())
        return {'ProductViewDetail': _detail(product), 'Tags': product['_tags']}


def delete(request: Request) -> Record:
    """DeleteProduct: no portfolio may offer it."""
    with LOCK:
        product = of(PRODUCTS, request['Id'], 'Product')
        holders = [one['Id'] for one in PORTFOLIOS.values() if product['Id'] in one['_products']]
        if holders or product['_options']:
            raise in_use(f'{product["Id"]} is associated with {", ".join([*holders, *product["_options"]])}')
        PRODUCTS.pop(product['Id'])
    return {}


def search(request: Request) -> Record:
    """SearchProducts: what somebody can launch. A product in no portfolio, or in one without users, is not found."""
    with LOCK:
        found = [one for one in PRODUCTS.values() if is_offered(one) and _matches(one, request)]
        chosen, token = page(_sorted(found, request), request, 'PageSize', 'PageToken', 20)
        return without_none({'ProductViewSummaries': [summary(one) for one in chosen], 'NextPageToken': token})


def search_as_admin(request: Request) -> Record:
    """SearchProductsAsAdmin: all, or those of a portfolio."""
    with LOCK:
        only = request.get('PortfolioId')
        inside = of(PORTFOLIOS, only, 'Portfolio')['_products'] if only else None
        found = [one for one in PRODUCTS.values() if (inside is None or one['Id'] in inside) and _matches(one, request)]
        chosen, token = page(_sorted(found, request), request, 'PageSize', 'PageToken', 20)
        return without_none({'ProductViewDetails': [_detail(one) for one in chosen], 'NextPageToken': token})


def _matches(product: Record, request: Request) -> bool:
    for key, wanted in (request.get('Filters') or {}).items():
        if key not in _SEARCHED:
            raise invalid(f'the filter {key} is not implemented by the embedded AWS')
        have = ' '.join(str(product.get(name, TYPE if name == 'Type' else '')) for name in _SEARCHED[key]).lower()
        if not any(str(one).lower() in have for one in wanted):
            return False
    return True


def _sorted(found: list[Record], request: Request) -> list[Record]:
    by = {'Title': 'Name', 'CreationDate': 'CreatedTime'}.get(str(request.get('SortBy') or 'Title'), 'Name')
    return sorted(found, key=lambda one: one[by], reverse=request.get('SortOrder') == 'DESCENDING')


def describe_as_admin(request: Request) -> Record:
    """DescribeProductAsAdmin."""
    with LOCK:
        product = product_of(request)
        return {
            'ProductViewDetail': _detail(product),
            'ProvisioningArtifactSummaries': [_brief(one) for one in product['_artifacts']],
            'Tags': product['_tags'],
            'TagOptions': [TAG_OPTIONS[one] for one in product['_options']],
            'Budgets': [],
        }


def _brief(artifact: Record) -> Record:
    names = ('Id', 'Name', 'Description', 'CreatedTime')
    return {**{key: artifact[key] for key in names}, 'ProvisioningArtifactMetadata': dict(artifact['_info'])}


def offered_versions(product: Record) -> list[Record]:
    """What end users see of the versions: only active ones."""
    names = ('Id', 'Name', 'Description', 'CreatedTime', 'Guidance')
    return [{key: one[key] for key in names} for one in product['_artifacts'] if one['Active']]


# --- Provisioning artifacts


def artifact_from(asked: Mapping[str, Any]) -> Record:
    """A version from its parameters: its template is read now and kept, as on AWS."""
    if str(asked.get('Type') or TYPE) != TYPE:
        raise invalid(f'the Type of a provisioning artifact is {TYPE}')
    info = dict(asked['Info'])
    url = info.get('LoadTemplateFromURL')
    if not url or set(info) != {'LoadTemplateFromURL'}:
        raise invalid('Info of a provisioning artifact is LoadTemplateFromURL')
    body = templates.fetch(str(url))
    templates.parse(body)
    return {
        'Id': new_id('pa'),
        'Name': text('Name', asked.get('Name'), 0, 8192),
        'Description': text('Description', asked.get('Description'), 0, 8192),
        'Type': TYPE,
        'CreatedTime': now(),
        'Active': True,
        'Guidance': 'DEFAULT',
        '_info': {'TemplateUrl': str(url)},
        '_body': body,
    }


def artifact_shown(artifact: Record) -> Record:
    """ProvisioningArtifactDetail."""
    return {key: value for key, value in artifact.items() if not key.startswith('_')}


def create_artifact(request: Request) -> Record:
    """CreateProvisioningArtifact."""
    made = artifact_from(request['Parameters'])
    with LOCK:
        of(PRODUCTS, request['ProductId'], 'Product')['_artifacts'].append(made)
        return {'ProvisioningArtifactDetail': artifact_shown(made), 'Info': made['_info'], 'Status': 'AVAILABLE'}


def describe_artifact(request: Request) -> Record:
    """DescribeProvisioningArtifact."""
    with LOCK:
        product = product_of(request, 'ProductId', 'ProductName')
        found = artifact_of(product, request.get('ProvisioningArtifactId'), request.get('ProvisioningArtifactName'))
        answer = {'ProvisioningArtifactDetail': artifact_shown(found), 'Info': found['_info'], 'Status': 'AVAILABLE'}
        if request.get('IncludeProvisioningArtifactParameters'):
            answer['ProvisioningArtifactParameters'] = templates.parameters(templates.parse(found['_body']))
        return answer


def list_artifacts(request: Request) -> Record:
    """ListProvisioningArtifacts."""
    with LOCK:
        product = of(PRODUCTS, request['ProductId'], 'Product')
        return {'ProvisioningArtifactDetails': [artifact_shown(one) for one in product['_artifacts']]}


def update_artifact(request: Request) -> Record:
    """UpdateProvisioningArtifact."""
    with LOCK:
        product = of(PRODUCTS, request['ProductId'], 'Product')
        artifact = artifact_of(product, request['ProvisioningArtifactId'])
        for name in ('Name', 'Description', 'Active', 'Guidance'):
            if name in request:
                artifact[name] = request[name]
        return {
            'ProvisioningArtifactDetail': artifact_shown(artifact),
            'Info': artifact['_info'],
            'Status': 'AVAILABLE',
        }


def delete_artifact(request: Request) -> Record:
    """DeleteProvisioningArtifact: a product keeps one at least."""
    with LOCK:
        product = of(PRODUCTS, request['ProductId'], 'Product')
        artifact = artifact_of(product, request['ProvisioningArtifactId'])
        if len(product['_artifacts']) == 1:
            raise in_use(f'{artifact["Id"]} is the only version of {product["Id"]}')
        product['_artifacts'].remove(artifact)
    return {}
