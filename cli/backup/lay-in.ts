import { type Document, isMap, parseDocument, type YAMLMap } from 'yaml';
import type { FoundSet, FoundSnapshot } from '../../lambda/shared/backup-set';
import { KEYS } from '../../lib/file-systems/keys';
import { OptionError } from '../arguments';
import { FSX_LUSTRE, layInFsx } from './fsx';

/** Where a configuration names the tiers of each kind. */
const PLACES = Object.fromEntries(KEYS.flatMap(({ tiersOfSet = {} }) => Object.entries(tiersOfSet)));

/**
 * The configuration with a set laid in: its snapshots server by server in serving order, and for Lustre the addresses
 * that its targets know.
 *
 * @param region where the set is. In another one than the configuration names, a zone has to be chosen anew
 * @throws OptionError when they do not fit together
 */
export function layIn(text: string, file: string, set: FoundSet, region?: string): string {
  const document = parseDocument(text);
  const managed = set.kind === FSX_LUSTRE;
  const places = managed ? {} : PLACES[set.kind];
  if (places === undefined || document.errors.length > 0 || !isMap(document.contents))
    throw new OptionError(`${file} cannot be read, or the set ${set.set} is of the kind '${set.kind}'`);
  const lustre = set.kind === 'lustre';
  if (lustre && document.has('existingNetwork')) {
    throw new OptionError(
      'Targets of Lustre know the addresses that they were served at. In an existing network these may be taken, so ' +
        'that it is restored into a network of its own only: leave existingNetwork out.',
    );
  }
  if (managed) layInFsx(document, file, set);
  const tiers = new Set(managed ? [] : set.snapshots.map(({ tier }) => tier));
  for (const [tier, path] of Object.entries(places)) {
    const own = inOrder(set.snapshots.filter((each) => each.tier === tier));
    if (own.length === 0) throw new OptionError(`the set ${set.set} has no snapshot of tier ${tier}`);
    tiers.delete(tier);
    if (!document.hasIn([path[0]!])) throw new OptionError(`${file} has no ${path[0]}, of which the set is`);
    const at = mapAt(document, path);
    at.delete('existingVolumes');
    at.set(
      'restoreFrom',
      document.createNode({ set: set.set, snapshots: own.map(({ snapshotId }) => snapshotId) }),
    );
    if (!lustre) continue;
    const addresses = new Map(own.map(({ slot, address }) => [slot, address]));
    at.set('addresses', document.createNode([...addresses.values()]));
    if (tier === 'oss') at.set('count', addresses.size);
  }
  if (tiers.size > 0)
    throw new OptionError(`the set ${set.set} has the tiers ${[...tiers].join(', ')} besides`);
  // Of the deployment that is there: two of them would be one name for two servers.
  for (const path of [
    ['nfs', 'address'],
    ['nfs', 'hostedZone'],
    ['io2', 'addresses'],
    ['io2', 'existingVolumes'],
  ])
    if (!lustre && document.hasIn(path)) document.deleteIn(path);
  if (region !== undefined && (document.get('region') ?? region) !== region) {
    document.set('region', region);
    document.deleteIn(['network', 'availabilityZone']);
  }
  return document.toString({ lineWidth: 120 });
}

function mapAt(document: Document, path: readonly string[]): YAMLMap {
  for (let length = 1; length <= path.length; length += 1) {
    const part = path.slice(0, length);
    if (!isMap(document.getIn(part))) document.setIn(part, document.createNode({}));
  }
  return document.getIn(path) as YAMLMap;
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** By slots, then places; each place is there once. */
function inOrder(snapshots: readonly FoundSnapshot[]): FoundSnapshot[] {
  const sorted = [...snapshots].sort(
    (a, b) => COLLATOR.compare(a.slot, b.slot) || (a.position ?? -1) - (b.position ?? -1),
  );
  let slot = '';
  let next = 0;
  let servers = -1;
  for (const each of sorted) {
    if (each.slot !== slot) {
      slot = each.slot;
      next = 0;
      servers += 1;
    }
    if (each.position !== next || Number(slot.slice(slot.lastIndexOf('-') + 1)) !== servers)
      throw new OptionError(
        `the set is incomplete, or mixed: ${each.snapshotId} is position ${each.position} of ${slot}`,
      );
    next += 1;
  }
  return sorted;
}
