import { withoutSecrets } from '../../constructs/operations/secrets';
import { describeError } from '../shared/log';
import { begin } from './begin';
import {
  type Asked,
  type Contents,
  contentsText,
  type Entry,
  hostFile,
  hostName,
  type Part,
  type Plan,
} from './plan';
import type { Ports, Taken } from './ports';
import { CALL_MS, HOST_SECONDS, LOOK_SECONDS, type Settings } from './settings';

/** What the workflow asks for; `id` is the name of its execution. */
export type BundleEvent =
  | { readonly action: 'begin'; readonly id: string; readonly input?: unknown }
  | { readonly action: 'ask' | 'look' | 'index'; readonly id: string }
  | { readonly action: 'collect'; readonly id: string; readonly next: number };

/** Where the objects of a bundle are; what begins with a dot in it is of the function alone. */
export const folderOf = (id: string): string => `bundles/${id}`;
const planKey = (id: string): string => `${folderOf(id)}/.state/plan.json`;
const askedKey = (id: string): string => `${folderOf(id)}/.state/asked.json`;
const entryKey = (id: string, part: number): string => `${folderOf(id)}/.state/part-${part}.json`;

/**
 * One step of a bundle. Each may be done again after a death at any moment: what it writes has names of its own, and a
 * host that is asked twice sends the same twice. What cannot be had is a line of the contents, and never an error.
 */
export async function handle(event: BundleEvent, ports: Ports, settings: Settings): Promise<object> {
  const { id } = event;
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(id))
    throw new Error(`id is '${id}'; allowed: letters, digits, - and _, at most 80`);
  if (event.action === 'begin') {
    const plan =
      (await ports.store.read<Plan>(planKey(id))) ?? (await begin(id, event.input, ports, settings));
    await ports.store.write(planKey(id), JSON.stringify(plan));
    return { parts: plan.parts.length, hosts: plan.hosts.length };
  }
  const plan = await ports.store.read<Plan>(planKey(id));
  if (!plan)
    throw new Error(`there is no plan of the bundle ${id}: it was not begun, or its files have expired`);
  switch (event.action) {
    case 'ask':
      return ask(plan, ports);
    case 'collect':
      return collect(plan, event.next, ports, settings);
    case 'look':
      return look(plan, ports);
    case 'index':
      return index(plan, ports);
  }
}

/** Sends every host the program, with an address of its own. */
async function ask(plan: Plan, { hosts, store, now }: Ports): Promise<object> {
  const known = (await store.read<{ asked: Asked[] }>(askedKey(plan.id)))?.asked ?? [];
  const running = plan.hosts.filter(({ state }) => state === 'running').map(({ instanceId }) => instanceId);
  const reachable = await hosts.reachable(running);
  const since = Math.floor(Date.parse(plan.since) / 1000);
  const asked: Asked[] = [];
  for (const host of plan.hosts) {
    const { instanceId, state } = host;
    const line = { instanceId, file: hostFile(host), from: hostName(host) };
    const before = known.find((one) => one.instanceId === instanceId);
    const status = reachable.get(instanceId);
    if (before) asked.push(before);
    else if (state !== 'running') asked.push({ ...line, why: `it is ${state}` });
    else if (status !== 'Online')
      asked.push({
        ...line,
        why: `its agent of Systems Manager does not answer (${status ?? 'never seen'})`,
      });
    else
      try {
        const address = await store.address(`${folderOf(plan.id)}/${line.file}`);
        asked.push({ ...line, command: await hosts.ask(instanceId, address, since) });
      } catch (error) {
        asked.push({ ...line, why: `it could not be asked: ${describeError(error)}` });
      }
  }
  await store.write(askedKey(plan.id), JSON.stringify({ at: now(), asked }));
  return { asked: asked.filter((one) => 'command' in one).length };
}

