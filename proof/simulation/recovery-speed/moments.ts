import type { World } from '../aws/world';

/** When EC2 and the host did what a slot waits for, milliseconds since 1970; what has not happened is undefined. */
export interface Moments {
  readonly lostAt: number;
  terminatedAt?: number;
  /** The server that takes over. */
  successor?: string;
  launchedAt?: number;
  runningAt?: number;
  /** The group holds it in the launch hook, or it is a spare in service, so that a pass may give it a slot. */
  waitingAt?: number;
  registeredAt?: number;
  installedAt?: number;
  /** The command that told the host, when it was accepted and when the host began with it. */
  sentAt?: number;
  startedAt?: number;
  servedAt?: number;
  /** The launch was completed; the group takes some time until the server is in service. */
  completedAt?: number;
  inServiceAt?: number;
  readonly things: Map<string, Thing>;
}

/** A volume or the interface of the slot. */
export interface Thing {
  freeAt?: number;
  askedAt?: number;
  attachedAt?: number;
}

/** Watches a slot whose server is about to be lost, step by step. Call `look` after each. */
export class SlotWatch {
  readonly moments: Moments;
  private readonly before: ReadonlySet<string>;
  private readonly spares: ReadonlySet<string>;
  private command: string | undefined;

  constructor(
    private readonly world: World,
    readonly slot: string,
    private readonly lost: string,
  ) {
    const owners = new Set([...world.map.items.values()].map(({ owner }) => owner));
    this.spares = new Set([...world.group.members.keys()].filter((id) => !owners.has(id)));
    this.before = new Set([...world.ec2.instances.keys()].filter((id) => !this.spares.has(id)));
    this.moments = { lostAt: world.now(), things: new Map() };
    for (const thing of this.things()) this.moments.things.set(thing.id, {});
  }

  get isOver(): boolean {
    return this.moments.inServiceAt !== undefined;
  }

  /** Whether the server that takes over was a spare when the slot was lost. */
  get isBySpare(): boolean {
    const { successor } = this.moments;
    return successor !== undefined && this.spares.has(successor);
  }

  look(): void {
    const { world, moments } = this;
    const now = world.now();
    if (world.ec2.instances.get(this.lost)?.state === 'terminated') moments.terminatedAt ??= now;
    const owner = String(world.map.items.get(`slot#${this.slot}`)?.owner);
    if (!this.before.has(owner) && world.ec2.instances.has(owner)) moments.successor = owner;
    this.lookAtThings(now);
    const successor = moments.successor ?? this.onlyNewcomer();
    if (successor !== undefined) this.lookAtServer(successor, now);
  }

  /** Before the claim the next server is known only when there is one. */
  private onlyNewcomer(): string | undefined {
    const found = [...this.world.ec2.instances.keys()].filter((id) => !this.before.has(id));
    return found.length === 1 ? found[0] : undefined;
  }

  private lookAtThings(now: number): void {
    for (const { id, attachment } of this.things()) {
      const thing = this.moments.things.get(id)!;
      if (attachment === undefined) thing.freeAt ??= now;
      else if (attachment.instanceId !== this.lost) {
        thing.askedAt ??= now;
        if (attachment.state === 'attached') thing.attachedAt ??= now;
      }
    }
  }

  private lookAtServer(id: string, now: number): void {
    const { world, moments } = this;
    const instance = world.ec2.instances.get(id)!;
    const host = world.hosts.all.get(id);
    moments.launchedAt ??= instance.launchedAt;
    if (instance.state === 'running') {
      moments.runningAt ??= now;
      moments.registeredAt ??= host?.ready.registeredAt;
      moments.installedAt ??= host?.ready.installedAt;
    }
    const lifecycle = world.group.members.get(id)?.lifecycle;
    if (lifecycle === 'Pending:Wait' || this.spares.has(id)) moments.waitingAt ??= now;
    this.lookAtCommand(id, now);
    if (host?.serving) moments.servedAt ??= now;
    // A spare is in service before it has the slot: its recovery ends when the row says that it serves it.
    const completed = this.spares.has(id)
      ? this.saysServed(id)
      : lifecycle === 'Pending:Proceed' || lifecycle === 'InService';
    if (completed) moments.completedAt ??= now;
    if (completed && host?.serving && lifecycle === 'InService') moments.inServiceAt ??= now;
  }

  private saysServed(id: string): boolean {
    const row = this.world.map.items.get(`slot#${this.slot}`);
    return row?.owner === id && row.servedEpoch === row.epoch;
  }

  private lookAtCommand(id: string, now: number): void {
    for (const command of this.world.ssm.commands.values()) {
      if (command.instanceId !== id) continue;
      // The last one counts: a host that could not serve was told again.
      if (this.command !== command.id && (this.moments.sentAt ?? 0) <= command.sentAt) {
        this.command = command.id;
        this.moments.sentAt = command.sentAt;
        this.moments.startedAt = undefined;
      }
      if (command.id === this.command && command.status !== 'Pending') this.moments.startedAt ??= now;
    }
  }

  private things(): { id: string; attachment?: { instanceId: string; state: string } }[] {
    const { volumes, interfaces } = this.world.ec2;
    return [
      ...[...volumes.values()]
        .filter((each) => each.slot === this.slot)
        .map(({ id, attachments }) => ({ id, attachment: attachments[0] })),
      ...[...interfaces.values()]
        .filter((each) => each.slot === this.slot)
        .map(({ id, attachment }) => ({ id, attachment })),
    ];
  }
}
