import type { Log } from '../../../lambda/shared/log';
import type { OwnerRow, SlotRow } from '../../../lambda/shared/map';
import type {
  CommandStatus,
  ComputePort,
  GroupPort,
  HostPort,
  Order,
  Outcome,
  Ports,
} from '../../../lambda/volume-reconciler/ports';
import type { Settings } from '../../../lambda/volume-reconciler/settings';
import { MemoryMap } from './memory-map';

export const SETTINGS: Settings = {
  tier: 'oss',
  tierTag: 'stack/Oss',
  groupName: 'stack-oss',
  launchHook: 'serve-slot',
  terminateHook: 'let-go',
  slots: ['oss-00', 'oss-01'],
  spareServers: 0,
  recoveryTimeoutSeconds: 3600,
};

export const SILENT: Log = { info: () => undefined, error: () => undefined, metrics: () => undefined };

interface Machine {
  state: string;
  since: number;
  launchedAt: number;
  endedAt?: number;
  /** Epoch it was last told, and the slot. */
  knows?: { slot: string; epoch: number };
  serves?: string;
}

interface Disk {
  attachment?: { instanceId: string; state: string; since: number };
  tagged: boolean;
  blank: boolean;
  formats: number;
}

interface Nic {
  attachment?: { id: string; instanceId: string; state: string; since: number };
}

/**
 * A small EC2, Auto Scaling and Systems Manager with a clock that only tests move. It keeps a list of what must never
 * happen.
 */
export class World {
  now = Date.parse('2026-01-01T00:00:00Z');
  readonly map = new MemoryMap();
  readonly machines = new Map<string, Machine>();
  readonly lifecycle = new Map<string, string>();
  readonly disks = new Map<string, Disk>();
  readonly nics = new Map<string, Nic>();
  readonly violations: string[] = [];
  readonly snapshots: { id: string; volumeId: string; finding: string; at: number }[] = [];
  /** All fail: in the end, or at once with this error. */
  snapshotsFail: string | undefined;
  readonly completed: string[] = [];
  readonly unhealthy: string[] = [];
  readonly commands = new Map<string, { instanceId: string; order: Order; at: number; exitCode: number }>();
  /** Exit codes that the next commands end with, instead of serving. */
  readonly failures: number[] = [];
  private serial = 0;

  constructor(
    readonly slotCount = 2,
    readonly spares = 0,
    /** Seconds that a server takes from its launch until it runs. */
    readonly boot = 5,
  ) {
    for (let index = 0; index < slotCount; index++) {
      const slot = `oss-0${index}`;
      const volumes = [0, 1].map((position) => ({
        volumeId: `vol-${index}${position}`,
        device: `/dev/sd${position}`,
      }));
      for (const { volumeId } of volumes)
        this.disks.set(volumeId, { tagged: false, blank: true, formats: 0 });
      this.nics.set(`eni-${index}`, {});
      this.map.slots.set(slot, row(slot, `eni-${index}`, volumes));
    }
    for (let index = 0; index < slotCount + spares; index++) this.launch();
  }

  launch(): string {
    this.serial += 1;
    const id = `i-${String(this.serial).padStart(3, '0')}`;
    this.machines.set(id, { state: 'pending', since: this.now, launchedAt: this.now });
    this.lifecycle.set(id, 'Pending');
    return id;
  }

  kill(id: string): void {
    const machine = this.machines.get(id)!;
    machine.state = 'shutting-down';
    machine.endedAt = this.now;
    machine.since = this.now;
    this.lifecycle.delete(id);
  }

  /** Ends a launch that waits, or stops it: the group looks at members in service only, and keeps it as a member. */
  lose(id: string, state: 'shutting-down' | 'stopped' = 'shutting-down'): void {
    Object.assign(this.machines.get(id)!, { state, endedAt: this.now, since: this.now });
  }

