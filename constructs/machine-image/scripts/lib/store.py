"""S3 and Secrets Manager, asked with the instance's own role. Python 3.6, and nothing but what it brings.

Usage: store.py get KEY FILE                                      prints the object's ETag
       store.py put KEY FILE [--if-none-match | --if-match ETAG]
       store.py list PREFIX                                       prints a key on each line
       store.py secret                                            prints the value of SAS_IMAGE_SECRET
       store.py set-secret TOKEN <VALUE                           once for each token
       store.py endpoint                                          prints the address of S3 in the region

Keys are below SAS_IMAGE_PREFIX in the bucket SAS_IMAGE_BUCKET. The variables AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3,
AWS_ENDPOINT_URL_SECRETS_MANAGER and AWS_EC2_METADATA_SERVICE_ENDPOINT mean what they mean to AWS's SDKs.

Exit codes: 0 done; 4 there is no such object or value; 5 somebody else was first; 1 anything else.
"""

import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

METADATA = os.environ.get('AWS_EC2_METADATA_SERVICE_ENDPOINT', 'http://169.254.169.254').rstrip('/')
# A proxy is for the way out, never for the metadata service.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
TRIES = 6
BLOCK = 1 << 20
EMPTY = hashlib.sha256(b'').hexdigest()
ROLE = {}


class Missing(Exception):
    """There is no such object, or the secret has no value."""


class Changed(Exception):
    """The condition of a request does not hold: somebody else was first."""


class Refused(Exception):
    """AWS refused, and would refuse again."""


def metadata(path):
    if 'token' not in ROLE or ROLE['until'] < time.time():
        ask = {'X-aws-ec2-metadata-token-ttl-seconds': '300'}
        request = urllib.request.Request(METADATA + '/latest/api/token', headers=ask, method='PUT')
        ROLE.clear()
        ROLE['token'] = DIRECT.open(request, timeout=5).read().decode()
        ROLE['until'] = time.time() + 240
    if path not in ROLE:
        request = urllib.request.Request(
            METADATA + '/latest/meta-data/' + path, headers={'X-aws-ec2-metadata-token': ROLE['token']}
        )
        ROLE[path] = DIRECT.open(request, timeout=5).read().decode()
    return ROLE[path]


def role():
    folder = 'iam/security-credentials/'
    return json.loads(metadata(folder + metadata(folder).split()[0]))


def setting(name):
    value = os.environ.get(name, '')
    if not value:
        raise Refused(f'the environment lacks {name}; the component of the image sets it')
    return value


def endpoint(service, variable, bucket=''):
    """The address of a service; a bucket is part of the host's name where a certificate can have it."""
    given = os.environ.get('AWS_ENDPOINT_URL_' + variable) or os.environ.get('AWS_ENDPOINT_URL')
    if given:
        return given.rstrip('/') + ('/' + bucket if bucket else '')
    host = '{}.{}.{}'.format(service, setting('SAS_IMAGE_REGION'), metadata('services/domain').strip())
    if not bucket:
        return 'https://' + host
    return f'https://{host}/{bucket}' if '.' in bucket else f'https://{bucket}.{host}'


def quote(text, safe=''):
    return urllib.parse.quote(text, safe='-_.~' + safe)


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, 'rb') as file:
        for block in iter(lambda: file.read(BLOCK), b''):
            digest.update(block)
    return digest.hexdigest()


def sign(service, method, url, headers, digest):
    """Adds a signature of version 4 to the headers (IAM User Guide: Create a signed AWS API request)."""
    own = role()
    now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    parts = urllib.parse.urlsplit(url)
    headers.update(
        {
            'host': parts.netloc,
            'x-amz-content-sha256': digest,
            'x-amz-date': now,
            'x-amz-security-token': own['Token'],
        }
    )
    names = sorted(headers)
    query = '&'.join(sorted(parts.query.split('&'))) if parts.query else ''
    canonical = [method, parts.path or '/', query] + [f'{name}:{headers[name]}' for name in names]
    canonical += ['', ';'.join(names), digest]
    scope = [now[:8], setting('SAS_IMAGE_REGION'), service, 'aws4_request']
    text = ['AWS4-HMAC-SHA256', now, '/'.join(scope), hashlib.sha256('\n'.join(canonical).encode()).hexdigest()]
    key = ('AWS4' + own['SecretAccessKey']).encode()
    for part in [*scope, '\n'.join(text)]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    headers['authorization'] = 'AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}'.format(
        own['AccessKeyId'], text[2], ';'.join(names), key.hex()
    )


def explain(error):
    """What AWS says of an error: its code and its message."""
    text = error.read(4096).decode('utf-8', 'replace')
    code = re.search(r'<Code>(.*?)</Code>|"__type"\s*:\s*"(?:[^"]*#)?([^"]*)"', text)
    message = re.search(r'<Message>(.*?)</Message>|"[Mm]essage"\s*:\s*"([^"]*)"', text)
    return tuple(next((part for part in found.groups() if part), '') if found else '' for found in (code, message))


