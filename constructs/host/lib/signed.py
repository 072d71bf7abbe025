"""Requests to AWS, signed with the host's own role. Python 3.6, and nothing but what it brings.

The variable AWS_EC2_METADATA_SERVICE_ENDPOINT of AWS's SDKs points it to another metadata service.
"""

import hashlib
import hmac
import json
import os
import time
import urllib.parse
import urllib.request

METADATA = os.environ.get('AWS_EC2_METADATA_SERVICE_ENDPOINT', 'http://169.254.169.254').rstrip('/')
# A proxy is for the way out, never for the metadata service.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def metadata(path, token=None):
    header = {'X-aws-ec2-metadata-token': token} if token else {'X-aws-ec2-metadata-token-ttl-seconds': '300'}
    request = urllib.request.Request(METADATA + '/latest/' + path, headers=header, method='GET' if token else 'PUT')
    return DIRECT.open(request, timeout=5).read().decode()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def signed(service, region, url, body=None):
    """The request with a signature of version 4 (IAM User Guide: Create a signed AWS API request). With a body it is sent as a form."""
    token = metadata('api/token')
    folder = 'meta-data/iam/security-credentials/'
    role = json.loads(metadata(folder + metadata(folder, token).split()[0], token))
    now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    parts = urllib.parse.urlsplit(url)
    headers = {
        'host': parts.netloc,
        'x-amz-content-sha256': sha256(body or b''),
        'x-amz-date': now,
        'x-amz-security-token': role['Token'],
    }
    names = ';'.join(headers)
    canonical = ['POST' if body else 'GET', parts.path, ''] + [':'.join(one) for one in headers.items()]
    canonical += ['', names, headers['x-amz-content-sha256']]
    scope = [now[:8], region, service, 'aws4_request']
    text = ['AWS4-HMAC-SHA256', now, '/'.join(scope), sha256('\n'.join(canonical).encode())]
    key = ('AWS4' + role['SecretAccessKey']).encode()
    for part in scope + ['\n'.join(text)]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}'.format(
        role['AccessKeyId'], text[2], names, key.hex()
    )
    return urllib.request.Request(url, body, headers)
