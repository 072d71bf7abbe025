import { DescribeVolumesCommand } from '@aws-sdk/client-ec2';
import { callJson } from '../kit/aws-json';
import type { Clients } from '../kit/clients';
import { type Cluster, readCluster } from '../kit/cluster';
import { readTiers } from '../kit/deploy';
import { type ApiCall, readApiCalls, readHistory, type Transition } from '../kit/history';
import { readEstate, readVolumes } from '../kit/inventory';
import type { LocalCloud } from '../kit/localcloud';
import type { Check, Estate, Tier } from '../kit/model';
import { readNfsMounts } from '../kit/nfs-check';
import { settled } from '../kit/processes';
import { refusedByRole } from '../kit/record/permissions';
import { readSuperblocks, type Superblock } from '../kit/superblocks';
import { statusOfTable } from '../kit/teardown';
import { verify } from '../kit/verify';
import type { CatalogUser, Outcome, Parameters } from './catalog-client';
import { verifyCluster } from './cluster-verify';

/** A product and what the story does with it. */
export interface Chapter {
  /** What the console calls the product. */
  readonly product: string;
  /** What the launched product is called. */
  readonly name: string;
  /** The version that is launched, and the one that it is updated to. */
  readonly from: string;
  readonly to: string;
  /** Values for the launch; those that the product does not ask for are left out. */
  readonly launchWith: Parameters;
  /** Another value of a parameter that is fixed at launch. */
  readonly refused: Parameters;
  /** Whether the volumes keep their size: those that several hosts share do. */
  readonly sizeFixed?: boolean;
}

/** What the story runs in. */
export interface Stage {
  readonly cloud: LocalCloud;
  readonly clients: Clients;
  readonly user: CatalogUser;
  readonly state: string;
  readonly tell: (line: string) => void;
}

/** A launched product: its stack, and what of it holds data. */
interface Held {
  readonly stack?: string;
  readonly tiers: Tier[];
  readonly table?: string;
  readonly fileSystemId?: string;
  readonly cluster?: Cluster;
}

const CLIENTS_MOUNT = 'export-mounted';

// Sizes that are larger, and smaller, than what the reference deployments start with.
const SIZES: Record<string, { grown: string; shrunk: string }> = {
  VolumeGiB: { grown: '12000', shrunk: '200' },
  CapacityGiB: { grown: '12000', shrunk: '1200' },
};

/** Launches, updates and terminates one product as a user does, and tells after each step what holds. */
export class ProductStory {
  private held: Held = { tiers: [] };
  /** Refusals before this moment were told. */
  private toldUntil = 0;
  private superblocks: Record<string, Superblock> = {};
  private readonly checks: Check[] = [];

  constructor(
    private readonly chapter: Chapter,
    private readonly stage: Stage,
  ) {}

  /** @returns all checks; the story ends early when a step fails on which the others rest */
  async tell(productId: string): Promise<Check[]> {
    const { user } = this.stage;
    const { from, to, name } = this.chapter;
    const shown = await user.parameters(productId, from);
    const all = shown.map(({ ParameterKey }) => ParameterKey);

    const launchWith = asked(this.chapter.launchWith, all);
    const launched = await user.launch(name, productId, from, launchWith);
    if (!this.expectDone('launched', `Launched in version ${from}`, launched)) return this.checks;
    this.held = heldBy(launched.outputs);
    const before = await this.verifyServed('after the launch');

    const { refused, sizeFixed } = this.chapter;
    const [fixed] = Object.keys(refused);
    const change = `change of ${fixed}, which is fixed at launch,`;
    await this.expectRefusal('fixed', change, refused, `${fixed} from `, all);
    // Only where the type of the server can be chosen as well is there a rule for both.
    if (all.includes('ServerInstanceType') && all.includes('VolumeThroughput')) {
      const fast = { VolumeThroughput: '1000' };
      await this.expectRefusal('rule', 'faster volume than the server passes on', fast, 'need a server', all);
    }
    const size = sizeFixed ? undefined : Object.keys(SIZES).find((each) => all.includes(each));
    if (size) {
      const shrunk = { [size]: SIZES[size]!.shrunk };
      await this.expectRefusal('shrink', 'smaller size', shrunk, /shrink|smaller/, all);
    }
    await this.verifyServed('after the refusals', before);

    const changes = asked({ ...(size && { [size]: SIZES[size]!.grown }), GridProtected: 'false' }, all);
    const updated = await user.update(name, changes, all, to);
    if (!this.expectDone('updated', `Updated to version ${to}${size ? ', and grown' : ''}`, updated))
      return this.checks;
    this.add('available', 'The product is available', [...(await this.notAvailable())]);
    const after = await this.verifyServed('after the update', before);
    if (size) await this.verifyGrown(Number(SIZES[size]!.grown), after);

    const ended = await user.terminate(name);
    this.expectDone('terminated', 'Terminated', ended);
    await this.verifyKept(after);
    const atEnd = refusedByRole(this.ownCalls());
    this.add('end-refused', 'No function or host was refused a call by its role while the product ended', [
      ...atEnd.map(({ role, service, action }) => `${role}: ${service}:${action}`),
    ]);
    return this.checks;
  }

