"""fetch.py URL REGION SHA256 FILE: gets an object of S3 with the host's own role. Python 3.6, and nothing but what it brings.

The variables of AWS's SDKs point it elsewhere: AWS_ENDPOINT_URL_S3, AWS_EC2_METADATA_SERVICE_ENDPOINT.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

METADATA = os.environ.get('AWS_EC2_METADATA_SERVICE_ENDPOINT', 'http://169.254.169.254').rstrip('/')
# A proxy is for the way out, never for the metadata service.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def metadata(path, token=None):
    header = {'X-aws-ec2-metadata-token': token} if token else {'X-aws-ec2-metadata-token-ttl-seconds': '300'}
    request = urllib.request.Request(METADATA + '/latest/' + path, headers=header, method='GET' if token else 'PUT')
    return DIRECT.open(request, timeout=5).read().decode()


def credentials():
    token = metadata('api/token')
    folder = 'meta-data/iam/security-credentials/'
    found = json.loads(metadata(folder + metadata(folder, token).split()[0], token))
    return found['AccessKeyId'], found['SecretAccessKey'], found['Token']


def signed(url, region):
    """The request with a signature of version 4 (IAM User Guide, "Create a signed AWS API request")."""
    key_id, secret, session = credentials()
    now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    parts = urllib.parse.urlsplit(url)
    headers = {
        'host': parts.netloc,
        'x-amz-content-sha256': hashlib.sha256(b'').hexdigest(),
        'x-amz-date': now,
        'x-amz-security-token': session,
    }
    names = ';'.join(sorted(headers))
    canonical = ['GET', parts.path, '']
    canonical += [name + ':' + headers[name] for name in sorted(headers)]
    canonical += ['', names, headers['x-amz-content-sha256']]
    scope = '/'.join([now[:8], region, 's3', 'aws4_request'])
    digest = hashlib.sha256('\n'.join(canonical).encode()).hexdigest()
    text = '\n'.join(['AWS4-HMAC-SHA256', now, scope, digest])
    key = ('AWS4' + secret).encode()
    for part in scope.split('/') + [text]:
        last = hmac.new(key, part.encode(), hashlib.sha256)
        key = last.digest()
    headers['Authorization'] = 'AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}'.format(
        key_id, scope, names, last.hexdigest()
    )
    return urllib.request.Request(url, headers=headers)


def reason(error):
    text = str(error) or type(error).__name__
    if isinstance(error, urllib.error.HTTPError):
        text += ' from ' + error.geturl() + ' ' + error.read(300).decode('utf-8', 'replace')
    return text


def fetch(url, region):
    """Role, policy, routes and name server of a new host may all be there a little later than it."""
    end = time.time() + float(os.environ.get('SAS_GRID_WAIT', '900'))
    while True:
        try:
            return urllib.request.urlopen(signed(url, region), timeout=60).read()
        except Exception as error:  # whatever it is, the next try may do better
            why = reason(error)
        if time.time() >= end:
            sys.exit('cannot fetch {}: {}'.format(url, why))
        print('not yet: ' + why, file=sys.stderr)
        time.sleep(float(os.environ.get('SAS_GRID_POLL', '5')))


def main():
    url, region, expected, path = sys.argv[1:]
    endpoint = os.environ.get('AWS_ENDPOINT_URL_S3')
    if endpoint:
        url = endpoint.rstrip('/') + urllib.parse.urlsplit(url).path
    content = fetch(url, region)
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        sys.exit('{} has the SHA-256 {}, not {} as at synthesis: it was not used'.format(url, found, expected))
    with open(path, 'wb') as file:
        file.write(content)


main()
