"""S3, Secrets Manager and the metadata service on one port of this machine, as far as image-packages asks them.

Usage: aws.py FOLDER: objects are files in FOLDER/s3, FOLDER/secret is the value, FOLDER/token its token. Writes the
port to FOLDER/port. Signatures are verified by botocore. FOLDER/fail-after: how many PUTs succeed until the server is
as if AWS were away; FOLDER/before-record: a folder that takes the place of s3 just before the record is written;
FOLDER/secret-before-put and FOLDER/token-before-put: a secret that somebody else stores first, and with what token.
FOLDER/requests has a line for each request.
"""

import hashlib
import http.server
import json
import os
import sys
import threading
import urllib.parse

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

FOLDER = sys.argv[1]
OWN = Credentials('AKIDEXAMPLE', 'secret', 'token')
LOCK = threading.Lock()


def path_of(name):
    return os.path.join(FOLDER, name)


def taken(name):
    """The content of a file that is used once."""
    try:
        with open(path_of(name)) as file:
            text = file.read()
    except FileNotFoundError:
        return None
    os.remove(path_of(name))
    return text


def object_file(key):
    return path_of('s3/' + urllib.parse.quote(key, safe=''))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', **headers):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def error(self, status, code):
        self.answer(status, f'<Error><Code>{code}</Code><Message>said by the test</Message></Error>'.encode())

    def rightly_signed(self, service, body):
        given = self.headers.get('authorization', '')
        if 'SignedHeaders=' not in given:
            return False
        names = given.split('SignedHeaders=')[1].split(',')[0].split(';')
        if self.headers['x-amz-content-sha256'] != hashlib.sha256(body).hexdigest():
            return False
        url = f'http://{self.headers["host"]}{self.path}'
        request = AWSRequest(self.command, url, {name: self.headers[name] for name in names if name != 'host'}, body)
        request.context['timestamp'] = self.headers['x-amz-date']
        signer = (S3SigV4Auth if service == 's3' else SigV4Auth)(OWN, service, 'us-east-1')
        canonical = signer.canonical_request(request)
        return given.endswith('Signature=' + signer.signature(signer.string_to_sign(request, canonical), request))

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        parts = urllib.parse.urlsplit(self.path)
        with LOCK:
            with open(path_of('requests'), 'a') as file:
                file.write(f'{self.command} {self.path} {self.headers.get("x-amz-target", "")}\n')
            if parts.path.startswith('/latest/'):
                self.metadata(parts.path)
            elif parts.path.startswith('/amazon-ssm-us-east-1/'):
                self.send_object(urllib.parse.unquote(parts.path[1:]))
            elif self.headers.get('x-amz-target'):
                if self.rightly_signed('secretsmanager', body):
                    self.secret(json.loads(body))
                else:
                    self.error(403, 'SignatureDoesNotMatch')
            elif not self.rightly_signed('s3', body):
                self.error(403, 'SignatureDoesNotMatch')
            else:
                self.s3(parts, body)

    do_GET = do_PUT = do_POST = handle_one

    def metadata(self, path):
        role = {'AccessKeyId': OWN.access_key, 'SecretAccessKey': OWN.secret_key, 'Token': OWN.token}
        answers = {
            '/latest/api/token': 'metadata-token',
            '/latest/meta-data/iam/security-credentials/': 'role',
            '/latest/meta-data/iam/security-credentials/role': json.dumps(role),
            '/latest/meta-data/services/domain': 'amazonaws.com',
        }
        self.answer(200, answers[path].encode())

    def secret(self, asked):
        operation = self.headers['x-amz-target'].split('.')[1]
        file = path_of('secret')
        if operation == 'GetSecretValue':
            if not os.path.exists(file):
                self.answer(400, b'{"__type": "ResourceNotFoundException", "Message": "no value"}')
                return
            with open(file) as opened:
                self.answer(200, json.dumps({'SecretString': opened.read()}).encode())
            return
        first = taken('secret-before-put')
        if first:
            self.store_secret(taken('token-before-put'), first)
        if os.path.exists(path_of('token')):
            with open(path_of('token')) as opened, open(file) as value:
                if opened.read() == asked['ClientRequestToken'] and value.read() != asked['SecretString']:
                    self.answer(400, b'{"__type": "ResourceExistsException", "message": "other value"}')
                    return
        self.store_secret(asked['ClientRequestToken'], asked['SecretString'])
        self.answer(200, b'{}')

    def store_secret(self, token, value):
        assert 32 <= len(token) <= 64
        for name, text in (('token', token), ('secret', value)):
            with open(path_of(name), 'w') as file:
                file.write(text)

    def send_object(self, key):
        if not os.path.exists(object_file(key)):
            self.error(404, 'NoSuchKey')
            return
        with open(object_file(key), 'rb') as file:
            content = file.read()
        self.answer(200, content, ETag=f'"{hashlib.md5(content).hexdigest()}"')

    def s3(self, parts, body):
        key = urllib.parse.unquote(parts.path.lstrip('/'))
        if self.command == 'GET' and 'list-type' in parts.query:
            self.list_objects(key, urllib.parse.parse_qs(parts.query))
        elif self.command == 'GET':
            self.send_object(key)
        else:
            self.put_object(key, body)

    def list_objects(self, bucket, query):
        """Two on a page, so that there are pages."""
        prefix = bucket + query['prefix'][0]
        keys = sorted(urllib.parse.unquote(name) for name in os.listdir(path_of('s3')))
        keys = [key for key in keys if key.startswith(prefix) and key > query.get('continuation-token', [''])[0]]
        text = ''.join(f'<Key>{urllib.parse.quote(key[len(bucket) :], safe="")}</Key>' for key in keys[:2])
        if len(keys) > 2:
            text += f'<NextContinuationToken>{keys[1]}</NextContinuationToken>'
        self.answer(200, f'<ListBucketResult>{text}</ListBucketResult>'.encode())

    def put_object(self, key, body):
        left = taken('fail-after')
        if left is not None:
            with open(path_of('fail-after'), 'w') as file:
                file.write(str(max(0, int(left) - 1)))
            if int(left) == 0:
                self.error(503, 'ServiceUnavailable')
                return
        if key.endswith('/recorded.tsv') and os.path.exists(path_of('before-record')):
            os.rename(path_of('s3'), path_of('s3-lost'))
            os.rename(path_of('before-record'), path_of('s3'))
        exists = os.path.exists(object_file(key))
        etag = ''
        if exists:
            with open(object_file(key), 'rb') as file:
                etag = f'"{hashlib.md5(file.read()).hexdigest()}"'
        if (self.headers.get('if-none-match') == '*' and exists) or self.headers.get('if-match', etag) != etag:
            self.error(412, 'PreconditionFailed')
            return
        with open(object_file(key), 'wb') as file:
            file.write(body)
        self.answer(200)


os.makedirs(path_of('s3'), exist_ok=True)
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
with open(path_of('port.new'), 'w') as file:
    file.write(str(server.server_port))
os.rename(path_of('port.new'), path_of('port'))
server.serve_forever()
