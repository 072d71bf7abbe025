import { COUNTED_INTERVALS } from '../../../lambda/node-health/settings';
import { NODE_HEALTH } from '../aws/grid';
import { isMiss } from '../aws/probes';
import type { World } from '../aws/world';
import { ALARM_TOLD_MS, TOLD_MS } from '../bound';
import type { Host } from '../hosts/host';
import { declared, roundRead } from '../probe-rounds';
import { type Context, type Invariant, isServed, ownerOf, slotRows, wasDone } from './invariant';

/** How often it is looked what clients reach, simulated milliseconds. */
const LOOK_MS = 5_000;

/** A server that its clients do not reach, whatever the map says. */
interface CutOff {
  readonly slot: string;
  readonly host: Host;
  readonly address: string;
}

/** Servers of served slots, in service and at rest, that serve and are not reached. */
function* cutOff(world: World): Generator<CutOff> {
  for (const [slot, row] of slotRows(world)) {
    const owner = ownerOf(row);
    const host = owner === undefined ? undefined : world.hosts.all.get(owner);
    if (host === undefined || !isServed(row) || row.released === true || !host.serving || host.way.stands)
      continue;
    const member = world.group.members.get(host.instanceId);
    const { state, impaired } = world.ec2.instances.get(host.instanceId)!;
    if (state !== 'running' || impaired || host.slot !== slot) continue;
    if (member?.lifecycle !== 'InService' || member.health !== 'Healthy') continue;
    yield { slot, host, address: String(row.address) };
  }
}

/**
 * What clients do not reach is told, with the reason: by the host's own probe where that can see it, otherwise by the
 * servers of the grid, whose alarm rings then.
 */
export function unreachableIsTold({ violated, faultsEndedAt }: Context): Invariant {
  const name = 'unreachable-is-told';
  const since = new Map<string, number>();
  let nextLook = 0;

  return {
    name,
    onStep(now) {
      const ended = faultsEndedAt();
      if (ended === undefined || now.scheduler.now() < nextLook) return;
      nextLook = now.scheduler.now() + LOOK_MS;
      // Nobody asks before the tier is there.
      if (!now.stack.verdicts.some(({ ok }) => ok)) return;
      const found = new Set<string>();
      for (const each of cutOff(now)) {
        const seen = each.host.way.probed;
        const key = `${each.slot} ${each.host.instanceId} ${seen ?? 'unseen'}`;
        found.add(key);
        if (!since.has(key)) since.set(key, now.scheduler.now());
        const ms = now.scheduler.now() - Math.max(since.get(key)!, ended);
        if (ms <= TOLD_MS) continue;
        const wrong = seen === undefined ? unsaidByClients(now, each, ms) : unsaidByProbe(now, each, seen);
        if (wrong === undefined) continue;
        violated(name, `no client has reached ${each.slot} for ${Math.round(ms / 60_000)} minutes, ${wrong}`);
        since.set(key, now.scheduler.now());
      }
      for (const key of since.keys()) if (!found.has(key)) since.delete(key);
    },
  };
}

/** What is wrong with what the health probe says of a server whose way it can see. */
function unsaidByProbe(world: World, { slot }: CutOff, seen: string): string | undefined {
  const { missing = [], why = {} } = (world.cloudWatch.roundOf('prober')?.fields ?? {}) as {
    missing?: string[];
    why?: { [slot: string]: string };
  };
  if (!missing.includes(slot)) return `${seen}, and the health probe is content`;
  const said = why[slot];
  return said === undefined || said === seen ? undefined : `${seen}, and the health probe says: ${said}`;
}

/** What is wrong with what the servers of the grid say of one that they do not reach. */
function unsaidByClients(world: World, { address }: CutOff, ms: number): string | undefined {
  if (world.grid.instanceIds.length === 0) return undefined;
  const { nodeHealth } = world.options.deployment;
  const { at = 0, fields = {} } = world.cloudWatch.roundOf(NODE_HEALTH) ?? {};
  const { cutOff: told = [] } = fields as { cutOff?: { why: string }[] };
  const isRecent = world.now() - at < (COUNTED_INTERVALS + 1) * nodeHealth.everySeconds * 1000;
  // Each server names two at most, which may be others.
  const isNamed = told.some(
    ({ why }) => why.includes(`${address}@tcp`) || why.split('unreachable:').length > 2,
  );
  if (!isRecent || !isNamed) return 'and the servers of the grid do not say so';
  return ms > ALARM_TOLD_MS && !world.cloudWatch.rings(nodeHealth.cutOff) ? 'and no alarm rings' : undefined;
}

/** What the function of a grid may call: it looks, and has servers say what they reach. */
const ASKS = /^(Describe|List)|^SendCommand$/;

/**
 * What only clients see replaces nobody, neither a server of the tier nor one of the grid: the cause may be anywhere
 * between them.
 */
export function networkReplacesNobody({ world, violated, beganAt }: Context): Invariant {
  const name = 'network-replaces-nobody';
  const read = roundRead(world);
  return {
    name,
    onMapWrite: read.onMapWrite,
    onCall(call, outcome) {
      if (!wasDone(outcome)) return;
      if (call.worker.startsWith(`${NODE_HEALTH}/`) && !ASKS.test(call.operation))
        violated(name, `the function that asks the servers of the grid calls ${call.operation}`);
      const id = declared(call, outcome);
      const host = id === undefined ? undefined : world().hosts.all.get(id);
      if (host?.serving !== true || !host.way.isUnseen || host.way.probed !== undefined) return;
      const own = read.before(beganAt(call.worker)).filter(({ instanceId }) => instanceId === id);
      if (!own.some(isMiss))
        violated(name, `${id} was declared unhealthy, of which only clients know that it is not reached`);
    },
  };
}
