import type { IConstruct } from 'constructs';
import { invalid } from '../private/validation';
import { AddressPool, STEP } from './address-pool';
import { formatAddress, parseCidr, type Range } from './cidr';
import type { StorageAddressBlock } from './props';

/** Positions in the list of all reserved addresses. */
interface Block {
  readonly start: number;
  readonly count: number;
}

interface Reservation {
  readonly name: string;
  readonly owner: string;
  readonly block: Block;
}

/** The addresses of a network; undefined when none are reserved, or none that synthesis knows. */
export function storageAddresses(
  scope: IConstruct,
  ranges: readonly Range[],
  blocks: readonly StorageAddressBlock[] = [],
): StorageAddresses | undefined {
  if (ranges.length > 0) return new StorageAddresses(scope, ranges, blocks);
  if (blocks.length === 0) return undefined;
  const fix = 'Name existing.storageAddressRanges, or a privateSubnetCidr that is known at synthesis.';
  throw invalid(scope, 'storageAddressBlocks', blocks, 'none where no addresses are reserved', fix);
}

/**
 * Who has which of the reserved addresses.
 *
 * One owner alone gets the first ones, part by part. What two owners get would depend on the order of the code, or on
 * who was there first, which no synthesis knows: so the network's blocks have to say it.
 */
export class StorageAddresses {
  private readonly addresses: number[];
  private readonly blocks = new Map<string, Block[]>();
  private readonly reservations: Reservation[] = [];
  private readonly missing: Reservation[] = [];
  private readonly listed: boolean;
  private readonly pool: AddressPool;

  /** @throws when a block has an address twice, or one that is not reserved */
  constructor(
    private readonly scope: IConstruct,
    ranges: readonly Range[],
    blocks: readonly StorageAddressBlock[],
  ) {
    this.addresses = ranges.flatMap(({ first, size }) => Array.from({ length: size }, (_, i) => first + i));
    this.pool = new AddressPool(ranges);
    this.listed = blocks.length > 0;
    for (const block of blocks) this.add(block);
  }

  /**
   * @param owner whose they are
   * @param count how many
   * @param part the part of the owner, when it has several
   * @throws when there are not so many left, or when the name has addresses already
   */
  reserve(owner: string, count: number, part?: string): string[] {
    const name = part === undefined ? owner : `${owner}/${part}`;
    if (this.reservations.some((each) => each.name === name)) {
      const fix = 'Give each its own name, or name the parts of one owner.';
      throw invalid(this.scope, 'The owner of addresses', name, 'a name that has none yet', fix);
    }
    const positions = this.listed ? this.positionsOf(name, owner, count) : this.next(name, owner, count);
    return positions.map((position) => formatAddress(this.addresses[position]!));
  }

  /**
   * Rejects an address of a host that is reserved for storage servers, which get it sooner or later.
   *
   * @throws unless a block gives it to this very host
   */
  refuseReserved(host: IConstruct, addresses: readonly string[]): void {
    const own = new Set((this.blocks.get(host.node.path) ?? []).flatMap(positions));
    for (const address of addresses) {
      const position = this.positionOf(address);
      if (position < 0 || own.has(position)) continue;
      const reserved = this.runs({ start: 0, count: this.addresses.length })
        .map((run) => `${run.firstAddress} and the ${run.count - 1} after it`)
        .join(', ');
      const entry = `{ owner: '${host.node.path}', firstAddress: '${address}', count: 1 }`;
      throw invalid(
        host,
        'addresses',
        address,
        `addresses that are not reserved for storage servers, which are ${reserved}`,
        `Name others. One that is deployed stays when storageAddressBlocks of the network has ${entry}.`,
      );
    }
  }

  /** What has to be said before anything may be deployed; nothing when all is clear. */
  problems(): string[] {
    if (this.missing.length > 0) {
      const names = this.missing.map(({ name }) => name).join(', ');
      return [
        `storageAddressBlocks has no entry for ${names}; allowed: at least one for each owner, so that nobody's ` +
          `addresses move when the code does. Add to those that are there: ${this.entries(this.missing)}`,
      ];
    }
    const owners = [...new Set(this.reservations.map(({ owner }) => owner))];
    if (this.listed || owners.length < 2) return [];
    const orders = owners.map((owner) => {
      const own = this.reservations.filter((each) => each.owner === owner);
      return (
        `\n- ${owner}: ` +
        `${this.entries(packedFromFirst([...own, ...this.reservations.filter((each) => each.owner !== owner)]))}`
      );
    });
    return [
      `storageAddressBlocks is missing, and ${owners.length} owners want fixed addresses: ${owners.join(', ')}; ` +
        'allowed without it: one owner. Else the order of the code would decide, and a file system that is added ' +
        'or taken out would move the addresses of another. Give the network, as storageAddressBlocks, when they ' +
        `all are deployed, or none is: ${this.entries(this.reservations)}\nWhen only one of them is deployed, it ` +
        `has the first addresses:${orders.join('')}`,
    ];
  }

