"""What the API shows of provisioned products and of the records of their operations."""

from ..json_service import page, without_none
from . import stacks
from .state import LOCK, PRODUCTS, PROVISIONED, RECORDS, Record, Request, invalid, not_found, of


def provisioned_of(request: Request, id_key: str, name_key: str) -> Record:
    """The provisioned product a request names."""
    if bool(request.get(id_key)) == bool(request.get(name_key)):
        raise invalid(f'one of {id_key} and {name_key} is required')
    for one in PROVISIONED.values():
        if one['Id'] == request.get(id_key) or one['Name'] == request.get(name_key):
            assert isinstance(one, dict)
            return one
    raise not_found(f'Provisioned product {request.get(id_key) or request.get(name_key)} not found.')


def shown(provisioned: Record) -> Record:
    """ProvisionedProductDetail."""
    return without_none({key: value for key, value in provisioned.items() if not key.startswith('_')})


def record_shown(record: Record) -> Record:
    """RecordDetail."""
    return without_none({key: value for key, value in record.items() if not key.startswith('_')})


def describe(request: Request) -> Record:
    """DescribeProvisionedProduct."""
    with LOCK:
        return {
            'ProvisionedProductDetail': shown(provisioned_of(request, 'Id', 'Name')),
            'CloudWatchDashboards': [],
        }


def outputs(request: Request) -> Record:
    """GetProvisionedProductOutputs."""
    with LOCK:
        provisioned = provisioned_of(request, 'ProvisionedProductId', 'ProvisionedProductName')
        wanted = request.get('OutputKeys')
        found = [one for one in stacks.outputs_of(provisioned['_stack']) if not wanted or one['OutputKey'] in wanted]
        return {'Outputs': found}


def scan(request: Request) -> Record:
    """ScanProvisionedProducts: those of the account, whoever launched them."""
    with LOCK:
        chosen, token = page(list(PROVISIONED.values()), request, 'PageSize', 'PageToken', 20)
        return without_none({'ProvisionedProducts': [shown(one) for one in chosen], 'NextPageToken': token})


def search(request: Request) -> Record:
    """SearchProvisionedProducts, without queries."""
    if request.get('Filters'):
        raise invalid('Filters are not implemented by the embedded AWS')
    with LOCK:
        chosen, token = page(list(PROVISIONED.values()), request, 'PageSize', 'PageToken', 20)
        found = [
            {
                **shown(one),
                'Tags': one['_tags'],
                'PhysicalId': _stack_arn(one),
                'ProductName': (PRODUCTS.get(one['ProductId']) or {}).get('Name'),
            }
            for one in chosen
        ]
        answer = {'ProvisionedProducts': found, 'TotalResultsCount': len(PROVISIONED), 'NextPageToken': token}
        return without_none(answer)


def _stack_arn(provisioned: Record) -> str:
    told = stacks.outputs_of(provisioned['_stack'])
    return str(told[-1]['OutputValue']) if told else provisioned['_stack']


def describe_record(request: Request) -> Record:
    """DescribeRecord."""
    with LOCK:
        record = of(RECORDS, request['Id'], 'Record')
        return {'RecordDetail': record_shown(record), 'RecordOutputs': record['_outputs']}


def record_history(request: Request) -> Record:
    """ListRecordHistory, the latest first."""
    with LOCK:
        wanted = request.get('SearchFilter') or {}
        keys = {'provisionedproduct': 'ProvisionedProductId', 'product': 'ProductId', 'record': 'RecordId'}
        if wanted and wanted['Key'] not in keys:
            raise invalid(f'the filter {wanted["Key"]} is not implemented by the embedded AWS')
        found = [one for one in RECORDS.values() if not wanted or one[keys[wanted['Key']]] == wanted['Value']]
        found = [record_shown(one) for one in reversed(found)]
        chosen, token = page(found, request, 'PageSize', 'PageToken', 20)
        return without_none({'RecordDetails': chosen, 'NextPageToken': token})
