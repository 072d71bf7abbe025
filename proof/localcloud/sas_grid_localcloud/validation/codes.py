"""With which code a service refuses a malformed request.

A model that has ``ValidationException`` among its errors says it itself. For the others: what the service's API
reference names among the errors of the operation or in "Common Errors". Those that are not ``documented`` are what
SDKs and their users report.
"""

from dataclasses import dataclass

from botocore.model import ServiceModel

from .violations import Violation


@dataclass(frozen=True)
class Codes:
    """The codes of one service."""

    invalid: str
    missing: str = ''
    """what is missing; as ``invalid`` by default"""
    unknown: str = ''
    """a member that does not exist; as ``invalid`` by default"""
    documented: bool = True


OF_SERVICES = {
    # Amazon EC2 API Reference, "Error codes for the Amazon EC2 API", client errors.
    'ec2': Codes('InvalidParameterValue', 'MissingParameter', 'UnknownParameter'),
    # Amazon S3 API Reference, "Error responses", list of error codes.
    's3': Codes('InvalidArgument', 'MalformedXML', 'MalformedXML'),
    # Amazon Route 53 API Reference, errors of each operation.
    'route53': Codes('InvalidInput'),
    # Amazon SNS API Reference, errors of each operation.
    'sns': Codes('InvalidParameter'),
    # Amazon SQS API Reference, "Common Errors".
    'sqs': Codes('InvalidParameterValue', 'MissingParameter'),
    # AWS Backup API, errors of each operation.
    'backup': Codes('InvalidParameterValueException', 'MissingParameterValueException'),
    # Amazon Data Lifecycle Manager API Reference, errors of each operation.
    'dlm': Codes('InvalidRequestException'),
    # AWS Service Catalog Developer Guide, errors of each operation.
    'servicecatalog': Codes('InvalidParametersException'),
    'fsx': Codes('BadRequest'),
    # AWS Cloud Map, AWS Organizations and Resource Groups Tagging API, errors of each operation.
    'servicediscovery': Codes('InvalidInput'),
    'organizations': Codes('InvalidInputException'),
    'resourcegroupstaggingapi': Codes('InvalidParameterException'),
    # What the console and the SDKs show; the reference has InvalidParameterException, for other wrong input.
    'logs': Codes('InvalidParameterException', documented=False),
}

_BY_PROTOCOL = {
    # "ValidationError: The input fails to satisfy the constraints specified by an AWS service", "Common Errors" of the
    # references of IAM, STS, CloudFormation, Auto Scaling and Elastic Load Balancing.
    'query': Codes('ValidationError'),
    # smithy.framework#ValidationException, and the errors of DynamoDB; "Common Errors" writes ValidationError.
    'json': Codes('ValidationException', documented=False),
    'rest-json': Codes('ValidationException', documented=False),
    'rest-xml': Codes('InvalidInput', documented=False),
}

UNREADABLE = 'SerializationException'
"""a body that is no JSON, or has a value of another type (Smithy, AWS JSON protocols)"""


OF_MEMBERS = {
    # Amazon EC2 API Reference, "Error codes for the Amazon EC2 API", client errors for specific actions.
    ('ec2', 'CreateVolume', 'VolumeType'): 'UnknownVolumeType',
}
"""what has a code of its own when it is wrong: service, operation, member"""


def code_of(model: ServiceModel, operation: str, violations: list[Violation]) -> str:
    """The code for these violations."""
    codes = _codes(model)
    own = OF_MEMBERS.get((model.service_name, operation, violations[0].path))
    if own and len(violations) == 1 and violations[0].kind != 'missing':
        return own
    kinds = {one.kind for one in violations}
    json_protocol = model.metadata['protocol'] in ('json', 'rest-json')
    if json_protocol and kinds == {'type'}:
        return UNREADABLE
    if kinds == {'missing'}:
        return codes.missing or codes.invalid
    if kinds == {'unknown'}:
        return codes.unknown or codes.invalid
    return codes.invalid


def invalid_of(model: ServiceModel) -> str:
    """The code for a value that the service does not take."""
    return _codes(model).invalid


def _codes(model: ServiceModel) -> Codes:
    named = OF_SERVICES.get(model.service_name)
    if named is not None:
        return named
    for shape in model.error_shapes:
        if shape.name == 'ValidationException':
            return Codes(str(shape.error_code))
    return _BY_PROTOCOL.get(model.metadata['protocol'], Codes('ValidationException', documented=False))
