"""fetch.py URL REGION SHA256 FILE: gets an object of S3 with the host's own role. lib/signed.py stands before it.

The variable AWS_ENDPOINT_URL_S3 of AWS's SDKs points it elsewhere.
"""

import sys
import urllib.error


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
            return urllib.request.urlopen(signed('s3', region, url), timeout=60).read()
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
    found = sha256(content)
    if found != expected:
        sys.exit('{} has the SHA-256 {}, not {} as at synthesis: it was not used'.format(url, found, expected))
    with open(path, 'wb') as file:
        file.write(content)


main()
