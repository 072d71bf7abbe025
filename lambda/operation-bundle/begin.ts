import { describeError } from '../shared/log';
import { hostFile, type Part, type Plan, sourceOf } from './plan';
import type { Host, Ports } from './ports';
import { MOST_HOURS, type Settings, USUAL_HOURS } from './settings';

/** What asking again does not change. The workflow knows it by its name. */
export class BundleRefused extends Error {
  public override readonly name = 'BundleRefused';
}

interface Request {
  readonly sinceHours: number;
  /** Only these hosts; all without it. */
  readonly hosts?: readonly string[];
}

/** Looks what there is to collect. What cannot be looked for is said, and keeps nothing else from being collected. */
export async function begin(id: string, input: unknown, ports: Ports, settings: Settings): Promise<Plan> {
  const { sinceHours, hosts: only } = requestOf(input);
  const unread: string[] = [];
  const read = async <T>(what: string, otherwise: T, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      unread.push(`${what} cannot be looked for: ${describeError(error)}`);
      return otherwise;
    }
  };
  const owners = new Map<string, string>();
  for (const table of settings.tables)
    for (const [instanceId, slot] of await read('the owners of slots', new Map<string, string>(), () =>
      ports.sources.owners(table),
    ))
      owners.set(instanceId, slot);
  const found = await read('hosts', [] as Host[], () => ports.hosts.find());
  const hosts = found
    .map((host) => ({ ...host, slot: owners.get(host.instanceId) }))
    .sort((a, b) => hostFile(a).localeCompare(hostFile(b)));
  const missing = (only ?? []).filter((one) => !hosts.some(({ instanceId }) => instanceId === one));
  if (missing.length > 0)
    throw new BundleRefused(
      `hosts has ${missing.join(', ')}; allowed: instances of ${settings.deployment}: ` +
        `${hosts.map(({ instanceId }) => instanceId).join(', ') || 'there are none'}`,
    );
  const at = ports.now();
  return {
    format: 1,
    deployment: settings.deployment,
    id,
    at: new Date(at).toISOString(),
    since: new Date(at - sinceHours * 3_600_000).toISOString(),
    parts: await partsOf(ports, settings, read),
    hosts: only ? hosts.filter(({ instanceId }) => only.includes(instanceId)) : hosts,
    unread,
  };
}

async function partsOf(
  { sources }: Ports,
  { stacks, tables }: Settings,
  read: <T>(what: string, otherwise: T, call: () => Promise<T>) => Promise<T>,
): Promise<Part[]> {
  const parts: Part[] = tables.map((table, at) => ({
    kind: 'rows',
    table,
    file: `volume-map${at === 0 ? '' : `-${at + 1}`}.json`,
    from: `the table ${table}`,
  }));
  parts.push({
    kind: 'alarms',
    file: 'alarms.json',
    from: 'the alarms of the deployment, with their history',
  });
  for (const name of stacks) {
    const stack = await read(`the stack ${name}`, undefined, () => sources.stack(name));
    if (!stack) continue;
    parts.push({ kind: 'stack', stack: name, file: `stacks/${name}.json`, from: `the stack ${name}` });
    const taken = new Set<string>();
    for (const { logicalId, group } of stack.logs) {
      let source = sourceOf(logicalId);
      if (taken.has(source)) source = logicalId;
      taken.add(source);
      parts.push({ kind: 'log', group, file: `logs/${name}/${source}.log`, from: `the log group ${group}` });
    }
  }
  return parts;
}

function requestOf(input: unknown): Request {
  const given = (input ?? {}) as { sinceHours?: unknown; hosts?: unknown };
  const sinceHours = given.sinceHours ?? USUAL_HOURS;
  if (typeof sinceHours !== 'number' || !(sinceHours > 0 && sinceHours <= MOST_HOURS))
    throw new BundleRefused(
      `sinceHours is ${JSON.stringify(sinceHours)}; allowed: a number above 0, at most ${MOST_HOURS}. ` +
        'Start the workflow again with another one.',
    );
  const { hosts } = given;
  if (hosts === undefined) return { sinceHours };
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.some((one) => typeof one !== 'string'))
    throw new BundleRefused(
      `hosts is ${JSON.stringify(hosts)}; allowed: a list of ids of instances, or nothing`,
    );
  return { sinceHours, hosts };
}
