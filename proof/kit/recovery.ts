import { type PhaseName, recoveryOf } from '../../lambda/shared/timeline';
import type { GroupMember, Instance, MapSlot, NetworkInterface, Volume } from './model';

/** One look at a recovery under way. */
export interface Look {
  /** Since the old server's termination was asked for. */
  readonly seconds: number;
  readonly row: MapSlot;
  readonly members: GroupMember[];
  readonly instances: Instance[];
  readonly volumes: Volume[];
  readonly networkInterface?: NetworkInterface;
}

/** Moments of a recovery in seconds after the failure; a moment that was not seen is missing. */
export interface Moments {
  terminated?: number;
  replacementSeen?: number;
  replacementRunning?: number;
  claimed?: number;
  volumesAttached?: number;
  interfaceAttached?: number;
  served?: number;
  inService?: number;
}

/** A stretch of a recovery. */
export interface Step {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
}

/** Follows one recovery from look to look: what changed, when each moment came, whether it is over. */
export class Recovery {
  readonly moments: Moments = {};
  private previous?: Look;
  private readonly before: Set<string>;

  /** @param membersBefore the members of the group before the failure, by which the replacement is told */
  constructor(
    readonly slot: MapSlot,
    readonly victim: string,
    membersBefore: string[],
  ) {
    this.before = new Set(membersBefore);
  }

  /** The instance that takes the slot over: its owner, or until then the newest member of the group. */
  replacement(look: Look): string | undefined {
    if (look.row.owner && look.row.owner !== this.victim) return look.row.owner;
    return look.members.find(({ instanceId }) => !this.before.has(instanceId))?.instanceId;
  }

  /** Takes in one look and returns what is new in it, one line each. */
  observe(look: Look): string[] {
    const lines = this.previous ? changes(this.previous, look, this.names(look)) : [];
    this.previous = look;
    this.note(look);
    return lines;
  }

  get finished(): boolean {
    return this.moments.inService !== undefined && this.moments.served !== undefined;
  }

  private names(look: Look): Record<string, string> {
    const replacement = this.replacement(look);
    const role = replacement && this.before.has(replacement) ? 'spare' : 'replacement';
    return { [this.victim]: 'old server', ...(replacement ? { [replacement]: role } : {}) };
  }

  private note(look: Look): void {
    const replacement = this.replacement(look);
    const state = (id?: string) => look.instances.find((instance) => instance.id === id)?.state;
    const reached = (moment: keyof Moments, condition: boolean) => {
      if (condition) this.moments[moment] ??= look.seconds;
    };
    reached('terminated', state(this.victim) === 'terminated');
    if (!replacement) return;
    const owns = look.row.owner === replacement && look.row.epoch > this.slot.epoch;
    const holds = (attachment?: { instanceId: string; state: string }) =>
      attachment?.instanceId === replacement && attachment.state === 'attached';
    if (owns && this.before.has(replacement)) {
      // A spare: the server that Auto Scaling launches meanwhile is not the one that takes over.
      this.moments.replacementSeen = 0;
      this.moments.replacementRunning = 0;
    }
    reached('replacementSeen', true);
    reached('replacementRunning', state(replacement) === 'running');
    reached('claimed', owns);
    reached(
      'volumesAttached',
      owns && look.row.volumes.every((id) => look.volumes.find((v) => v.id === id)?.attachments.some(holds)),
    );
    reached('interfaceAttached', owns && holds(look.networkInterface?.attachment));
    const served = owns && look.row.servedEpoch === look.row.epoch;
    reached('served', served);
    const member = look.members.find(({ instanceId }) => instanceId === replacement);
    reached('inService', served && member?.lifecycleState === 'InService');
  }
}