  private expectDone(id: string, title: string, outcome: Outcome): boolean {
    this.add(id, `${title} in ${outcome.seconds.toFixed(0)} s`, outcome.succeeded ? [] : [outcome.reason]);
    return outcome.succeeded;
  }

  private async expectRefusal(
    id: string,
    what: string,
    changes: Parameters,
    reason: string | RegExp,
    all: readonly string[],
  ): Promise<void> {
    const outcome = await this.stage.user.update(this.chapter.name, changes, all);
    const because =
      typeof reason === 'string' ? outcome.reason.includes(reason) : reason.test(outcome.reason);
    this.add(
      `${id}-refused`,
      `A ${what} is refused with the reason`,
      !outcome.succeeded && because ? [] : [outcome.reason || 'it was accepted'],
    );
  }

  private async notAvailable(): Promise<string[]> {
    const status = await this.stage.user.status(this.chapter.name);
    return status === 'AVAILABLE' ? [] : [`it is ${status}`];
  }

  /** Every slot is served with its volumes and address; and they are those from before. */
  private async verifyServed(when: string, before?: Estate): Promise<Estate | undefined> {
    const { clients, state } = this.stage;
    const { table, tiers, fileSystemId, cluster } = this.held;
    if (fileSystemId) {
      const lifecycle = (await this.fileSystem()).Lifecycle;
      const faults = lifecycle === 'AVAILABLE' || lifecycle === 'UPDATING' ? [] : [`it is ${lifecycle}`];
      this.add('file-system-there', `The file system ${fileSystemId} is there ${when}`, faults);
    }
    if (!table && !cluster) return undefined;
    let lookedAt = 0;
    const look = async () => {
      lookedAt = Date.now() / 1000;
      const estate = cluster ? await readCluster(clients, cluster) : await readEstate(clients, table!, tiers);
      const evidence = {
        estate,
        before,
        history: await this.ownHistory(cluster),
        calls: this.ownCalls(),
        superblocks: readSuperblocks(state),
        superblocksBefore: before && this.superblocks,
        nfsMounts: readNfsMounts(state),
      };
      const found = cluster ? verifyCluster(evidence, cluster) : verify(evidence);
      // The hosts of other products are no clients of this one.
      return { estate, failed: found.filter(({ passed, id }) => !passed && id !== CLIENTS_MOUNT) };
    };
    const { estate, failed } = await settled(look, (found) => found.failed.length === 0);
    this.add(
      'served',
      `The file system serves, with its volumes and addresses, ${when}`,
      failed.map(({ title, detail }) => `${title}: ${detail}`),
    );
    this.toldUntil = lookedAt;
    if (!before) this.superblocks = pickKeys(readSuperblocks(state), volumesOf(estate));
    return estate;
  }

  /**
   * Whether a role is of this product: the roles of a stack, and of those in it, have names that begin with its own.
   */
  owns(role: string): boolean {
    const { stack } = this.held;
    return stack !== undefined && role.startsWith(`${stack}-`);
  }

  /**
   * The calls of nobody's role and of the product's roles: what other products are refused is theirs, and each refusal
   * is told once.
   */
  private ownCalls(): ApiCall[] {
    return readApiCalls(this.stage.state).filter(
      ({ role, error, time }) =>
        role === undefined || (this.owns(role) && (error === undefined || time > this.toldUntil)),
    );
  }

