"""Documents of Systems Manager, also those of templates."""

import json
import time
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services.cloudformation import provisioners

from . import automation
from .cloudformation import registry
from .hosts import documents
from .hosts.documents import Document, Refused
from .state_manager import associations

PROPERTIES = {'Content', 'DocumentType', 'DocumentFormat', 'Name', 'UpdateMethod', 'Tags', 'TargetType'}
"""Implemented properties of AWS::SSM::Document. Tags and TargetType have no effect here."""

_documents: dict[str, Document] = {}


def install() -> None:
    """Documents for CloudFormation, and for associations that follow them."""
    registry.KNOWN['AWS::SSM::Document'] = frozenset(PROPERTIES)
    provisioners._RESOURCE_HANDLERS['AWS::SSM::Document'] = {
        'create': _cfn_create,
        'update': _cfn_update,
        'delete': lambda name, properties: _documents.pop(name, None),
    }
    associations.subscribe(_documents.get)


def find(name: str) -> Document:
    """The document of this name or ARN, or the refusal."""
    document = _documents.get(name.split('/')[-1])
    if document is None:
        raise Refused('InvalidDocument', f'Document with name {name} does not exist.')
    return document


def create_document(request: dict[str, Any]) -> dict[str, Any]:
    name = str(request.get('Name') or '')
    if not documents.NAME.match(name) or name.lower().startswith(('aws-', 'amazon', 'amzn')):
        raise Refused('ValidationException', f'The document name {name!r} is not valid')
    if name in _documents:
        raise Refused('DocumentAlreadyExists', f'Document with the name {name} already exists')
    kind, form = str(request.get('DocumentType') or 'Command'), str(request.get('DocumentFormat') or 'JSON')
    if kind not in ('Command', 'Automation') or form not in ('JSON', 'YAML') or (kind, form) == ('Command', 'YAML'):
        raise Refused('InvalidDocumentContent', 'only documents of type Command in JSON and Automation are implemented')
    _documents[name] = Document(name, kind, [_parsed(request.get('Content'), kind, form)], format=form)
    return {'DocumentDescription': _describe(_documents[name])}


def update_document(request: dict[str, Any]) -> dict[str, Any]:
    document = find(str(request.get('Name') or ''))
    document.number(str(request.get('DocumentVersion') or '$LATEST'))
    content = _parsed(request.get('Content'), document.type, document.format)
    if content in document.versions:
        raise Refused('DuplicateDocumentContent', 'The content of the association document matches another document.')
    document.versions.append(content)
    associations.document_changed(document.name, ('$LATEST',))
    return {'DocumentDescription': _describe(document, str(len(document.versions)))}


def update_default_version(request: dict[str, Any]) -> dict[str, Any]:
    document = find(str(request.get('Name') or ''))
    document.default = document.number(str(request.get('DocumentVersion') or ''))
    associations.document_changed(document.name, ('$DEFAULT',))
    return {'Description': {'Name': document.name, 'DefaultVersion': str(document.default)}}


def describe_document(request: dict[str, Any]) -> dict[str, Any]:
    document = find(str(request.get('Name') or ''))
    return {'Document': _describe(document, str(request.get('DocumentVersion') or '$DEFAULT'))}


def get_document(request: dict[str, Any]) -> dict[str, Any]:
    document = find(str(request.get('Name') or ''))
    version = str(request.get('DocumentVersion') or '$DEFAULT')
    return {**_describe(document, version), 'Content': json.dumps(document.content(version))}


def delete_document(request: dict[str, Any]) -> dict[str, Any]:
    name = find(str(request.get('Name') or '')).name
    associations.require_unused(name)
    del _documents[name]
    return {}


def list_documents(_: dict[str, Any]) -> dict[str, Any]:
    return {'DocumentIdentifiers': [_describe(document) for document in _documents.values()]}


def _parsed(content: Any, kind: str, form: str) -> dict[str, Any]:
    return automation.content.parse(content, form) if kind == 'Automation' else documents.parse(content)


def _describe(document: Document, version: str = '$DEFAULT') -> dict[str, Any]:
    return {
        'Name': document.name,
        'Owner': get_account_id(),
        'CreatedDate': document.created,
        'Status': 'Active',
        'DocumentVersion': str(document.number(version)),
        'DefaultVersion': str(document.default),
        'LatestVersion': str(len(document.versions)),
        'DocumentType': document.type,
        'DocumentFormat': document.format,
        'SchemaVersion': document.content(version)['schemaVersion'],
        'PlatformTypes': ['Linux'],
    }


def _cfn_create(logical_id: str, properties: dict[str, Any], stack_name: str) -> tuple[str, dict[str, Any]]:
    _check_properties(logical_id, properties)
    name = str(properties.get('Name') or f'{stack_name}-{logical_id}-{time.time_ns():x}')
    create_document({**properties, 'Name': name})
    return name, {}


def _cfn_update(
    name: str, before: dict[str, Any], after: dict[str, Any], stack_name: str
) -> tuple[str, dict[str, Any]]:
    _check_properties(name, after)
    if after.get('Name') not in (None, name):
        return _cfn_create(name, after, stack_name)
    document = find(name)
    content = _parsed(after.get('Content'), document.type, document.format)
    if content != document.content():
        # The default (template reference, AWS::SSM::Document): the former document goes, with all its versions.
        if after.get('UpdateMethod', 'Replace') == 'Replace':
            if after.get('Name'):
                raise ValueError(f'the document {name} has a name of its own, and cannot be replaced by another one')
            return _cfn_create(name.rsplit('-', 1)[0].removeprefix(f'{stack_name}-'), after, stack_name)
        document.versions.append(content)
        document.default = len(document.versions)
        associations.document_changed(name, ('$LATEST', '$DEFAULT'))
    return name, {}


def _check_properties(logical_id: str, properties: dict[str, Any]) -> None:
    for name in sorted(set(properties) - PROPERTIES):
        raise ValueError(
            f'AWS::SSM::Document property {name} (logical id {logical_id}) is not implemented by the embedded AWS'
        )


ACTIONS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    'CreateDocument': create_document,
    'UpdateDocument': update_document,
    'UpdateDocumentDefaultVersion': update_default_version,
    'DescribeDocument': describe_document,
    'GetDocument': get_document,
    'DeleteDocument': delete_document,
    'ListDocuments': list_documents,
}
