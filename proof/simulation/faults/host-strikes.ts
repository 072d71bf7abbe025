import type { World } from '../aws/world';
import type { Host } from '../hosts/host';
import type { Fault } from './kinds';
import type { Strikes } from './strikes';
import type { Targets } from './targets';

type Upgrade = Extract<Fault, { kind: 'upgrade' }>;

/** What happens on hosts: to their software, their way to clients and their agent. */
export function hostStrikes({ hosts, scheduler }: World, targets: Targets) {
  const upgrade = (host: Host | undefined, { ms, takesRoutes }: Upgrade): boolean => {
    if (host?.fallIll('dead') !== true) return false;
    scheduler.after(ms, () => host.getWell(), 'services go on');
    host.agentGone(ms);
    if (takesRoutes) host.way.take('routes', 0);
    return true;
  };
  return {
    'host-hangs': (fault) => targets.instance(fault.target, (id) => hosts.hang(id, fault.ms)),
    'host-fails': (fault) => {
      hosts.fail(undefined, fault.exitCode, fault.times);
      return `exit code ${fault.exitCode}, ${fault.times} times`;
    },
    'service-fails': (fault) => targets.instance(fault.target, (id) => hosts.all.get(id)?.fallIll(fault.how)),
    'services-fail': (fault) => {
      for (const host of hosts.all.values()) {
        host.fallIll('dead');
        scheduler.after(fault.ms, () => host.getWell(), 'services go on');
      }
      return 'all hosts';
    },
    'network-manager': (fault) =>
      targets.instance(fault.target, (id) => hosts.all.get(id)?.way.take(fault.takes, fault.ms)),
    'carrier-lost': (fault) =>
      targets.instance(fault.target, (id) => hosts.all.get(id)?.way.drop('carrier', fault.ms)),
    'packet-filter': (fault) =>
      targets.instance(fault.target, (id) =>
        hosts.all.get(id)?.way.drop('filter', fault.ms ?? Number.POSITIVE_INFINITY),
      ),
    upgrade: (fault) => {
      if (fault.target !== 'all')
        return targets.instance(fault.target, (id) => upgrade(hosts.all.get(id), fault));
      for (const host of hosts.all.values()) upgrade(host, fault);
      return 'all hosts';
    },
    'probe-lies': (fault) =>
      targets.instance(fault.target, (id) => hosts.all.get(id)?.health.tellLies(fault.says, fault.ms)),
    'path-lost': (fault) => {
      for (const id of hosts.all.keys()) hosts.agentGone(id, fault.ms);
      return 'all hosts';
    },
    reboot: (fault) => targets.instance(fault.target, (id) => hosts.reboot(id)),
    'root-replaced': (fault) => targets.instance(fault.target, (id) => hosts.replaceRootVolume(id)),
    'agent-gone': (fault) => targets.instance(fault.target, (id) => hosts.agentGone(id, fault.ms)),
  } satisfies Strikes;
}