/** What differs between two looks, in words. */
function changes(before: Look, now: Look, names: Record<string, string>): string[] {
  const label = (id: string) => (names[id] ? `${names[id]} ${id}` : id);
  const lines: string[] = [];
  for (const instance of now.instances) {
    const was = before.instances.find(({ id }) => id === instance.id)?.state;
    if (was !== instance.state && (was !== undefined || names[instance.id])) {
      lines.push(`${label(instance.id)} is ${instance.state}`);
    }
  }
  for (const member of now.members) {
    const was = before.members.find(({ instanceId }) => instanceId === member.instanceId)?.lifecycleState;
    if (was !== member.lifecycleState) {
      lines.push(`Auto Scaling: ${label(member.instanceId)} is ${member.lifecycleState}`);
    }
  }
  lines.push(...volumeChanges(before, now, label));
  const attachment = (look: Look) => describeAttachment(look.networkInterface?.attachment, label);
  if (attachment(before) !== attachment(now)) {
    lines.push(`interface ${now.row.networkInterfaceId} (${now.row.address}) is ${attachment(now)}`);
  }
  if (before.row.owner !== now.row.owner) {
    lines.push(
      now.row.owner
        ? `map: ${now.row.slot} belongs to ${label(now.row.owner)}, epoch ${now.row.epoch}`
        : `map: ${now.row.slot} is vacant, its old server can no longer write`,
    );
  }
  if (before.row.phase !== now.row.phase && now.row.owner) {
    lines.push(`map: ${now.row.slot} is ${now.row.phase}${now.row.reason ? ` (${now.row.reason})` : ''}`);
  }
  return lines;
}

/** Volumes that changed alike are one line: eight of them say the same thing at the same time. */
function volumeChanges(before: Look, now: Look, label: (id: string) => string): string[] {
  const alike = new Map<string, string[]>();
  for (const volume of now.volumes) {
    const state = describeAttachment(volume.attachments[0], label);
    const was = before.volumes.find(({ id }) => id === volume.id);
    if (!was || describeAttachment(was.attachments[0], label) === state) continue;
    alike.set(state, [...(alike.get(state) ?? []), volume.id]);
  }
  return [...alike].map(([state, ids]) => {
    const which = ids.length === 1 ? `volume ${ids[0]}` : `${ids.length} of ${now.volumes.length} volumes`;
    return `${which} ${ids.length === 1 ? 'is' : 'are'} ${state}`;
  });
}

function describeAttachment(
  attachment: { instanceId: string; state: string } | undefined,
  label: (id: string) => string,
) {
  if (!attachment) return 'free';
  return `${attachment.state} ${attachment.state.startsWith('detach') ? 'from' : 'to'} ${label(attachment.instanceId)}`;
}

const PHASE_TITLES: Record<PhaseName, string> = {
  detect: 'detect: the failure is noticed',
  launch: 'launch: the replacement is asked for',
  fence: 'fence: the old server is terminated',
  detach: 'detach: volumes and address are free',
  wait: 'wait: a server takes the slot',
  attach: 'attach: it has volumes and address',
  serve: 'serve: it mounts and serves',
  complete: 'complete: the group has it in service',
};

/** The phases that the workflow itself recorded in the slot's row; [] when it recorded no whole recovery. */
export function recordedPhases({ timeline = {} }: MapSlot): Step[] {
  const recovery = recoveryOf(timeline);
  if (recovery === undefined) return [];
  const since = (time: number) => Math.max(0, time - recovery.startedAt) / 1000;
  return recovery.phases.map(({ name, from, to, seconds }) => ({
    name: PHASE_TITLES[name],
    start: since(from),
    end: since(to),
    seconds,
  }));
}

/** The steps of a recovery for reports; a step whose end was never reached is left out. */
export function stepsOf(moments: Moments): Step[] {
  const free = latest(moments.terminated, moments.replacementRunning);
  const attached = latest(moments.volumesAttached, moments.interfaceAttached);
  const steps: [string, number | undefined, number | undefined][] = [
    ['Old server shuts down', 0, moments.terminated],
    ['Auto Scaling launches a replacement', 0, moments.replacementSeen],
    ['Replacement boots', moments.replacementSeen, moments.replacementRunning],
    ['Replacement claims the slot', free, moments.claimed],
    ['Volumes attach', moments.claimed, moments.volumesAttached],
    ['Network interface attaches', moments.claimed, moments.interfaceAttached],
    ['Server mounts and serves', attached, moments.served],
    ['Auto Scaling puts it in service', moments.served, moments.inService],
  ];
  return steps.flatMap(([name, from, end]) => {
    // A spare was there before: nobody waited for it.
    if (from === undefined || end === undefined || end === 0) return [];
    const start = Math.min(from, end); // two moments seen in one look may come in either order
    return [{ name, start, end, seconds: end - start }];
  });
}

export function latest(a?: number, b?: number): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.max(a, b);
}