  /** Lets time pass, second by second. */
  advance(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.now += 1000;
      this.tick();
    }
  }

  private tick(): void {
    const old = (since: number, seconds: number) => this.now - since >= seconds * 1000;
    for (const [id, machine] of this.machines) {
      if (machine.state === 'pending' && old(machine.since, this.boot)) {
        machine.state = 'running';
        this.lifecycle.set(id, 'Pending:Wait');
      }
      if (machine.state === 'shutting-down' && old(machine.since, 20)) {
        machine.state = 'terminated';
        machine.serves = undefined;
        for (const disk of this.disks.values())
          if (disk.attachment?.instanceId === id) disk.attachment = undefined;
        for (const nic of this.nics.values())
          if (nic.attachment?.instanceId === id) nic.attachment = undefined;
      }
    }
    for (const thing of [...this.disks.values(), ...this.nics.values()]) {
      if (thing.attachment?.state === 'attaching' && old(thing.attachment.since, 2))
        thing.attachment.state = 'attached';
    }
    for (const [id, state] of this.lifecycle) {
      if (state === 'Pending:Proceed') this.lifecycle.set(id, 'InService');
    }
    while (this.lifecycle.size < this.slotCount + this.spares) this.launch();
    this.checkServers();
  }

  private checkServers(): void {
    const serving = [...this.machines].filter(([, machine]) => machine.serves !== undefined);
    for (const [id, machine] of serving) {
      const twin = serving.find(([other, { serves }]) => other !== id && serves === machine.serves);
      if (twin) this.violations.push(`${machine.serves} is served by ${id} and ${twin[0]}`);
    }
  }

  ports(): Ports {
    return {
      clock: { now: () => this.now },
      log: SILENT,
      map: this.map,
      compute: this.compute(),
      group: this.group(),
      hosts: this.hosts(),
    };
  }

  private attach(thing: Disk | Nic, id: string, instanceId: string): Outcome {
    const machine = this.machines.get(instanceId);
    if (machine === undefined) return { done: false, code: 'InvalidInstanceID.NotFound' };
    if (machine.state !== 'running') return { done: false, code: 'IncorrectState' };
    if (thing.attachment) return { done: false, code: 'VolumeInUse' };
    thing.attachment = { id: `attach-${id}-${instanceId}`, instanceId, state: 'attaching', since: this.now };
    return { done: true };
  }

  private snapshotState(at: number): string {
    if (this.now - at < 90_000) return 'pending';
    return this.snapshotsFail === 'error' ? 'error' : 'completed';
  }

  private compute(): ComputePort {
    const attachmentOf = (thing: Disk) => (thing.attachment ? [{ ...thing.attachment }] : []);
    return {
      instances: async () =>
        [...this.machines].map(([id, { state, launchedAt, endedAt }]) => ({
          id,
          state,
          launchedAt,
          endedAt,
          zone: 'a',
        })),
      volumes: async () =>
        [...this.disks].map(([id, disk]) => ({
          id,
          state: disk.attachment ? 'in-use' : 'available',
          zone: 'a',
          attachments: attachmentOf(disk),
          formatted: disk.tagged,
          fromSnapshot: false,
        })),
      interfaces: async () =>
        [...this.nics].map(([id, { attachment }]) => ({
          id,
          status: attachment ? 'in-use' : 'available',
          zone: 'a',
          attachment: attachment && { ...attachment },
        })),
      attachVolume: async (volumeId, instanceId) =>
        this.attach(this.disks.get(volumeId)!, volumeId, instanceId),
      attachInterface: async (id, instanceId) => this.attach(this.nics.get(id)!, id, instanceId),
      detachVolume: async (volumeId, instanceId) => {
        if (this.machines.get(instanceId)?.state !== 'terminated') {
          this.violations.push(`${volumeId} detached from ${instanceId}, which can still write`);
        }
        this.disks.get(volumeId)!.attachment = undefined;
        return { done: true };
      },
      detachInterface: async () => ({ done: true }),
      keepVolumes: async () => ({ done: true }),
      keepInterface: async () => ({ done: true }),
      snapshots: async (findings) =>
        this.snapshots
          .filter(({ finding }) => findings.includes(finding))
          .map(({ at, ...each }) => ({ ...each, state: this.snapshotState(at) })),
      createSnapshot: async (volumeId, _slot, finding) => {
        const error = this.snapshotsFail;
        if (error !== undefined && error !== 'error') throw Object.assign(new Error(error), { name: error });
        const id = `snap-${String(this.snapshots.length + 1).padStart(8, '0')}`;
        this.snapshots.push({ id, volumeId, finding, at: this.now });
        return { done: true };
      },
      markFormatted: async (volumeIds) => {
        for (const id of volumeIds) this.disks.get(id)!.tagged = true;
        return { done: true };
      },
    };
  }

  private group(): GroupPort {
    return {
      members: async () =>
        [...this.lifecycle].map(([instanceId, lifecycle]) => ({ instanceId, lifecycle, healthy: true })),
      heartbeat: async () => ({ done: true }),
      complete: async (instanceId, hook, result) => {
        if (this.lifecycle.get(instanceId) !== 'Pending:Wait' || hook !== SETTINGS.launchHook) {
          return { done: false, code: 'ValidationError' };
        }
        const isSpare = this.idle().length < this.spares;
        if (result === 'CONTINUE' && this.machines.get(instanceId)?.serves === undefined && !isSpare) {
          this.violations.push(`launch of ${instanceId} completed although it serves nothing`);
        }
        this.completed.push(`${instanceId} ${result}`);
        if (result === 'CONTINUE') this.lifecycle.set(instanceId, 'Pending:Proceed');
        else this.kill(instanceId);
        return { done: true };
      },
      markUnhealthy: async (instanceId) => {
        if (!this.lifecycle.has(instanceId)) return { done: false, code: 'ValidationError' };
        if (this.machines.get(instanceId)?.serves !== undefined) {
          this.violations.push(`${instanceId} is called unhealthy although it serves`);
        }
        this.unhealthy.push(instanceId);
        this.kill(instanceId);
        return { done: true };
      },
    };
  }

  /** Members in service that serve nothing. */
  idle(): string[] {
    return [...this.lifecycle]
      .filter(([id, state]) => state === 'InService' && this.machines.get(id)?.serves === undefined)
      .map(([id]) => id);
  }

  private hosts(): HostPort {
    return {
      tell: async (instanceId, order) => {
        const machine = this.machines.get(instanceId)!;
        // The agent registers some seconds after the instance runs.
        const registered = this.now - machine.launchedAt >= 15_000;
        if (machine.state !== 'running' || !registered) return { code: 'InvalidInstanceId' };
        this.serial += 1;
        const id = `command-${this.serial}`;
        this.commands.set(id, {
          instanceId,
          order,
          at: this.now,
          exitCode: this.serve(instanceId, machine, order),
        });
        return { id };
      },
      statuses: async (asked) =>
        Object.fromEntries(asked.map(({ slot, id }): [string, CommandStatus] => [slot, this.statusOf(id)])),
    };
  }

  private statusOf(commandId: string): CommandStatus {
    const command = this.commands.get(commandId);
    if (!command) return { state: 'unknown' };
    if (this.now - command.at < 3000) return { state: 'pending' };
    if (command.exitCode === 0) return { state: 'success', exitCode: 0 };
    return { state: 'failed', exitCode: command.exitCode, detail: 'as told' };
  }

  /** What sas-grid-serve does on a host. */
  private serve(instanceId: string, machine: Machine, order: Order): number {
    if (machine.knows && (machine.knows.slot !== order.slot || machine.knows.epoch > order.epoch)) {
      this.violations.push(
        `${instanceId} knows ${JSON.stringify(machine.knows)} and is told ${JSON.stringify(order)}`,
      );
      return 3;
    }
    machine.knows = { slot: order.slot, epoch: order.epoch };
    const failure = this.failures.shift();
    if (failure !== undefined) return failure;
    const served = order.volumeIds.filter((id) => this.disks.get(id)!.tagged);
    if (order.mayFormat && served.length > 0)
      this.violations.push(`${served} may be formatted although served once`);
    for (const volumeId of order.volumeIds) {
      const disk = this.disks.get(volumeId)!;
      if (disk.attachment?.instanceId !== instanceId || disk.attachment.state !== 'attached') {
        this.violations.push(`${instanceId} is told to serve ${volumeId} which it does not hold`);
        return 75;
      }
      if (disk.blank) {
        if (!order.mayFormat) return 4;
        if (disk.tagged || disk.formats > 0) this.violations.push(`${volumeId} is formatted again`);
        if (!this.map.slots.get(order.slot)?.formatOffered)
          this.violations.push(`${volumeId} is formatted, and the map does not know that it may be`);
        disk.blank = false;
        disk.formats += 1;
      }
    }
    machine.serves = order.slot;
    return 0;
  }

  ownerOf(slot: string): string | undefined {
    return this.map.slots.get(slot)?.owner;
  }
}

export function row(slot: string, networkInterfaceId: string, volumes: SlotRow['volumes']): SlotRow {
  return {
    slot,
    networkInterfaceId,
    address: '10.0.0.1',
    volumes,
    epoch: 0,
    servedEpoch: 0,
    formatted: false,
    formatOffered: false,
    phase: 'vacant',
    timeline: {},
    servings: [],
    released: false,
  };
}

export type { OwnerRow };
