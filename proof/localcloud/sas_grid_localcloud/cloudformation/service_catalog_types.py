"""Service Catalog resource types: portfolios, products, associations, constraints, tag options."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from .. import service_catalog
from ..query import Refused, flag
from ..service_catalog import products
from ..service_catalog.state import LOCK, PRODUCTS, Record
from .registry import Made, NotImplementedHere, Properties, ResourceType, register


def _gone(action: str, request: Mapping[str, Any]) -> None:
    """Delete something that may be gone already."""
    try:
        service_catalog.call(action, request)
    except Refused as refused:
        if refused.code != 'ResourceNotFoundException':
            raise


def _given(properties: Properties, *names: str) -> dict[str, Any]:
    return {name: properties[name] for name in names if name in properties}


def _retagging(old: Properties, new: Properties) -> dict[str, Any]:
    keep = {tag['Key'] for tag in new.get('Tags') or []}
    gone = [tag['Key'] for tag in old.get('Tags') or [] if tag['Key'] not in keep]
    return {'AddTags': _own_tags(new), 'RemoveTags': gone}


def _own_tags(properties: Properties) -> list[dict[str, str]]:
    """CloudFormation's own tags come with those of the stack; the service keeps the keys of AWS for itself."""
    return [tag for tag in properties.get('Tags') or [] if not str(tag['Key']).startswith('aws:')]


# --- AWS::ServiceCatalog::Portfolio

_PORTFOLIO = ('DisplayName', 'ProviderName', 'Description')


def _create_portfolio(logical_id: str, properties: Properties, stack: str) -> Made:
    request = {**_given(properties, *_PORTFOLIO), 'Tags': _own_tags(properties)}
    made = service_catalog.call('CreatePortfolio', request)['PortfolioDetail']
    return made['Id'], {'PortfolioName': made['DisplayName']}


