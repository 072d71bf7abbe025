"""What requests of S3 have to be allowed, keys of buckets included."""

from typing import Any

from ministack.core import iam_actions
from ministack.services import s3

from .check import Check, key_use

_KEY_USES = {'PutObject': ['GenerateDataKey'], 'GetObject': ['Decrypt']}
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html, read 2026-11-22"""


def s3_checks(method: str, path: str, headers: dict[str, str], body: Any, query: dict[str, Any]) -> list[Check]:
    """The action on the bucket or object, and the use of the bucket's key."""
    action = iam_actions._s3_action(method, path, query)
    if not action:
        return []
    resource = iam_actions.extract_resource_arn('s3', method, path, headers, body, query, '', '')
    keys = iam_actions.s3_service_context(f's3:{action}', query, path, headers)
    more = iam_actions.s3_additional_checks(method, path, headers, body, query)
    key = _key_of(path.strip('/').split('/')[0])
    return [
        Check(f's3:{action}', resource, keys),
        *(Check(each, arn) for each, arn in more),
        *(use for what in _KEY_USES.get(action, []) for use in key_use(what, key, 's3')),
    ]


def _key_of(bucket: str) -> str | None:
    """The customer's key with which a bucket encrypts what it is given."""
    text = s3._bucket_encryption.get(bucket)
    text = text.decode() if isinstance(text, bytes) else str(text or '')
    return text.split('<KMSMasterKeyID>')[1].split('<')[0] if '<KMSMasterKeyID>' in text else None
