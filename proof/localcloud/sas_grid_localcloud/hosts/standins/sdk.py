"""As much of boto3 as the hosts' own programs use, and they speak to nothing but the embedded AWS.

Modules are imported where they are needed: most stand-ins are started without any of this.
"""

from __future__ import annotations

import os

import host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any
    from xml.etree.ElementTree import Element

ENDPOINT = 'SAS_GRID_ENDPOINT'
"""The variable that says where the embedded AWS is; missing where hosts run without one."""

VERSIONS = {'ec2': '2016-11-15', 'cloudformation': '2010-05-15'}


class ClientError(Exception):
    """AWS refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f'An error occurred ({code}): {message}')
        self.response = {'Error': {'Code': code, 'Message': message}}


def client(service: str, region_name: str) -> Client:
    return Client(service, region_name)


class Client:
    """The calls of one service."""

    def __init__(self, service: str, region: str) -> None:
        self._service, self._region = service, region

    def describe_instances(self, **parameters: Any) -> Any:
        found = []
        for one in self._items('DescribeInstances', parameters, 'reservationSet'):
            instances = [
                {'InstanceId': _text(each, 'instanceId'), 'State': {'Name': _text(each, 'instanceState/name')}}
                for each in one.findall('instancesSet/item')
            ]
            found.append({'Instances': instances})
        return {'Reservations': found}

    def describe_network_interfaces(self, **parameters: Any) -> Any:
        found = []
        for one in self._items('DescribeNetworkInterfaces', parameters, 'networkInterfaceSet'):
            held = one.find('attachment')
            record = {'NetworkInterfaceId': _text(one, 'networkInterfaceId')}
            if held is not None and len(held):
                about = {'InstanceId': _text(held, 'instanceId'), 'Status': _text(held, 'status')}
                record['Attachment'] = about
            found.append(record)
        return {'NetworkInterfaces': found}

    def describe_volumes(self, **parameters: Any) -> Any:
        found = []
        for one in self._items('DescribeVolumes', parameters, 'volumeSet'):
            held = [
                {'InstanceId': _text(each, 'instanceId'), 'State': _text(each, 'status')}
                for each in one.findall('attachmentSet/item')
            ]
            tags = [{'Key': _text(each, 'key'), 'Value': _text(each, 'value')} for each in one.findall('tagSet/item')]
            found.append({'VolumeId': _text(one, 'volumeId'), 'Attachments': held, 'Tags': tags})
        return {'Volumes': found}

    def attach_volume(self, **parameters: Any) -> Any:
        self._query('AttachVolume', parameters)
        return {}

    def attach_network_interface(self, **parameters: Any) -> Any:
        self._query('AttachNetworkInterface', parameters)
        return {}

    def create_tags(self, **parameters: Any) -> Any:
        self._query('CreateTags', parameters)
        return {}

    def signal_resource(self, **parameters: Any) -> Any:
        self._query('SignalResource', parameters)
        return {}

    def get_secret_value(self, **parameters: Any) -> Any:
        import json

        kind = 'application/x-amz-json-1.1'
        target = 'secretsmanager.GetSecretValue'
        status, body = self._send(json.dumps(parameters), {'Content-Type': kind, 'X-Amz-Target': target})
        answer = json.loads(body)
        if status >= 400:
            raise ClientError(str(answer.get('__type')), str(answer.get('message') or answer.get('Message')))
        return answer

    def _items(self, action: str, parameters: Any, name: str) -> Iterator[Element]:
        for one in self._query(action, parameters):
            if one.tag == name:
                yield from one

    def _query(self, action: str, parameters: Any) -> Element:
        """A call of the query protocol; the answer's tags without their namespace."""
        import urllib.parse
        import xml.etree.ElementTree as Tree

        form = {'Action': action, 'Version': VERSIONS[self._service], **dict(_flat(parameters))}
        status, body = self._send(urllib.parse.urlencode(form), {'Content-Type': 'application/x-www-form-urlencoded'})
        answer = Tree.fromstring(body)
        for each in answer.iter():
            each.tag = each.tag.rpartition('}')[2]
        if status >= 400:
            codes, messages = list(answer.iter('Code')), list(answer.iter('Message'))
            raise ClientError(codes[0].text or '', messages[0].text or '')
        return answer

    def _send(self, body: str, headers: dict[str, str]) -> tuple[int, bytes]:
        import urllib.error
        import urllib.request

        scope = f'{host.INSTANCE}/20260101/{self._region}/{self._service}/aws4_request'
        signed = f'AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0'
        every = {**headers, 'Authorization': signed, 'User-Agent': f'host {host.INSTANCE}'}
        request = urllib.request.Request(os.environ[ENDPOINT], body.encode(), every)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return int(answer.status), bytes(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, error.read()


def _text(element: Element, path: str) -> str:
    return element.findtext(path) or ''


def _flat(parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Lists as EC2's query protocol has them: VolumeIds become VolumeId.1 and so on."""
    names = {'VolumeIds': 'VolumeId', 'NetworkInterfaceIds': 'NetworkInterfaceId', 'Resources': 'ResourceId'}
    for name, value in parameters.items():
        if not isinstance(value, list):
            yield name, str(value)
            continue
        prefix = names.get(name, name.removesuffix('s'))
        for number, one in enumerate(value, 1):
            if not isinstance(one, dict):
                yield f'{prefix}.{number}', str(one)
                continue
            for key, part in one.items():
                for place, each in enumerate(part, 1) if isinstance(part, list) else ():
                    yield f'{prefix}.{number}.{key.removesuffix("s")}.{place}', str(each)
                if not isinstance(part, list):
                    yield f'{prefix}.{number}.{key}', str(part)


def run(program: str, name: str, arguments: list[str]) -> int:
    """Run a program of the host's with this in place of boto3, and with the metadata service of its instance."""
    import sys
    import types

    boto3, botocore, exceptions = (types.ModuleType(each) for each in ('boto3', 'botocore', 'botocore.exceptions'))
    vars(boto3).update(client=client)
    vars(exceptions).update(ClientError=ClientError)
    sys.modules.update({'boto3': boto3, 'botocore': botocore, 'botocore.exceptions': exceptions})
    sys.argv = [name, *arguments]
    try:
        exec(compile(program, name, 'exec'), {'__name__': '__main__', '__file__': name})
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return int(end.code or 0)
    return 0


def answer_metadata(answers: Callable[[str], str]) -> None:
    """What urllib is asked of the metadata service is answered here."""
    import email.message
    import io
    import urllib.request
    import urllib.response

    class Metadata(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> Any:
            if request.host != '169.254.169.254':
                return super().http_open(request)
            text = io.BytesIO(answers(request.selector).encode())
            answer = urllib.response.addinfourl(text, email.message.Message(), request.full_url, 200)
            answer.msg = 'OK'
            return answer

    build = urllib.request.build_opener
    urllib.request.build_opener = lambda *handlers: build(*handlers, Metadata)
