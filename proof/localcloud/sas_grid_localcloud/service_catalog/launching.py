"""How a product is launched: paths through portfolios, with their constraints, tags and tag options."""

import json
from dataclasses import dataclass
from typing import Any

from ministack.core.responses import get_account_id

from . import templates
from .constraints import found_for
from .products import artifact_of, offered_versions, product_of, summary
from .state import LOCK, PORTFOLIOS, TAG_OPTIONS, Record, Request, Tags, invalid, not_found


@dataclass(frozen=True)
class Path:
    """One way to launch a product: the portfolio it is offered in."""

    identity: str
    name: str
    portfolio: Record
    constraints: list[Record]

    @property
    def role(self) -> str | None:
        """The role that CloudFormation gets, if a constraint names one."""
        for one in self.constraints:
            if one['Type'] == 'LAUNCH':
                given = one['_parameters']
                return str(given.get('RoleArn') or f'arn:aws:iam::{get_account_id()}:role/{given["LocalRoleName"]}')
        return None

    @property
    def topics(self) -> list[str]:
        """Topics that are told what happens to the stack."""
        found = [one['_parameters'] for one in self.constraints if one['Type'] == 'NOTIFICATION']
        return [topic for one in found for topic in one['NotificationArns']]

    @property
    def rules(self) -> list[str]:
        """Template constraints, as text."""
        return [json.dumps(one['_parameters']) for one in self.constraints if one['Type'] == 'TEMPLATE']

    @property
    def tags_fixed(self) -> bool:
        """Whether updates may not change tags."""
        found = [one['_parameters']['Properties'] for one in self.constraints if one['Type'] == 'RESOURCE_UPDATE']
        return not found or found[0]['TagUpdateOnProvisionedProduct'] != 'ALLOWED'


def paths_of(product: Record) -> list[Path]:
    """The paths of a product: portfolios that offer it to somebody. The lock is held."""
    found = [one for one in PORTFOLIOS.values() if product['Id'] in one['_products'] and one['_principals']]
    return [
        Path(f'lpv3-{one["Id"].removeprefix("port-")}', one['DisplayName'], one, found_for(one['Id'], product['Id']))
        for one in found
    ]


def path_for(product: Record, request: Request) -> Path:
    """The path a request names; it need not when there is only one. The lock is held."""
    paths, wanted, name = paths_of(product), request.get('PathId'), request.get('PathName')
    if not paths:
        raise not_found(f'No launch paths found for resource: {product["Id"]}')
    chosen = [one for one in paths if wanted in (None, one.identity) and name in (None, one.name)]
    if not chosen:
        raise not_found(f'Launch path {wanted or name} not found.')
    if len(chosen) > 1:
        raise invalid(f'{product["Id"]} has {len(chosen)} launch paths: PathId is required')
    return chosen[0]


def offered(request: Request, id_key: str, name_key: str) -> Record:
    """The product an end user names: one that is offered."""
    product = product_of(request, id_key, name_key)
    if not paths_of(product):
        raise not_found(f'Product {product["Id"]} not found.')
    return product


def describe_product(request: Request) -> Record:
    """DescribeProduct."""
    with LOCK:
        product = offered(request, 'Id', 'Name')
        return {
            'ProductViewSummary': summary(product),
            'ProvisioningArtifacts': offered_versions(product),
            'Budgets': [],
            'LaunchPaths': [{'Id': one.identity, 'Name': one.name} for one in paths_of(product)],
        }


def list_paths(request: Request) -> Record:
    """ListLaunchPaths."""
    with LOCK:
        product = offered(request, 'ProductId', 'ProductName')
        return {
            'LaunchPathSummaries': [
                {
                    'Id': one.identity,
                    'Name': one.name,
                    'ConstraintSummaries': _brief(one),
                    'Tags': [*one.portfolio['_tags'], *product['_tags']],
                }
                for one in paths_of(product)
            ]
        }


def _brief(path: Path) -> list[Record]:
    return [{'Type': one['Type'], 'Description': one['Description']} for one in path.constraints]


def describe_parameters(request: Request) -> Record:
    """DescribeProvisioningParameters."""
    with LOCK:
        product = offered(request, 'ProductId', 'ProductName')
        path = path_for(product, request)
        wanted, name = request.get('ProvisioningArtifactId'), request.get('ProvisioningArtifactName')
        template = templates.parse(artifact_of(product, wanted, name)['_body'])
        usage = [{'Type': 'rules', 'Value': one} for one in path.rules]
        if path.role:
            usage.append({'Type': 'launchAsRole', 'Value': path.role})
        return {
            'ProvisioningArtifactParameters': templates.parameters(template),
            'ConstraintSummaries': _brief(path),
            'UsageInstructions': usage,
            'TagOptions': [{'Key': key, 'Values': values} for key, values in _options(path, product).items()],
            'ProvisioningArtifactOutputs': templates.outputs(template),
            'ProvisioningArtifactOutputKeys': templates.outputs(template),
        }


def _options(path: Path, product: Record) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in [*path.portfolio['_options'], *product['_options']]:
        option = TAG_OPTIONS[one]
        if option['Active'] and option['Value'] not in found.get(option['Key'], []):
            found.setdefault(option['Key'], []).append(option['Value'])
    return found


def launch_tags(path: Path, product: Record, asked: Tags) -> Tags:
    """The tags of a launch. Where a key has tag options, one of its values is taken: the only one without asking.

    Service Catalog administrator guide, "TagOption Library".
    """
    tags = {tag['Key']: tag['Value'] for tag in [*path.portfolio['_tags'], *product['_tags'], *asked]}
    for key, values in _options(path, product).items():
        if key not in tags and len(values) == 1:
            tags[key] = values[0]
        if tags.get(key) not in values:
            raise invalid(f'the tag {key} is {tags.get(key)}; its TagOptions are {", ".join(values)}')
    return [{'Key': key, 'Value': value} for key, value in tags.items()]


def body_of(artifact: Record, path: Path) -> str:
    """The template that is launched: with the rules of the path's constraints."""
    return templates.with_rules(artifact['_body'], path.rules)


def parameters_of(asked: Any) -> list[Record]:
    """Parameters as CloudFormation takes them."""
    return [
        {'ParameterKey': one['Key'], 'UsePreviousValue': 'true'}
        if one.get('UsePreviousValue')
        else {'ParameterKey': one['Key'], 'ParameterValue': one.get('Value', '')}
        for one in asked or []
    ]
