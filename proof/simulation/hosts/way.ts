/*
 * Who else is at work on a host can take its clients' way away. What the host's own probe sees of it is here and
 * nowhere else. Its source is `leaves` of constructs/host/documents/probe.sh, which asks the kernel where it has the
 * address and which way an answer would leave (`ip address show to`, `ip route get from`); test/host/probe-way.bats
 * asks a real kernel:
 *
 * | What is gone | The probe says | Who mends it |
 * | --- | --- | --- |
 * | the routes or the rule of the slot's interface, also since the link was down for a moment | fails | whoever has the
 *   host told again or started again, and a new server |
 * | its address | fails | the same |
 * | the carrier: the kernel goes on naming the interface | serves | who took it |
 * | packets that a filter drops: the kernel is asked for a route, and sends nothing | serves | who made the filter |
 */

/** What somebody takes away of the interface's configuration. The probe sees it. */
export type Taken = 'routes' | 'address';

/** What keeps packets from going where the configuration sends them. Only who is asked over the network sees it. */
export type Dropped = 'carrier' | 'filter';

/** The way from a host's service to its clients: the slot's interface, as lib/network.sh sets it up. */
export class Way {
  /** The address that was set up since the machine came up. */
  private address: string | undefined;
  private readonly taken = new Set<Taken>();
  /** Until when somebody takes it away again, each time that it is set up. */
  private readonly takenUntil = new Map<Taken, number>();
  private readonly droppedUntil = new Map<Dropped, number>();

  constructor(private readonly now: () => number) {}

  /** configure_interface() of lib/network.sh; whether answers leave by the interface then. */
  setUp(address: string): boolean {
    this.address = address;
    this.taken.clear();
    for (const [what, until] of this.takenUntil) if (this.now() < until) this.taken.add(what);
    return this.taken.size === 0;
  }

  /** Somebody takes it away now, and again for so long. False when there is nothing to be taken. */
  take(what: Taken, ms: number): boolean {
    if (this.address === undefined) return false;
    this.taken.add(what);
    this.takenUntil.set(what, this.now() + ms);
    return true;
  }

  /** Packets are dropped for so long, or until somebody ends that. */
  drop(what: Dropped, ms: number): boolean {
    if (this.address === undefined) return false;
    this.droppedUntil.set(what, this.now() + ms);
    return true;
  }

  /** A person takes the filter away; whether there was one. */
  removeFilter(): boolean {
    const was = this.isDropped('filter');
    this.droppedUntil.delete('filter');
    return was;
  }

  /** The machine is off: what was set up is gone. Rules of a filter lie on the disk; the carrier is not the host's. */
  powerOff(): void {
    this.address = undefined;
    this.taken.clear();
  }

  /** Whoever was at work came with the disk. */
  replaceDisk(): void {
    this.takenUntil.clear();
    this.droppedUntil.delete('filter');
  }

  /** The interface is another one, which is set up when the host is told again. */
  loseInterface(): void {
    this.address = undefined;
  }

  /** Whether clients reach what answers on the address. */
  get stands(): boolean {
    return this.address !== undefined && this.probed === undefined && !this.isUnseen;
  }

  /** What the host's own probe says of its way; undefined when it finds nothing wrong. */
  get probed(): string | undefined {
    if (this.taken.has('address')) return `no interface has the address ${this.address}`;
    if (!this.taken.has('routes')) return undefined;
    return `answers from ${this.address} would leave by dev eth0, not by eth1`;
  }

  /** Whether packets are dropped, which the probe does not see. */
  get isUnseen(): boolean {
    return this.isDropped('carrier') || this.isDropped('filter');
  }

  private isDropped(what: Dropped): boolean {
    return this.now() < (this.droppedUntil.get(what) ?? 0);
  }
}
