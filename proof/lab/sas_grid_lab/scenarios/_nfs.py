"""What the scenarios with NFS servers share."""

from ..disks import Volume
from ..machine import Machine
from ..report import ScenarioFailed

ADDRESS = '10.77.0.50'
EXPORT = '/export/sasdata'
MOUNT_POINT = '/sasdata'
# Root of a client is nobody on the server. In a sticky directory of another user, as the export is, Linux lets only
# their owner open files with O_CREAT again (fs.protected_regular), so the clients here work below it.
WORK = f'{MOUNT_POINT}/work'
EXPORTED_WORK = f'{EXPORT}/work'
SLOT = 'nfs-00'


def server_roles(volumes: int = 2) -> dict[str, dict[str, str]]:
    """A server of a slot. Short times, so that a recovery is short, too."""
    return {
        'nfs-server': {
            'SERVICE': 'nfs',
            'KIND': 'ebs',
            'VOLUMES_PER_SLOT': str(volumes),
            'EXPORT_NAME': 'sasdata',
            'CLIENTS': '10.77.0.0/24',
            'STRIPE_KIB': '256',
            'GRACE_SECONDS': '30',
            'LEASE_SECONDS': '20',
        }
    }


def client_roles() -> dict[str, dict[str, str]]:
    """A client with two connections, which is enough under emulation."""
    return {'nfs-client': {'SERVER': ADDRESS, 'EXPORT': EXPORT, 'MOUNT_POINT': MOUNT_POINT, 'NCONNECT': '2'}}


def serve(
    machine: Machine, epoch: int, volumes: list[Volume] | list[str], *options: str, wait: int = 0
) -> tuple[int, str]:
    """Tell a machine to serve the slot; returns exit code and output."""
    ids = ','.join(volume if isinstance(volume, str) else volume.id for volume in volumes)
    address = machine.interfaces[0].address
    return machine.try_run(
        f'{f"SAS_GRID_WAIT={wait} " if wait else ""}/opt/cdk-sas-grid/bin/sas-grid-serve --slot {SLOT} --epoch {epoch}'
        f' --address {address} --volumes {ids} {" ".join(options)}'
    )


def expect(answer: tuple[int, str], code: int, text: str = '') -> None:
    """The exit code, and a text that the message must have."""
    if answer[0] != code or text not in answer[1]:
        raise ScenarioFailed(f'exit code {answer[0]}, not {code}{f" with {text!r}" if text else ""}:\n{answer[1]}')