/** Collects parts from that one on, as many as there is time for. */
async function collect(plan: Plan, first: number, ports: Ports, settings: Settings): Promise<object> {
  const end = ports.now() + CALL_MS;
  let next = first;
  while (next < plan.parts.length && ports.now() < end) {
    const part = plan.parts[next]!;
    const { file, from } = part;
    let entry: Entry;
    try {
      const { text, remark } = await take(part, plan, ports, settings);
      const clean = withoutSecrets(text);
      if (clean !== '') await ports.store.write(`${folderOf(plan.id)}/${file}`, clean);
      entry =
        clean === ''
          ? { file, from, remark: remark ?? 'nothing in this time' }
          : { file, from, bytes: Buffer.byteLength(clean), remark };
    } catch (error) {
      entry = { file, from, remark: withoutSecrets(describeError(error)) };
    }
    await ports.store.write(entryKey(plan.id, next), JSON.stringify(entry));
    next += 1;
  }
  return { next, left: next < plan.parts.length };
}

function take(part: Part, { since }: Plan, { sources }: Ports, { stacks }: Settings): Promise<Taken> {
  switch (part.kind) {
    case 'rows':
      return sources.rows(part.table);
    case 'stack':
      return sources.stackStory(part.stack);
    case 'alarms':
      return sources.alarms(stacks, since);
    case 'log':
      return sources.log(part.group, since);
  }
}

/** Whether all hosts have sent their part, or will not. */
async function look(plan: Plan, ports: Ports): Promise<object> {
  const { waiting, late } = await answers(plan, ports);
  return {
    outcome: waiting.length > 0 && !late ? 'wait' : 'ended',
    waitSeconds: LOOK_SECONDS,
    waiting: waiting.length,
  };
}

async function answers(plan: Plan, { hosts, store, now }: Ports) {
  const { at, asked } = (await store.read<{ at: number; asked: Asked[] }>(askedKey(plan.id))) ?? {
    at: now(),
    asked: plan.hosts.map((host) => ({
      instanceId: host.instanceId,
      file: hostFile(host),
      from: hostName(host),
      why: 'it was not asked',
    })),
  };
  const sizes = await store.sizes(`${folderOf(plan.id)}/`);
  const commands = asked.flatMap((one) => ('command' in one ? [one.command] : []));
  const looks = commands.length > 0 ? await hosts.look(commands) : new Map();
  const waiting: string[] = [];
  const entries = asked.map((one): Entry => {
    const { file, from } = one;
    const bytes = sizes.get(`${folderOf(plan.id)}/${file}`);
    if (bytes !== undefined) return { file, from, bytes };
    if ('why' in one) return { file, from, remark: withoutSecrets(one.why) };
    const { ended, why } = looks.get(one.command) ?? { ended: false };
    if (!ended) waiting.push(one.instanceId);
    const otherwise = ended ? 'it has sent nothing' : `it did not answer within ${HOST_SECONDS} s`;
    return { file, from, remark: withoutSecrets(why ?? otherwise) };
  });
  return { entries, waiting, late: now() - at > HOST_SECONDS * 1000 };
}

/** Writes what is in the bundle. */
async function index(plan: Plan, ports: Ports): Promise<object> {
  const parts = await Promise.all(
    plan.parts.map(async ({ file, from }, at): Promise<Entry> => {
      const entry = await ports.store.read<Entry>(entryKey(plan.id, at));
      return entry ?? { file, from, remark: 'the function ended before it was collected' };
    }),
  );
  const { entries } = await answers(plan, ports);
  const unread = plan.unread.map((remark): Entry => ({ file: '-', from: plan.deployment, remark }));
  const all = [...parts, ...entries, ...unread];
  const { deployment, id, at, since } = plan;
  const contents: Contents = {
    format: 1,
    deployment,
    id,
    at,
    since,
    files: all.filter(({ bytes }) => bytes !== undefined),
    missing: all.filter(({ bytes }) => bytes === undefined),
  };
  await ports.store.write(`${folderOf(id)}/contents.txt`, contentsText(contents));
  // The last one: who sees it knows that all is there.
  await ports.store.write(`${folderOf(id)}/contents.json`, JSON.stringify(contents));
  return { folder: folderOf(id), files: contents.files.length, missing: contents.missing.length };
}
