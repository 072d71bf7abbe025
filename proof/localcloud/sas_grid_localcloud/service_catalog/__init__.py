"""Service Catalog: portfolios of products, launched as stacks of the embedded CloudFormation."""

from collections.abc import Mapping
from typing import Any

from ..json_service import Handle, JsonService
from . import constraints, launching, portfolios, products, provisioned, stacks, views
from .state import once

ACTIONS: dict[str, Handle] = {
    'CreatePortfolio': once('IdempotencyToken', portfolios.create),
    'DescribePortfolio': portfolios.describe,
    'UpdatePortfolio': portfolios.update,
    'DeletePortfolio': portfolios.delete,
    'ListPortfolios': portfolios.list_all,
    'ListPortfoliosForProduct': portfolios.portfolios_for,
    'AssociateProductWithPortfolio': portfolios.associate_product,
    'DisassociateProductFromPortfolio': portfolios.disassociate_product,
    'AssociatePrincipalWithPortfolio': portfolios.associate_principal,
    'DisassociatePrincipalFromPortfolio': portfolios.disassociate_principal,
    'ListPrincipalsForPortfolio': portfolios.principals_of,
    'CreateTagOption': portfolios.create_option,
    'DescribeTagOption': portfolios.describe_option,
    'UpdateTagOption': portfolios.update_option,
    'DeleteTagOption': portfolios.delete_option,
    'AssociateTagOptionWithResource': portfolios.associate_option,
    'DisassociateTagOptionFromResource': portfolios.disassociate_option,
    'CreateProduct': once('IdempotencyToken', products.create),
    'UpdateProduct': products.update,
    'DeleteProduct': products.delete,
    'SearchProducts': products.search,
    'SearchProductsAsAdmin': products.search_as_admin,
    'DescribeProduct': launching.describe_product,
    'DescribeProductAsAdmin': products.describe_as_admin,
    'CreateProvisioningArtifact': once('IdempotencyToken', products.create_artifact),
    'DescribeProvisioningArtifact': products.describe_artifact,
    'ListProvisioningArtifacts': products.list_artifacts,
    'UpdateProvisioningArtifact': products.update_artifact,
    'DeleteProvisioningArtifact': products.delete_artifact,
    'CreateConstraint': once('IdempotencyToken', constraints.create),
    'DescribeConstraint': constraints.describe,
    'UpdateConstraint': constraints.update,
    'DeleteConstraint': constraints.delete,
    'ListConstraintsForPortfolio': constraints.list_of,
    'ListLaunchPaths': launching.list_paths,
    'DescribeProvisioningParameters': launching.describe_parameters,
    'ProvisionProduct': once('ProvisionToken', provisioned.provision),
    'UpdateProvisionedProduct': once('UpdateToken', provisioned.update),
    'TerminateProvisionedProduct': once('TerminateToken', provisioned.terminate),
    'DescribeProvisionedProduct': views.describe,
    'GetProvisionedProductOutputs': views.outputs,
    'ScanProvisionedProducts': views.scan,
    'SearchProvisionedProducts': views.search,
    'DescribeRecord': views.describe_record,
    'ListRecordHistory': views.record_history,
}

SERVICE = JsonService('servicecatalog', 'AWS242ServiceCatalogService', ACTIONS, 'InvalidParametersException')


def install() -> None:
    """Put the service into ministack."""
    stacks.install()
    SERVICE.install()


def call(action: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """An action, called in-process. Raises Refused."""
    return SERVICE.call(action, request)
