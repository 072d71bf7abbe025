import { count, type Terminal, table } from '../../cli/terminal';
import type { Check } from '../kit/model';
import type { Report } from '../kit/report';
import { describeVolumes } from '../kit/report-json';

/** What the terminal shows of a deployment, and of the checks that it passed. */
export class Shown {
  private readonly held = new Set<string>();

  constructor(private readonly terminal: Terminal) {}

  /** Servers with their slots, and the other hosts below them. */
  servers({ servers, machines }: Pick<Report, 'servers' | 'machines'>): void {
    const withSlots = servers.map((server) => [
      server.slot,
      server.instance,
      server.instanceType,
      server.address,
      describeVolumes(server.volumes),
    ]);
    const others = machines.map((m) => [m.name, m.instance, m.instanceType, m.address, '']);
    const headers = ['Slot', 'Server', 'Type', 'Address', 'Volumes'];
    for (const line of table(headers, [...withSlots, ...others])) this.terminal.line(`  ${line}`);
    this.terminal.line();
  }

  /** Every check once; those that hold again only as a number. */
  checks(checks: readonly Check[]): void {
    const again = checks.filter(({ id, passed }) => passed && this.held.has(id));
    if (again.length > 0) this.terminal.check(true, `${count(again.length, 'check')} from above hold again`);
    for (const check of checks) {
      if (again.includes(check)) continue;
      const { id, title, detail, passed } = check;
      this.terminal.check(passed, passed ? title : `${title}: ${detail}`);
      if (passed) this.held.add(id);
    }
  }
}