  private add({ owner, firstAddress, count }: StorageAddressBlock): void {
    const start = this.positionOf(firstAddress);
    const shown = `${owner}: ${firstAddress}, ${count}`;
    const refuse = (allowed: string, fix: string): Error =>
      invalid(this.scope, 'An entry of storageAddressBlocks', shown, allowed, fix);
    if (!owner) throw refuse('one with an owner', 'Name whose addresses they are.');
    if (!Number.isInteger(count) || count < 1) {
      throw refuse('a whole number of addresses, 1 or more, known at synthesis', 'Correct the count.');
    }
    if (start < 0 || this.runs({ start, count })[0]!.count < count) {
      const all = this.runs({ start: 0, count: this.addresses.length });
      const text = all.map((run) => `${run.firstAddress} and the ${run.count - 1} after it`).join(', or ');
      throw refuse(`within the addresses reserved for storage: ${text}`, 'Move the block.');
    }
    for (const [other, blocks] of this.blocks) {
      if (!blocks.some((block) => start < block.start + block.count && block.start < start + count)) continue;
      throw refuse(`addresses that ${other} does not have`, 'Move the one of the two that is not deployed.');
    }
    this.blocks.set(owner, [...(this.blocks.get(owner) ?? []), { start, count }]);
  }

  private next(name: string, owner: string, count: number): number[] {
    const taken = this.pool.take(count);
    if (!taken) throw this.tooFew(name, count, this.pool.free);
    const block = { start: this.positionOf(taken[0]!), count };
    this.reservations.push({ name, owner, block });
    return positions(block);
  }

  private positionOf(address: string): number {
    return this.addresses.indexOf(parseCidr(`${address}/32`)?.first ?? -1);
  }

  private positionsOf(name: string, owner: string, count: number): number[] {
    const blocks = this.blocks.get(name);
    if (!blocks) {
      const block = { start: this.freeStart(name, count), count };
      const reservation = { name, owner, block };
      this.blocks.set(name, [block]);
      this.missing.push(reservation);
      this.reservations.push(reservation);
      return positions(block);
    }
    const own = blocks.flatMap(positions);
    this.reservations.push({ name, owner, block: blocks[0]! });
    if (count <= own.length) return own.slice(0, count);
    const more = { start: this.freeStart(name, count - own.length), count: count - own.length };
    throw invalid(
      this.scope,
      `Number of addresses for ${name}`,
      count,
      `at most ${own.length}, what storageAddressBlocks gives it`,
      'Add a second entry for it, which leaves the others where they are: ' +
        `${this.entries([{ name, owner, block: more }])}`,
    );
  }

  /** The first step behind which there are so many addresses that no block has. */
  private freeStart(name: string, count: number): number {
    const taken = new Set([...this.blocks.values()].flat().flatMap(positions));
    for (let start = 0; start + count <= this.addresses.length; start += STEP) {
      if (!positions({ start, count }).some((position) => taken.has(position))) return start;
    }
    throw this.tooFew(name, count, this.addresses.length - taken.size);
  }

  private tooFew(name: string, count: number, free: number): Error {
    return invalid(
      this.scope,
      `Number of addresses for ${name}`,
      count,
      `at most ${free}, what is left of ${this.addresses.length}`,
      'Use a wider privateSubnetCidr (half of it is for storage servers), or fewer servers.',
    );
  }

  /** As it is written in code. */
  private entries(reservations: readonly Reservation[]): string {
    const entries = reservations.flatMap(({ name, block: { start, count } }) =>
      this.runs({ start, count: Math.min(roundedUpToStep(count), this.addresses.length - start) }).map(
        (run) => `{ owner: '${name}', firstAddress: '${run.firstAddress}', count: ${run.count} }`,
      ),
    );
    return `[${entries.join(', ')}]`;
  }

  /** The parts of a block that are ranges: what is reserved may be in several places. */
  private runs(block: Block): { readonly firstAddress: string; readonly count: number }[] {
    const runs: { first: number; count: number }[] = [];
    for (const address of this.addresses.slice(block.start, block.start + block.count)) {
      const run = runs.at(-1);
      if (run && run.first + run.count === address) run.count += 1;
      else runs.push({ first: address, count: 1 });
    }
    return runs.map(({ first, count }) => ({ firstAddress: formatAddress(first), count }));
  }
}

const roundedUpToStep = (count: number): number => Math.ceil(count / STEP) * STEP;

const positions = ({ start, count }: Block): number[] => Array.from({ length: count }, (_, i) => start + i);

/** One after the other from the first address, as one owner alone has them. */
function packedFromFirst(reservations: readonly Reservation[]): Reservation[] {
  let start = 0;
  return reservations.map((each) => {
    const moved = { ...each, block: { start, count: each.block.count } };
    start += roundedUpToStep(each.block.count);
    return moved;
  });
}
