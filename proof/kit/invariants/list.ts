/**
 * All that must never happen, once, with the numbers of the protocol (docs/failover-protocol.md, "Invariants", whose
 * list a test holds to this one). The demo and chaos look for it in what the embedded AWS has recorded
 * (proof/kit/record); the simulation, which knows what every host does, at each step (proof/simulation/invariants).
 * What they have in common of an invariant is one rule (rules.ts).
 */
export const HOUSES = ['demo', 'chaos', 'simulation'] as const;
export type House = (typeof HOUSES)[number];

interface Listed {
  /** Of the protocol: the promise, and a letter where more than one invariant holds it. */
  readonly number: string;
  /** As reports have it. */
  readonly name: string;
  readonly promise: string;
  readonly checkedBy: readonly House[];
  /** Why the others do not. */
  readonly notElsewhere?: string;
}

const EVERYWHERE = HOUSES;
const SIMULATION: readonly House[] = ['simulation'];
const RECORD: readonly House[] = ['demo', 'chaos'];

const NO_SUCH_FAULT = 'in the others nothing happens that could break it';
const NEEDS_TRUTH = 'no record says it; the simulation knows what hosts and workers know';
const NEEDS_TIME = 'it takes simulated hours';

export const INVARIANTS = [
  {
    number: '1a',
    name: 'one-writer',
    promise: 'Nothing is attached to a server while another one that had it can still write to it',
    checkedBy: EVERYWHERE,
  },
  {
    number: '1b',
    name: 'never-taken-from-living',
    promise:
      'Nothing is detached from an instance that may still write, nothing by force, and neither is asked for',
    checkedBy: EVERYWHERE,
  },
  {
    number: '1c',
    name: 'one-server',
    promise: 'No two hosts serve the same slot at the same time',
    checkedBy: EVERYWHERE,
  },
  {
    number: '2',
    name: 'one-owner',
    promise: 'No slot has two owners, and no instance two slots',
    checkedBy: EVERYWHERE,
  },
  {
    number: '3',
    name: 'epochs-grow',
    promise: 'The epoch of a slot grows by one with each change of owner, and never otherwise',
    checkedBy: EVERYWHERE,
  },
  {
    number: '4',
    name: 'released-after-end',
    promise:
      'A slot leaves its owner only when that is terminated, or stopped, outside its group and without anything of it',
    checkedBy: EVERYWHERE,
  },
  {
    number: '5a',
    name: 'formatted-once',
    promise: 'Nothing is formatted that was formatted before',
    checkedBy: EVERYWHERE,
  },
  {
    number: '5b',
    name: 'offered-to-the-blank',
    promise: 'Formatting is not offered once the map knows of data, not even by a worker that looked before',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TRUTH,
  },
  {
    number: '5c',
    name: 'tag-before-row',
    promise: 'The volumes carry their tag before the row says that they hold data',
    checkedBy: SIMULATION,
    notElsewhere: 'the calls of a record would show it, and nobody has written that',
  },
  {
    number: '6',
    name: 'nothing-deleted',
    promise:
      'Nothing of a slot is to be deleted with a server that its group terminates, once a pass could know',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '7a',
    name: 'served-is-true',
    promise: 'A row says served only when its owner’s host has said so, for this epoch',
    checkedBy: EVERYWHERE,
  },
  {
    number: '7b',
    name: 'loss-noticed',
    promise: 'A row does not go on to say served of an owner that lacks a volume or the interface',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '7c',
    name: 'continued-after-served',
    promise: 'A launch is let through only when its server serves a slot, or no slot needs it',
    checkedBy: EVERYWHERE,
  },
  {
    number: '8',
    name: 'completed-once',
    promise: 'Every lifecycle action is completed, once, and none is left to its time-out',
    checkedBy: EVERYWHERE,
  },
  {
    number: '9',
    name: 'repaired-after-snapshots',
    promise:
      'No repair that may lose something begins without a completed snapshot of each volume of the slot',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '10a',
    name: 'turns-go-on',
    promise: 'The right to write rows never goes back to a request that CloudFormation made before',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '10b',
    name: 'keeps-its-map',
    promise: 'No request takes another map than that of the tier, and going back to it is not refused',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '10c',
    name: 'permissions-awaited',
    promise: 'No deployment fails because a role that it has changed does not count yet',
    checkedBy: SIMULATION,
    notElsewhere: 'a deployment that fails ends the others’ run',
  },
  {
    number: '11a',
    name: 'given-up-with-cause',
    promise: 'The reconciler has no server replaced that serves and that nobody has told to',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TRUTH,
  },
  {
    number: '11b',
    name: 'repairs-end',
    promise: 'Nor one that repairs or mounts a file system and has said so',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '11c',
    name: 'replaced-alone',
    promise: 'The prober declares one server unhealthy at a time, with its pause in between',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TIME,
  },
  {
    number: '11d',
    name: 'replaced-with-cause',
    promise:
      'It does so only to a server that missed its rounds, and not when as many fail as have a cause in common',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TRUTH,
  },
  {
    number: '11e',
    name: 'replaced-at-rest',
    promise: 'It does so to nobody while a deployment, an instance refresh or a repair is under way',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TRUTH,
  },
  {
    number: '11f',
    name: 'network-replaces-nobody',
    promise: 'What only clients see replaces nobody',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '12',
    name: 'unreachable-is-told',
    promise: 'At rest a slot that no client reaches is told, with the reason',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '13a',
    name: 'served-in-time',
    promise:
      'When faults stop, and while any allowed type has capacity, all slots come to be served, in the map and to ' +
      'their clients, within the bound',
    checkedBy: SIMULATION,
    notElsewhere: 'the others wait for that before they judge, and fail without it',
  },
  {
    number: '13b',
    name: 'stays-served',
    promise: 'At rest nothing changes its owner',
    checkedBy: SIMULATION,
    notElsewhere: NEEDS_TIME,
  },
  {
    number: '13c',
    name: 'comes-back',
    promise:
      'Nothing of a deployment that sleeps is mounted, and it comes back with the same volumes and addresses',
    checkedBy: SIMULATION,
    notElsewhere: NO_SUCH_FAULT,
  },
  {
    number: '14a',
    name: 'allowed-by-roles',
    promise: 'No function or host is refused a call by its role',
    checkedBy: RECORD,
    notElsewhere: 'the simulated AWS knows no policies',
  },
  {
    number: '14b',
    name: 'nothing-by-hand',
    promise: 'Nobody edits the map or moves a volume by hand, and every write is understood',
    checkedBy: ['chaos'],
    notElsewhere:
      'the simulation edits by hand on purpose, and the writes of the demo’s deployments are not all known',
  },
] as const satisfies readonly Listed[];

export type InvariantName = (typeof INVARIANTS)[number]['name'];

export const namesOf = (house: House): InvariantName[] =>
  INVARIANTS.flatMap(({ name, checkedBy }) => ((checkedBy as readonly House[]).includes(house) ? name : []));

/** What people read. */
export const promiseOf = (name: InvariantName): string =>
  INVARIANTS.find((each) => each.name === name)!.promise;
