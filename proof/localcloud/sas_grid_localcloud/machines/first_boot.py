"""What the first boot of a virtual machine runs: there is no cloud-init in the lab's image."""

from pathlib import Path

from sas_grid_lab.network import METADATA

USER_DATA = '/var/lib/cloud/instance/user-data.txt'
FIRST_BOOT = f"""
set -e
token=$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://{METADATA}/latest/api/token)
mkdir -p {Path(USER_DATA).parent}
curl -fsS -H "X-aws-ec2-metadata-token: $token" -o {USER_DATA} http://{METADATA}/latest/user-data
chmod 700 {USER_DATA}
exec systemd-run --quiet --wait --pipe --collect --unit=cloud-final {USER_DATA}
"""
"""What cloud-init does with user data that is a script."""
