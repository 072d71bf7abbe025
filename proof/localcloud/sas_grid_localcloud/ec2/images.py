"""Machine images that AWS announces by public SSM parameters. Their contents do not exist here."""

import hashlib
from itertools import product

from ministack.services import ssm

_PREFIX = '/aws/service/ami-amazon-linux-latest/'
_UBUNTU = '/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id'


def install() -> None:
    """Add the parameters of Amazon Linux that ministack lacks, and the one of Ubuntu."""
    names = [
        f'al2023-ami-{minimal}kernel-{kernel}-{architecture}'
        for minimal, kernel, architecture in product(
            ('', 'minimal-'), ('default', '6.1', '6.12', '6.18'), ('x86_64', 'arm64')
        )
    ]
    names += ['amzn2-ami-hvm-x86_64-gp2', 'amzn2-ami-hvm-arm64-gp2', 'amzn2-ami-kernel-5.10-hvm-x86_64-gp2']
    for name in [*(_PREFIX + name for name in names), _UBUNTU]:
        image = 'ami-' + hashlib.sha256(name.encode()).hexdigest()[:17]
        ssm._PUBLIC_AMI_PARAMETERS.setdefault(name, image)


def amazon_linux(image: str) -> str:
    """The release of Amazon Linux in an image, ``2023`` or ``2``; empty when it is none of these."""
    for name, one in ssm._PUBLIC_AMI_PARAMETERS.items():
        if one == image and name.startswith(_PREFIX):
            return '2023' if 'al2023' in name else '2'
    return ''
