"""tell_stack.py STACK RESOURCE STATUS REASON: tells CloudFormation what became of this instance. A stack that does not wait (any more) is no error.

A signal has no room for a reason but its id, of 64 characters, which is shown. Of an instance the id should be the instance's
(CloudFormation API Reference, SignalResource): so comes a second signal with that. AWS_ENDPOINT_URL_CLOUDFORMATION points it elsewhere.
"""

import sys

from signed import metadata, os, signed, urllib

stack, resource, status, reason = sys.argv[1:]
region = stack.split(':')[3]
token = metadata('api/token')
url = 'https://cloudformation.' + region + '.' + metadata('meta-data/services/domain', token)
url = os.environ.get('AWS_ENDPOINT_URL_CLOUDFORMATION', url) + '/'
form = {'Action': 'SignalResource', 'Version': '2010-05-15', 'StackName': stack, 'LogicalResourceId': resource, 'Status': status}
for form['UniqueId'] in ([reason[:64]] if reason else []) + [metadata('meta-data/instance-id', token)]:
    try:
        urllib.request.urlopen(signed('cloudformation', region, url, urllib.parse.urlencode(form).encode()), timeout=60)
    except urllib.request.HTTPError as error:
        said = error.read().decode()
        if 'ValidationError' not in said:
            sys.exit(said)