def call(service, method, url, headers=None, body=None, digest=EMPTY, receive=None):
    """One request, tried again while AWS or the network is not ready. `receive` reads the answer within the attempt."""
    why = ''
    for attempt in range(TRIES):
        if attempt:
            time.sleep(min(float(os.environ.get('SAS_GRID_POLL', '1')) * 2**attempt, 30))
        try:
            signed = dict(headers or {})
            sign(service, method, url, signed, digest)
            if hasattr(body, 'seek'):
                body.seek(0)
                signed['content-length'] = str(os.fstat(body.fileno()).st_size)
            request = urllib.request.Request(url, body, signed, method=method)
            with urllib.request.urlopen(request, timeout=120) as answer:
                return receive(answer) if receive else answer.read()
        except urllib.error.HTTPError as error:
            code, message = explain(error)
            if error.code == 404 or code == 'ResourceNotFoundException':
                raise Missing(f'{url} is not there') from None
            if error.code in (409, 412) or code == 'ResourceExistsException':
                raise Changed(f'{url}: {code or error.code}') from None
            why = f'{error.code} {code} {message}'.strip()
            if error.code < 500 and error.code != 429 and code not in ('RequestTimeout', 'ThrottlingException'):
                hint = '; the role needs s3:ListBucket, too' if error.code == 403 and service == 's3' else ''
                raise Refused(f'{method} {url} was refused: {why}{hint}') from None
        except (OSError, http.client.HTTPException) as error:
            why = str(error)
    raise Refused(f'{method} {url} failed {TRIES} times, last: {why}; run the build again')


def full_key(key):
    prefix = os.environ.get('SAS_IMAGE_PREFIX', '').strip('/')
    return prefix + '/' + key if prefix else key


def object_url(key):
    return '{}/{}'.format(endpoint('s3', 'S3', setting('SAS_IMAGE_BUCKET')), quote(full_key(key), '/'))


def get(key, path):
    """Writes the object to a file, all of it or nothing. Returns its ETag and its SHA-256."""
    partial = path + '.part'

    def receive(answer):
        digest, length = hashlib.sha256(), 0
        with open(partial, 'wb') as file:
            for block in iter(lambda: answer.read(BLOCK), b''):
                digest.update(block)
                length += len(block)
                file.write(block)
        if str(length) != answer.headers.get('Content-Length', str(length)):
            raise OSError('the answer ended early')
        return answer.headers.get('ETag', ''), digest.hexdigest()

    etag, found = call('s3', 'GET', object_url(key), receive=receive)
    os.replace(partial, path)
    return etag, found


def put(key, path, condition=None):
    with open(path, 'rb') as file:
        headers = dict(condition or {}, **{'content-type': 'application/octet-stream'})
        empty = os.fstat(file.fileno()).st_size == 0
        call('s3', 'PUT', object_url(key), headers, b'' if empty else file, sha256_of(path))


def list_keys(prefix):
    """Keys below a prefix, without SAS_IMAGE_PREFIX."""
    base, keys, after = full_key(''), set(), ''
    while True:
        query = {'list-type': '2', 'encoding-type': 'url', 'prefix': base + prefix}
        if after:
            query['continuation-token'] = after
        text = '&'.join(f'{name}={quote(query[name])}' for name in sorted(query))
        page = call('s3', 'GET', '{}/?{}'.format(endpoint('s3', 'S3', setting('SAS_IMAGE_BUCKET')), text)).decode()
        keys |= {urllib.parse.unquote_plus(key)[len(base) :] for key in re.findall(r'<Key>(.*?)</Key>', page)}
        more = re.search(r'<NextContinuationToken>(.*?)</NextContinuationToken>', page)
        if not more:
            return keys
        after = more.group(1)


def secrets(operation, **fields):
    body = json.dumps(dict(fields, SecretId=setting('SAS_IMAGE_SECRET'))).encode()
    headers = {'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.' + operation}
    url = endpoint('secretsmanager', 'SECRETS_MANAGER') + '/'
    return json.loads(call('secretsmanager', 'POST', url, headers, body, hashlib.sha256(body).hexdigest()).decode())


def main(arguments):
    command, rest = (arguments or ['--help'])[0], arguments[1:]
    if command == 'get' and len(rest) == 2:
        print(get(*rest)[0])
    elif command == 'put' and len(rest) >= 2:
        conditions = {('--if-none-match',): {'if-none-match': '*'}, ('--if-match',): {'if-match': rest[-1]}, (): {}}
        put(rest[0], rest[1], conditions[tuple(rest[2:3])])
    elif command == 'list' and len(rest) == 1:
        print('\n'.join(sorted(list_keys(rest[0]))))
    elif command == 'secret':
        sys.stdout.write(secrets('GetSecretValue').get('SecretString', ''))
    elif command == 'set-secret' and len(rest) == 1:
        secrets('PutSecretValue', ClientRequestToken=rest[0], SecretString=sys.stdin.read())
    elif command == 'endpoint':
        print(endpoint('s3', 'S3'))
    else:
        print(__doc__)
        return 0 if command == '--help' else 64
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main(sys.argv[1:]))
    except Missing as error:
        print(f'store.py: {error}', file=sys.stderr)
        sys.exit(4)
    except Changed as error:
        print(f'store.py: {error}', file=sys.stderr)
        sys.exit(5)
    except (Refused, OSError) as error:
        print(f'store.py: {error}', file=sys.stderr)
        sys.exit(1)