def _update_portfolio(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    request = {'Id': identity, 'Description': '', **_given(new, *_PORTFOLIO), **_retagging(old, new)}
    made = service_catalog.call('UpdatePortfolio', request)['PortfolioDetail']
    return identity, {'PortfolioName': made['DisplayName']}


def _delete_portfolio(identity: str, properties: Properties) -> None:
    _gone('DeletePortfolio', {'Id': identity})


# --- AWS::ServiceCatalog::CloudFormationProduct

_PRODUCT = ('Name', 'Owner', 'Description', 'Distributor', 'SupportDescription', 'SupportEmail', 'SupportUrl')


def _create_product(logical_id: str, properties: Properties, stack: str) -> Made:
    versions = _versions(properties)
    request = {
        **_given(properties, *_PRODUCT),
        'ProductType': products.TYPE,
        'ProvisioningArtifactParameters': versions[0],
        'Tags': _own_tags(properties),
    }
    made = service_catalog.call('CreateProduct', request)
    identity = str(made['ProductViewDetail']['ProductViewSummary']['ProductId'])
    try:
        for one in versions[1:]:
            service_catalog.call('CreateProvisioningArtifact', {'ProductId': identity, 'Parameters': one})
    except Refused:
        PRODUCTS.pop(identity)
        raise
    return identity, _product_attributes(identity)


def _versions(properties: Properties) -> list[dict[str, Any]]:
    if str(properties.get('ProductType') or products.TYPE) != products.TYPE:
        raise NotImplementedHere(f'AWS::ServiceCatalog::CloudFormationProduct ProductType {properties["ProductType"]}')
    found = [dict(one) for one in properties.get('ProvisioningArtifactParameters') or []]
    if not found:
        raise Refused('InvalidParametersException', 'ProvisioningArtifactParameters has at least one version')
    return found


def _product_attributes(identity: str) -> dict[str, Any]:
    product = PRODUCTS[identity]
    return {
        'ProductName': product['Name'],
        'ProvisioningArtifactIds': ','.join(one['Id'] for one in product['_artifacts']),
        'ProvisioningArtifactNames': ','.join(one['Name'] for one in product['_artifacts']),
    }


def _update_product(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    """Versions are matched by name and address of the template: those that match keep their ids, unless
    ReplaceProvisioningArtifacts says otherwise (template reference, "AWS::ServiceCatalog::CloudFormationProduct")."""
    dropped = {name: '' for name in _PRODUCT if name in old and name not in new}
    service_catalog.call('UpdateProduct', {'Id': identity, **dropped, **_given(new, *_PRODUCT), **_retagging(old, new)})
    replace = flag(new.get('ReplaceProvisioningArtifacts'))
    with LOCK:
        product = PRODUCTS[identity]
        mine = {_key(one): one for one in old.get('ProvisioningArtifactParameters') or []}
        by_key: dict[tuple[str, str], Record] = {
            (one['Name'], one['_info']['TemplateUrl']): one for one in product['_artifacts']
        }
        kept: list[Record] = []
        for one in _versions(new):
            found = None if replace else by_key.get(_key(one))
            if found:
                found['Description'] = str(one.get('Description') or '')
            kept.append(found or products.artifact_from(one))
        # Versions that somebody made outside of the stack stay.
        others = [one for key, one in by_key.items() if key not in mine and one not in kept]
        product['_artifacts'] = [*kept, *others]
    return identity, _product_attributes(identity)


def _key(version: Mapping[str, Any]) -> tuple[str, str]:
    return str(version.get('Name') or ''), str(version['Info']['LoadTemplateFromURL'])


def _delete_product(identity: str, properties: Properties) -> None:
    _gone('DeleteProduct', {'Id': identity})


# --- Associations


def _association(name: str, implemented: str, actions: tuple[str, str], request: Callable[[Properties], Any]) -> None:
    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        asked = request(properties)
        service_catalog.call(actions[0], asked)
        return '|'.join(str(one) for one in asked.values()), {}

    def delete(physical_id: str, properties: Properties) -> None:
        _gone(actions[1], request(properties))

    register(ResourceType(name, create, delete, frozenset(implemented.split()), accepted=frozenset({'AcceptLanguage'})))


# --- Constraints


def _constraint(name: str, kind: str, own: str, parameters: Callable[[Properties], Any]) -> None:
    def create(logical_id: str, properties: Properties, stack: str) -> Made:
        request = _given(properties, 'PortfolioId', 'ProductId', 'Description')
        request.update(Type=kind, Parameters=_text(parameters(properties)))
        made = service_catalog.call('CreateConstraint', request)
        return str(made['ConstraintDetail']['ConstraintId']), {}

    def update(identity: str, old: Properties, new: Properties, stack: str) -> Made:
        request = {'Id': identity, 'Description': '', **_given(new, 'Description')}
        service_catalog.call('UpdateConstraint', {**request, 'Parameters': _text(parameters(new))})
        return identity, {}

    def delete(identity: str, properties: Properties) -> None:
        _gone('DeleteConstraint', {'Id': identity})

    implemented = frozenset(f'PortfolioId ProductId Description {own}'.split())
    accepted = frozenset({'AcceptLanguage'})
    register(ResourceType(name, create, delete, implemented, update, accepted=accepted))


def _text(parameters: Any) -> str:
    return parameters if isinstance(parameters, str) else json.dumps(parameters)


def _tag_update(properties: Properties) -> dict[str, Any]:
    wanted = {'TagUpdateOnProvisionedProduct': properties['TagUpdateOnProvisionedProduct']}
    return {'Version': '2.0', 'Properties': wanted}


# --- AWS::ServiceCatalog::TagOption


def _create_option(logical_id: str, properties: Properties, stack: str) -> Made:
    made = service_catalog.call('CreateTagOption', _given(properties, 'Key', 'Value'))['TagOptionDetail']
    if not flag(properties.get('Active'), default=True):
        service_catalog.call('UpdateTagOption', {'Id': made['Id'], 'Active': False})
    return made['Id'], {}


def _update_option(identity: str, old: Properties, new: Properties, stack: str) -> Made:
    active = flag(new.get('Active'), default=True)
    service_catalog.call('UpdateTagOption', {'Id': identity, 'Active': active})
    return identity, {}


def _delete_option(identity: str, properties: Properties) -> None:
    _gone('DeleteTagOption', {'Id': identity})


def install() -> None:
    """Register the types."""
    _install_resources()
    _install_associations()
    _install_constraints()


def _install_resources() -> None:
    language = frozenset({'AcceptLanguage'})
    register(
        ResourceType(
            'AWS::ServiceCatalog::Portfolio',
            _create_portfolio,
            _delete_portfolio,
            frozenset({*_PORTFOLIO, 'Tags'}),
            _update_portfolio,
            accepted=language,
        )
    )
    versions = {'ProductType', 'ProvisioningArtifactParameters', 'ReplaceProvisioningArtifacts'}
    register(
        ResourceType(
            'AWS::ServiceCatalog::CloudFormationProduct',
            _create_product,
            _delete_product,
            frozenset({*_PRODUCT, *versions, 'Tags'}),
            _update_product,
            accepted=language,
        )
    )
    register(
        ResourceType(
            'AWS::ServiceCatalog::TagOption',
            _create_option,
            _delete_option,
            frozenset({'Active', 'Key', 'Value'}),
            _update_option,
        )
    )


def _install_associations() -> None:
    _association(
        'AWS::ServiceCatalog::PortfolioProductAssociation',
        'PortfolioId ProductId',
        ('AssociateProductWithPortfolio', 'DisassociateProductFromPortfolio'),
        lambda given: {'ProductId': given['ProductId'], 'PortfolioId': given['PortfolioId']},
    )
    _association(
        'AWS::ServiceCatalog::PortfolioPrincipalAssociation',
        'PortfolioId PrincipalARN PrincipalType',
        ('AssociatePrincipalWithPortfolio', 'DisassociatePrincipalFromPortfolio'),
        lambda given: _given(given, 'PrincipalARN', 'PortfolioId', 'PrincipalType'),
    )
    _association(
        'AWS::ServiceCatalog::TagOptionAssociation',
        'ResourceId TagOptionId',
        ('AssociateTagOptionWithResource', 'DisassociateTagOptionFromResource'),
        lambda given: {'TagOptionId': given['TagOptionId'], 'ResourceId': given['ResourceId']},
    )


def _install_constraints() -> None:
    _constraint(
        'AWS::ServiceCatalog::LaunchRoleConstraint',
        'LAUNCH',
        'RoleArn LocalRoleName',
        lambda given: _given(given, 'RoleArn', 'LocalRoleName'),
    )
    _constraint('AWS::ServiceCatalog::LaunchTemplateConstraint', 'TEMPLATE', 'Rules', lambda given: given['Rules'])
    _constraint(
        'AWS::ServiceCatalog::LaunchNotificationConstraint',
        'NOTIFICATION',
        'NotificationArns',
        lambda given: _given(given, 'NotificationArns'),
    )
    _constraint(
        'AWS::ServiceCatalog::ResourceUpdateConstraint',
        'RESOURCE_UPDATE',
        'TagUpdateOnProvisionedProduct',
        _tag_update,
    )
