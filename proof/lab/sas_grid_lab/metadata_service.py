"""EC2's instance metadata service, version 2, in the subnet. Who asks is known by the address."""

import http.server
import json
import secrets
import threading
import time
from collections.abc import Callable
from typing import Protocol

from .disks import Volume
from .instance_facts import InstanceFacts
from .network import METADATA, Network, Subnet
from .plugs import Interface

TOKEN_HEADER = 'X-aws-ec2-metadata-token'


class Instance(Protocol):
    """What the service tells of a machine."""

    name: str
    instance_id: str
    address: str
    mac: str
    subnet: Subnet
    volumes: list[Volume]
    interfaces: list[Interface]
    facts: InstanceFacts


def tree(instance: Instance) -> dict[str, str]:
    """Every path under latest/, with its text."""
    facts = instance.facts
    host_name = facts.host_name or f'ip-{instance.address.replace(".", "-")}.ec2.internal'
    paths = {
        'meta-data/instance-id': instance.instance_id,
        'meta-data/ami-id': facts.image_id,
        'meta-data/instance-type': facts.instance_type,
        'meta-data/hostname': host_name,
        'meta-data/local-hostname': host_name,
        'meta-data/local-ipv4': instance.address,
        'meta-data/mac': instance.mac,
        'meta-data/placement/region': facts.region,
        'meta-data/placement/availability-zone': facts.zone,
        'meta-data/placement/availability-zone-id': facts.zone_id,
        'meta-data/services/domain': 'amazonaws.com',
        'meta-data/services/partition': 'aws',
        'meta-data/block-device-mapping/ami': '/dev/xvda',
        'meta-data/block-device-mapping/root': '/dev/xvda',
        f'meta-data/iam/security-credentials/{facts.role}': _credentials(facts),
        'dynamic/instance-identity/document': _document(instance),
    }
    if facts.user_data:
        paths['user-data'] = facts.user_data
    for position, _ in enumerate(instance.volumes, 1):
        paths[f'meta-data/block-device-mapping/ebs{position}'] = f'sd{chr(ord("f") + position - 1)}'
    macs = 'meta-data/network/interfaces/macs'
    interfaces = [(facts.primary_interface, instance.address, instance.mac, instance.subnet)]
    interfaces += [(one.id, one.address, one.mac, one.subnet) for one in instance.interfaces]
    for number, (identity, address, mac, subnet) in enumerate(interfaces):
        paths |= {
            f'{macs}/{mac}/device-number': str(number),
            f'{macs}/{mac}/interface-id': identity,
            f'{macs}/{mac}/local-ipv4s': address,
            f'{macs}/{mac}/mac': mac,
            f'{macs}/{mac}/subnet-id': facts.subnet_id,
            f'{macs}/{mac}/subnet-ipv4-cidr-block': str(subnet.cidr),
            f'{macs}/{mac}/vpc-id': facts.vpc_id,
            f'{macs}/{mac}/vpc-ipv4-cidr-block': facts.vpc_cidr,
        }
    return paths


def lookup(paths: dict[str, str], wanted: str) -> str | None:
    """A path's text, or the names below it; None when there is no such path."""
    path = wanted.strip('/')
    if path in paths:
        return paths[path]
    below = [name[len(path) + 1 :] for name in paths if name.startswith(f'{path}/')]
    names = {f'{name.split("/")[0]}/' if '/' in name else name for name in below}
    return '\n'.join(sorted(names)) if names else None


def _credentials(facts: InstanceFacts) -> str:
    return json.dumps(
        {
            'Code': 'Success',
            'Type': 'AWS-HMAC',
            'AccessKeyId': facts.access_key,
            'SecretAccessKey': 'lab',
            'Token': 'lab',
            'LastUpdated': '2026-01-01T00:00:00Z',
            'Expiration': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + 6 * 3600)),
        }
    )


def _document(instance: Instance) -> str:
    facts = instance.facts
    known = {'instanceId': instance.instance_id, 'privateIp': instance.address, 'region': facts.region}
    more = {'availabilityZone': facts.zone, 'accountId': facts.account, 'architecture': 'x86_64'}
    return json.dumps({**known, **more})


class MetadataService:
    """The service of one run, in a thread."""

    def __init__(self, instance_at: Callable[[str], Instance | None]) -> None:
        self._instance_at = instance_at
        self._tokens: dict[str, str] = {}

    def start(self, network: Network) -> None:
        """Answer until `stop`."""
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                self._reply(
                    *service.token(self.path, self.client_address[0], self.headers.get(f'{TOKEN_HEADER}-ttl-seconds'))
                )

            def do_GET(self) -> None:
                self._reply(*service.answer(self.path, self.client_address[0], self.headers.get(TOKEN_HEADER)))

            def log_message(self, *_: object) -> None:
                pass

            def _reply(self, status: int, text: str) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header('Content-Type', 'text/plain')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = http.server.ThreadingHTTPServer((METADATA, 80), Handler, bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.socket.close()
        self._server.socket = network.listen(METADATA, 80)
        threading.Thread(target=self._server.serve_forever, name='metadata', daemon=True).start()

    def stop(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()

    def token(self, path: str, caller: str, seconds: str | None) -> tuple[int, str]:
        """A token for the caller; its time is not kept, since no run lasts six hours."""
        if path != '/latest/api/token':
            return 404, 'not found'
        if not seconds or not seconds.isdigit() or not 1 <= int(seconds) <= 21600:
            return 400, 'bad request'
        return 200, self._tokens.setdefault(caller, secrets.token_urlsafe(40))

    def answer(self, path: str, caller: str, token: str | None) -> tuple[int, str]:
        """What is under a path for the caller."""
        if not token or token != self._tokens.get(caller):
            return 401, 'unauthorized'
        instance = self._instance_at(caller)
        if not instance or not path.startswith('/latest/'):
            return 404, 'not found'
        text = lookup(tree(instance), path.removeprefix('/latest/'))
        return (404, 'not found') if text is None else (200, text)