  /** Volumes that several hosts share are the business of the product that has them. */
  private async ownHistory(cluster: Cluster | undefined): Promise<Transition[]> {
    const history = readHistory(this.stage.state);
    if (cluster) return history;
    const Filters = [{ Name: 'multi-attach-enabled', Values: ['true'] }];
    const { Volumes = [] } = await this.stage.clients.ec2.send(new DescribeVolumesCommand({ Filters }));
    const shared = new Set(Volumes.map(({ VolumeId }) => VolumeId));
    return history.filter(({ id }) => !shared.has(id));
  }

  private async verifyGrown(size: number, estate: Estate | undefined): Promise<void> {
    if (this.held.fileSystemId) {
      const { StorageCapacity } = await this.fileSystem();
      this.add(
        'grown',
        'The same file system is larger',
        StorageCapacity === size ? [] : [`${StorageCapacity} GiB`],
      );
    }
    if (!estate) return;
    const largest = this.held.tiers.at(-1)!.tier;
    const ids = estate.slots.filter(({ tier }) => tier === largest).flatMap(({ volumes }) => volumes);
    const wrong = estate.volumes.filter(({ id, sizeGiB }) => ids.includes(id) && sizeGiB !== size);
    this.add(
      'grown',
      'The same volumes are larger',
      wrong.map(({ id, sizeGiB }) => `${id} has ${sizeGiB} GiB`),
    );
  }

  private async verifyKept(estate: Estate | undefined): Promise<void> {
    const { clients, state } = this.stage;
    const { fileSystemId, table, cluster } = this.held;
    if (fileSystemId) {
      const { Lifecycle } = await this.fileSystem();
      this.add(
        'kept',
        'The file system is kept',
        ['AVAILABLE', 'UPDATING'].includes(Lifecycle) ? [] : [Lifecycle],
      );
    }
    if (!estate || (!table && !cluster)) return;
    const ids = volumesOf(estate);
    const volumes = await readVolumes(clients, ids);
    const after = readSuperblocks(state);
    const status = table ? await statusOfTable(clients, table) : 'ACTIVE';
    this.add(
      'kept',
      `All volumes${table ? ', the data on them and the volume map' : ' and the data on them'} are kept`,
      [
        ...ids
          .filter((id) => volumes.find((volume) => volume.id === id)?.state !== 'available')
          .map((id) => `${id} is ${volumes.find((volume) => volume.id === id)?.state ?? 'gone'}`),
        ...ids
          .filter((id) => after[id]?.uuid !== this.superblocks[id]?.uuid)
          .map((id) => `${id} has other data`),
        ...(status === 'ACTIVE' ? [] : [`${table} is ${status}`]),
      ],
    );
  }

  private async fileSystem(): Promise<{ Lifecycle: string; StorageCapacity: number }> {
    const { FileSystems } = await callJson<{ FileSystems: { Lifecycle: string; StorageCapacity: number }[] }>(
      this.stage.cloud,
      'fsx',
      'DescribeFileSystems',
      { FileSystemIds: [this.held.fileSystemId] },
    );
    return FileSystems[0]!;
  }

  private add(id: string, title: string, faults: string[]): void {
    const check = {
      id: `${this.chapter.name}-${id}`,
      title,
      passed: faults.length === 0,
      detail: faults.join('; '),
    };
    this.checks.push(check);
    this.stage.tell(
      `${check.passed ? 'ok  ' : 'FAIL'}  ${this.chapter.name}: ${title}${check.passed ? '' : `: ${check.detail}`}`,
    );
  }
}

function heldBy(outputs: Readonly<Record<string, string>>): Held {
  const { Tiers, VolumeMapTable, FileSystemId, Nodes, VolumeIds, CloudformationStackARN } = outputs;
  return {
    // arn:aws:cloudformation:<region>:<account>:stack/<name>/<id>
    stack: CloudformationStackARN?.split('/')[1],
    tiers: Tiers ? readTiers(Tiers) : [],
    table: VolumeMapTable,
    fileSystemId: FileSystemId,
    cluster: Nodes ? { nodes: JSON.parse(Nodes), volumes: JSON.parse(VolumeIds!) } : undefined,
  };
}

/** The values of parameters that a product asks for. */
const asked = (values: Parameters, all: readonly string[]): Parameters =>
  Object.fromEntries(Object.entries(values).filter(([name]) => all.includes(name)));

const volumesOf = ({ slots }: Estate): string[] => slots.flatMap(({ volumes }) => volumes);

function pickKeys<T>(all: Record<string, T>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
}
