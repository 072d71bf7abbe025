"""A cluster whose nodes write to one GFS2 and are fenced through EC2: what the scenarios of GFS2 share."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from types import TracebackType

from ..agent import AgentError
from ..certificate import Certificate
from ..disks import Volume
from ..ec2_endpoint import Ec2, Ec2Endpoint, Instance
from ..fencing_agent import make_quick
from ..instance_facts import ACCESS_KEY, REGION
from ..lab import Lab
from ..machine import Machine
from ..network import ROUTER
from ..plugs import MachineError
from ..report import ScenarioFailed, Steps
from ..together import on_each
from ._gfs2_fsck import fsck
from ._gfs2_programs import CHECKER, POINT, WRITER
from ._gfs2_verdicts import faults, wrong_stops
from ._until import until

ENDPOINT = f'ec2.{REGION}.amazonaws.com'
AUTHORITY = '/etc/ssl/lab-authority.pem'

MONITOR_SECONDS = 120
"""between two looks at a resource, which take seconds of an emulated processor"""

PATIENCE = 900.0
"""seconds in which a cluster on a busy host has fenced a node, or taken one back"""


class Cluster:
    """A context manager. `told` has how many lines each writer knew to be on disk when it was last looked at."""

    def __init__(self, lab: Lab, size: int, memory_mib: int, copies: Sequence[Volume] = (), prefix: str = 'n') -> None:
        """Blank volumes, or copies of those of another cluster, which are never formatted."""
        self.lab = lab
        self.volumes = [*copies] or [lab.volume(512, shared=True), lab.volume(512, shared=True)]
        self.nodes = [lab.machine(f'{prefix}{number}', memory_mib, self.volumes) for number in range(1, size + 1)]
        self.ec2 = Ec2()
        for node in self.nodes:
            self.ec2.add(Instance(node.instance_id, node.end, partial(self._power_on, node)))
        self._certificate = Certificate(lab.folder, ENDPOINT)
        self.endpoint = Ec2Endpoint(self.ec2, lab.network.listen(ROUTER, 443), self._certificate, ACCESS_KEY)
        self.told: dict[str, int] = {}
        self._writers: dict[str, str] = {}
        self._settings = {
            'CLUSTER': 'labgfs',
            'NODES': ','.join(f'{node.name}={node.address}' for node in self.nodes),
            'VOLUMES': ','.join(volume.id for volume in self.volumes),
            'MOUNT_POINT': POINT,
            'STRIPE_KIB': '256',
            'SPARE_JOURNALS': '1',
            'JOURNAL_MIB': '16',
            'MAY_FORMAT': 'no' if copies else 'yes',
            'FENCE': 'ec2',
            'REGION': REGION,
            'TOKEN_MS': '8000',
            'CONSENSUS_MS': '12000',
            'FENCE_TIMEOUT': '420',
            'MONITOR_SECONDS': str(MONITOR_SECONDS),
        }

    def __enter__(self) -> 'Cluster':
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.endpoint.close()

    # Life

    def start(self, steps: Steps) -> None:
        """Boot all nodes, make the cluster, write on all of them."""
        self.boot(steps)
        with steps.step('cluster, shared volume group, file system, mounted on all'):
            self.join()
        self._settings_are_real(self.nodes[0], steps)
        with steps.step('all write'):
            on_each(self.nodes, self.write)
            self.go_on(self.nodes, 10)

    def boot(self, steps: Steps) -> None:
        """Hosts that are no cluster yet."""
        with steps.step(f'{len(self.nodes)} machines boot'):
            on_each(self.nodes, lambda node: node.start())
            on_each(self.nodes, lambda node: node.wait(PATIENCE))

    def join(self) -> None:
        """They become the cluster, and mount."""
        on_each(self.nodes, self._install)
        on_each(self.nodes, lambda node: node.wait_for_unit('sas-grid-gfs2.service', PATIENCE))

    def finish(self, nodes: Sequence[Machine], steps: Steps) -> None:
        """What these nodes read is whole; unmounted, fsck finds nothing; all leave."""
        with steps.step('nothing is torn, nothing acknowledged is lost'):
            self.stop_writing(nodes)
            on_each(nodes, self.check)
            steps.fact('lines written', sum(self.told.values()))
        with steps.step('unmounted everywhere; fsck finds no damage; mounted again'):
            if off := fsck(nodes):
                steps.fact('free blocks of df are off by', off)
        with steps.step('all leave'):
            on_each(nodes, lambda node: node.run('/opt/cdk-sas-grid/bin/sas-grid-gfs2 --leave', 240))
        if self.ec2.problems:
            raise ScenarioFailed('; '.join(self.ec2.problems))

    def rejoin(self, nodes: Sequence[Machine], steps: Steps) -> None:
        """Start nodes that were fenced; they join by themselves and write."""
        started = time.monotonic()
        on_each(nodes, self.power_on)
        self.joined(nodes)
        steps.fact('rejoined, and wrote, after', round(time.monotonic() - started, 1), 's')

    def power_on(self, node: Machine, meanwhile: Callable[[], object] = lambda: None) -> None:
        """As an administrator does, when the cluster has nothing else to do."""
        self.ec2.answer({'Action': 'StartInstances', 'InstanceId.1': node.instance_id})
        until(f'{node.name} is started', lambda: self.ec2.state(node.instance_id) == 'running')
        meanwhile()
        node.wait(PATIENCE)

    def joined(self, nodes: Sequence[Machine]) -> None:
        """Wait until nodes have joined by themselves, and have them write."""
        on_each(nodes, lambda node: node.wait_for_unit('sas-grid-gfs2.service', PATIENCE))
        on_each(nodes, self.write)
        self.go_on(nodes)

    # Writing

    def write(self, node: Machine) -> None:
        """Start a writer; its name is its own for good."""
        life = 1 + sum(name.split('.')[0] == node.name for name in self.told)
        name = f'{node.name}.{life}'
        node.put('/root/writer.py', WRITER)
        node.background(f'exec python3 /root/writer.py {name}', 'writer')
        self._writers[node.name], self.told[name] = name, 0

    def acknowledged(self, node: Machine, timeout: float = 300) -> int:
        """How many lines the node's writer has on disk."""
        told = int(node.run('cat /run/acknowledged 2>/dev/null || echo 0', timeout))
        self.told[self._writers[node.name]] = told
        return told

    def go_on(self, nodes: Iterable[Machine], lines: int = 5) -> None:
        """Wait until all of these write."""
        for node, number in [(node, self.acknowledged(node) + lines) for node in nodes]:
            until(f'{node.name} writes', partial(self._has_written, node, number), PATIENCE)

    def _has_written(self, node: Machine, lines: int) -> bool:
        return self.acknowledged(node) >= lines

    def stand_still(self, nodes: Sequence[Machine], so_long: Callable[[], bool], what: str) -> None:
        """Nobody writes and no journal is recovered until something holds."""
        before = on_each(nodes, lambda node: (self.acknowledged(node), recoveries(node)))
        until(what, so_long, PATIENCE)
        after = on_each(nodes, lambda node: (self.acknowledged(node), recoveries(node)))
        if before != after:
            raise ScenarioFailed(f'{[node.name for node in nodes]} wrote, or recovered a journal: {before}, {after}')

    def check(self, node: Machine) -> None:
        """What a node reads is whole, and has at least what the writers were told to be on disk."""
        node.put('/root/checker.py', CHECKER)
        if wrong := faults(json.loads(node.run('python3 /root/checker.py')), self.told):
            raise ScenarioFailed(f'{node.name} reads: {wrong[:1000]}')

    def stop_writing(self, nodes: Sequence[Machine] = ()) -> None:
        """Writers end; `told` has all that they knew to be on disk."""
        on_each(nodes or self.nodes, self._stop_writing)

    def _stop_writing(self, node: Machine) -> None:
        ended = 'for i in $(seq 600); do systemctl is-active -q writer || exit 0; sleep 0.2; done; exit 1'
        node.run(f'touch /run/stop-writing; {ended}')
        self.acknowledged(node)

    # Fencing

    def wait_until_fenced(self, lost: Sequence[Machine], survivors: Sequence[Machine], since: int) -> None:
        """Each of the lost is stopped once, by a survivor. `since` is the number of calls before."""

        def fenced() -> bool:
            for node in lost:
                # It may run yet, and it may end while it is asked.
                with suppress(AgentError, MachineError):
                    self.acknowledged(node, 5)
            return all(self.ec2.state(node.instance_id) == 'stopped' for node in lost)

        until(f'{[node.name for node in lost]} are fenced', fenced, PATIENCE)
        self.only_fenced(lost, survivors, since)

    def only_fenced(self, lost: Sequence[Machine], by: Sequence[Machine], since: int) -> None:
        """EC2's log says that these were stopped, by those, and nobody else was."""
        names = {node.instance_id: node.name for node in self.nodes} | {node.address: node.name for node in self.nodes}
        calls = self.ec2.calls[since:]
        if wrong := wrong_stops(calls, {node.name for node in lost}, {node.name for node in by}, names):
            raise ScenarioFailed(wrong)

    def settled(self, node: Machine) -> None:
        """The cluster has nothing else to do."""
        node.run('crm_resource --wait --timeout=300s', 330)

    # Inside

    def _power_on(self, node: Machine) -> None:
        """The instance on another host: same root disk, the volumes attached."""
        for volume in self.volumes:
            if volume not in node.volumes:
                node.attach(volume)
        node.start()

    def _install(self, node: Machine) -> None:
        """The role, on a host that takes the lab's endpoint for EC2's."""
        node.put(AUTHORITY, self._certificate.authority)
        node.run(f"echo '{ROUTER} {ENDPOINT}' >>/etc/hosts")
        trust = f'[Service]\nEnvironment=AWS_CA_BUNDLE={AUTHORITY}\n'
        node.put('/etc/systemd/system/pacemaker.service.d/lab.conf', trust)
        make_quick(node)
        node.install({'gfs2-node': self._settings})

    def _settings_are_real(self, node: Machine, steps: Steps) -> None:
        """What was asked for, as the kernel and the cluster have it."""
        found = node.run(
            f"findmnt -n -o FSTYPE,OPTIONS {POINT}; dmsetup table | grep -o 'striped 2 [0-9]*';"
            ' echo journals $(gfs2_edit -p journals /dev/labgfs/sasdata | grep -c "^journal"); crm_mon -1'
        )
        for wanted in ('gfs2', 'noatime', 'striped 2 512', f'journals {len(self.nodes) + 1}'):
            if wanted not in found:
                raise ScenarioFailed(f'{wanted} is not there:\n{found}')
        question = f'action=status\\nregion={REGION}\\nplug={node.instance_id}'
        asked = f"AWS_CA_BUNDLE={AUTHORITY} fence_aws <<<$'{question}' >/dev/null 2>&1"
        seconds = node.run(f"{{ time -p {asked} || test $? = 2; }} 2>&1 | sed -n 's/^real //p'")
        steps.fact('fence_aws asks EC2 for a state in', float(seconds), 's')


def recoveries(node: Machine) -> int:
    """How many journals the node's kernel has taken over since it booted."""
    return int(node.run("journalctl -b -k -o cat | grep -c 'jid=[0-9]*: Trying to acquire journal' || true"))
