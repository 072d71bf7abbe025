"""A quick face of the fencing agent fence_aws.

Pacemaker waits seconds for an agent to describe itself, and emulated Python needs more: that one answer comes from a
file, as it was recorded. Everything else is done by the real agent.
"""

from .machine import Machine
from .settings import PROJECT

RECORDED = PROJECT / 'test' / 'host' / 'recordings' / 'fence_aws_metadata.out'
AGENT = '/usr/sbin/fence_aws'
REAL = '/usr/share/fence/fence_aws'
PROGRAM = f"""#!/bin/bash
case $* in
  '') input=$(cat) ;;
  '-o metadata') input=action=metadata ;;
  *) exec {REAL} "$@" ;;
esac
[[ $input != *action=metadata* ]] || exec cat {REAL}.xml
exec {REAL} <<<"$input"
"""


def make_quick(machine: Machine) -> None:
    """Put it before the agent, where there is one."""
    machine.put(f'{REAL}.xml', RECORDED.read_text())
    machine.put(f'{REAL}.quick', PROGRAM, 0o755)
    machine.run(f'[ ! -e {AGENT} ] || {{ mv {AGENT} {REAL} && mv {REAL}.quick {AGENT}; }}')
