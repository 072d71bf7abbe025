"""What can be set from outside: where the state lies and how long emulated hardware takes."""

import os
from dataclasses import dataclass, field, fields
from pathlib import Path

ACCOUNT = '000000000000'
PREFIX = 'SAS_GRID_LOCALCLOUD_'


@dataclass(frozen=True)
class Delays:
    """Seconds that transitions take. Short by default: they are the emulator's, no estimate for EC2.

    Each can be set by the environment: ``SAS_GRID_LOCALCLOUD_BOOT_SECONDS=2`` and so on.
    """

    boot: float = 0.5
    """pending to running"""
    shutdown: float = 0.8
    """shutting-down to terminated"""
    stop: float = 0.5
    """stopping to stopped"""
    attach: float = 0.3
    """attaching to attached, volumes and network interfaces"""
    detach: float = 0.3
    """detaching to gone, volumes and network interfaces"""
    release: float = 0.2
    """after an instance is terminated, until its volumes and interfaces are free"""
    visible: float = 0.3
    """a new object is absent from describes for this long (eventual consistency)"""
    lag: float = 0.2
    """describes show the state of instances, volumes and attachments as it was this long ago"""
    permission: float = 1.0
    """what CloudFormation gives a role, or changes of it, counts this much later (eventual consistency)"""
    status_check: float = 1.0
    """a machine that stands still, until EC2's status check of it fails; on AWS minutes"""
    group_patience: float = 2.0
    """how long Auto Scaling leaves a member in service whose status check fails; on AWS minutes"""
    hard_shutdown: float = 2.0
    """how much longer a machine that stands still takes to end: it does not shut itself down; on AWS minutes"""
    group_tick: float = 0.2
    """how often Auto Scaling looks at its groups"""
    refresh_stuck: float = 3600
    """how long an instance refresh that gets nowhere goes on trying"""
    terminated_tagged: float = 300
    """how long a terminated instance keeps its tags, which EC2 takes off it before it forgets it"""
    terminated_shown: float = 3600
    """how long EC2 knows a terminated instance"""
    image: float = 0.5
    """pending to available, images that are made of instances; on AWS minutes"""
    build_agent: float = 120
    """how long Image Builder waits for the agent of an instance that it launched; on AWS an hour"""
    fsx_create: float = 1.0
    """CREATING to AVAILABLE, file systems of FSx and what is made on them"""
    fsx_backup: float = 1.0
    """CREATING to AVAILABLE, backups of FSx; on AWS minutes to hours"""
    fsx_delete: float = 0.5
    """DELETING to gone, file systems of FSx and what is made on them"""
    efs: float = 0.3
    """creating to available, file systems of EFS and their mount targets and access points"""
    restart: float = 2.0
    """until systemd starts a unit again that failed; on AWS as the unit says, minutes"""
    unanswered: float = 2.0
    """how long a host waits for what a security group keeps back; on AWS minutes"""
    minute: float = 60
    """a minute of alarms' periods and of the rates of rules and schedules, for tests that cannot wait"""

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> 'Delays':
        """Read what is set; an error names the variable, the value and what is allowed."""
        source = dict(os.environ) if environment is None else environment
        values: dict[str, float] = {}
        for item in fields(cls):
            name = f'{PREFIX}{item.name.upper()}_SECONDS'
            text = source.get(name)
            if text is None:
                continue
            try:
                value = float(text)
            except ValueError:
                value = -1.0
            if not 0 <= value <= 86400:
                raise ValueError(f'{name} is {text!r}; allowed: seconds from 0 to 86400')
            values[item.name] = value
        return cls(**values)


@dataclass(frozen=True)
class Settings:
    """One embedded AWS."""

    state: Path
    """folder that holds everything the embedded AWS writes"""
    port: int = 0
    """0 takes a free one"""
    region: str = 'us-east-1'
    delays: Delays = field(default_factory=Delays)
    with_hosts: bool = True
    """whether instances run their user data and SSM commands in a sandbox"""

    @property
    def endpoint(self) -> str:
        return f'http://127.0.0.1:{self.port}'

    def client_environment(self) -> dict[str, str]:
        """The variables with which the plain cdk, aws and any SDK talk to this embedded AWS."""
        return {
            'AWS_ENDPOINT_URL': self.endpoint,
            'AWS_ACCESS_KEY_ID': 'test',
            'AWS_SECRET_ACCESS_KEY': 'test',
            'AWS_SESSION_TOKEN': '',
            'AWS_REGION': self.region,
            'AWS_DEFAULT_REGION': self.region,
            'AWS_EC2_METADATA_DISABLED': 'true',
            'AWS_CONFIG_FILE': os.devnull,
            'AWS_SHARED_CREDENTIALS_FILE': os.devnull,
            'CDK_DEFAULT_ACCOUNT': ACCOUNT,
            'CDK_DEFAULT_REGION': self.region,
            'CDK_HOME': str(self.state / 'cdk-home'),
        }

    def server_environment(self) -> dict[str, str]:
        """The variables ministack reads when it is imported, so they are set before that."""
        return {
            'BIND_HOST': '127.0.0.1',
            'GATEWAY_PORT': str(self.port),
            'MINISTACK_HOST': 'localhost',
            'MINISTACK_REGION': self.region,
            'LAMBDA_EXECUTOR': 'local',
            'SFTP_ENABLED': '0',
            'IOT_MTLS_ENABLED': '0',
            'PERSIST_STATE': '0',
            'S3_PERSIST': '0',
            'S3_DATA_DIR': str(self.state / 's3'),
            'STATE_DIR': str(self.state / 'ministack'),
            'TMPDIR': str(self.state / 'tmp'),
            'DOCKER_HOST': 'unix:///nonexistent/docker.sock',
            'LAMBDA_WARM_TTL_SECONDS': '60',
            'AWS_ENDPOINT_URL': self.endpoint,
            'AWS_ACCESS_KEY_ID': 'test',
            'AWS_SECRET_ACCESS_KEY': 'test',
            'AWS_SESSION_TOKEN': '',
            'AWS_REGION': self.region,
            'AWS_DEFAULT_REGION': self.region,
            'AWS_EC2_METADATA_DISABLED': 'true',
            'LOG_LEVEL': os.environ.get(f'{PREFIX}LOG_LEVEL', 'WARNING'),
        }


_delays = Delays()


def use_delays(delays: Delays) -> None:
    """Make these delays the ones in force."""
    global _delays
    _delays = delays


def delays() -> Delays:
    """The delays in force."""
    return _delays
