import { count } from '../../cli/terminal';
import type { Transition } from './history';
import type { Check, Estate, MapSlot } from './model';
import { readMounts } from './mounts';
import { machinesOf } from './report-json';

/** What the checks of an NFS server look at. */
export interface NfsEvidence {
  readonly estate: Estate;
  readonly history: Transition[];
  /** What each running host has mounted by NFS: sources, by instance id. */
  readonly nfsMounts?: Record<string, string[]>;
  /** The server that was terminated. */
  readonly victim?: string;
}

/** What must hold of NFS servers and the hosts that mount their exports; nothing in a deployment without them. */
export function nfsChecks(evidence: NfsEvidence): Check[] {
  const slots = evidence.estate.slots.filter(({ tier }) => tier === 'nfs');
  if (slots.length === 0) return [];
  const clients = clientsOf(evidence);
  return [
    check(
      'export-served',
      'The export is served at its address, always under the same name of the NFS server',
      slots.map(({ address }) => address).join(', '),
      slots.flatMap((slot) => serverFaults(slot, evidence)),
    ),
    check(
      'export-mounted',
      'Every client has the export mounted, and its server answers',
      count(clients.length, 'client'),
      clients.length ? clients.flatMap((id) => mountFaults(id, slots, evidence)) : ['no client runs'],
    ),
  ];
}

/** The NFS mounts of the running hosts in a state folder of the embedded AWS. */
export function readNfsMounts(state: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(readMounts(state)).map(([host, mounts]) => [
      host,
      mounts.filter(({ type }) => type === 'nfs4').map(({ source }) => source),
    ]),
  );
}

/**
 * The running machines with this project's software; a NAT instance, for one, has other user data and mounts nothing.
 */
function clientsOf({ estate, history }: NfsEvidence): string[] {
  const others = new Set(
    history.filter(({ kind, to }) => kind === 'user-data' && to === 'not run').map(({ id }) => id),
  );
  return machinesOf(estate)
    .map(({ instance }) => instance)
    .filter((id) => !others.has(id));
}

/** Clients reclaim their locks only from a server of the scope that they knew. */
function serverFaults({ slot, address, owner }: MapSlot, { history, victim }: NfsEvidence): string[] {
  const records = history.filter(({ kind, id }) => kind === 'nfs-server' && id === address);
  const starts = records.filter(({ to }) => to !== null);
  const last = records.at(-1);
  const scopes = [...new Set(starts.map(({ scope }) => scope ?? ''))];
  const faults: string[] = [];
  if (last?.to !== owner)
    faults.push(`${address} is served by ${last?.to ?? 'nobody'}, its owner is ${owner}`);
  if (scopes.includes('')) faults.push(`${address} was served without a name`);
  if (scopes.length > 1) faults.push(`the name of ${address} changed: ${scopes.join(', ')}`);
  if (victim && !starts.some(({ to }) => to === victim)) faults.push(`${victim} never served ${address}`);
  return faults.map((fault) => `${slot}: ${fault}`);
}

/** The record of a mount shows that it was granted; the table of mounts, that it is still there. */
function mountFaults(client: string, slots: MapSlot[], { history, nfsMounts = {} }: NfsEvidence): string[] {
  const granted = history.filter(({ kind, to }) => kind === 'nfs-mount' && to === client);
  const ours = (source: string) => slots.some(({ address }) => source.startsWith(`${address}:/`));
  if (!granted.some(({ id }) => ours(id))) return [`${client} has never mounted it`];
  const now = (nfsMounts[client] ?? []).filter(ours);
  return now.length === 1 ? [] : [`${client} has it mounted ${now.length} times`];
}

function check(id: string, title: string, detail: string, faults: string[]): Check {
  return { id, title, passed: faults.length === 0, detail: faults.length ? faults.join('; ') : detail };
}
