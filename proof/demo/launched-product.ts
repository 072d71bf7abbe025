import { DescribeVolumesCommand } from '@aws-sdk/client-ec2';
import { callJson } from '../kit/aws-json';
import type { Clients } from '../kit/clients';
import { type Cluster, readCluster } from '../kit/cluster';
import { readTiers } from '../kit/deploy';
import { type ApiCall, readApiCalls, readHistory, type Transition } from '../kit/history';
import { readEstate, readVolumes } from '../kit/inventory';
import type { LocalCloud } from '../kit/localcloud';
import type { Estate, Tier } from '../kit/model';
import { readNfsMounts } from '../kit/nfs-check';
import { settled } from '../kit/processes';
import { refusedByRole } from '../kit/record/permissions';
import { readSuperblocks, type Superblock } from '../kit/superblocks';
import { statusOfTable } from '../kit/teardown';
import { verify } from '../kit/verify';
import { verifyCluster } from './cluster-verify';

/** Where products are launched. */
export interface Place {
  readonly cloud: LocalCloud;
  readonly clients: Clients;
  readonly state: string;
}

/** Takes a check: it held when nothing is wrong. */
export type Tell = (id: string, title: string, faults: string[]) => void;

/** The stack of a product, and what of it holds data. */
interface Held {
  readonly stack?: string;
  readonly tiers: Tier[];
  readonly table?: string;
  readonly fileSystemId?: string;
  readonly cluster?: Cluster;
}

const CLIENTS_MOUNT = 'export-mounted';

/** A launched product: whether it serves, grows and is kept. */
export class LaunchedProduct {
  private readonly held: Held;
  /** Refusals before this moment were told. */
  private toldUntil = 0;
  private superblocks: Record<string, Superblock> = {};

  /** @param outputs those of its stack */
  constructor(
    private readonly place: Place,
    outputs: Readonly<Record<string, string>>,
    private readonly add: Tell,
  ) {
    this.held = heldBy(outputs);
  }

  /** Every slot is served with its volumes and address; and they are those from before. */
  async verifyServed(when: string, before?: Estate): Promise<Estate | undefined> {
    const { clients, state } = this.place;
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

  async verifyGrown(size: number, estate: Estate | undefined): Promise<void> {
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

  async verifyKept(estate: Estate | undefined): Promise<void> {
    const { clients, state } = this.place;
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

  /** Nothing that is the product's was refused a call while it ended. */
  verifyEnd(): void {
    const refused = refusedByRole(this.ownCalls());
    this.add('end-refused', 'No function or host was refused a call by its role while the product ended', [
      ...refused.map(({ role, service, action }) => `${role}: ${service}:${action}`),
    ]);
  }

  /**
   * The calls of nobody's role and of the product's roles: what other products are refused is theirs, and each refusal
   * is told once.
   */
  private ownCalls(): ApiCall[] {
    return readApiCalls(this.place.state).filter(
      ({ role, error, time }) =>
        role === undefined || (this.owns(role) && (error === undefined || time > this.toldUntil)),
    );
  }

  /** Volumes that several hosts share are the business of the product that has them. */
  private async ownHistory(cluster: Cluster | undefined): Promise<Transition[]> {
    const history = readHistory(this.place.state);
    if (cluster) return history;
    const Filters = [{ Name: 'multi-attach-enabled', Values: ['true'] }];
    const { Volumes = [] } = await this.place.clients.ec2.send(new DescribeVolumesCommand({ Filters }));
    const shared = new Set(Volumes.map(({ VolumeId }) => VolumeId));
    return history.filter(({ id }) => !shared.has(id));
  }

  private async fileSystem(): Promise<{ Lifecycle: string; StorageCapacity: number }> {
    const { FileSystems } = await callJson<{ FileSystems: { Lifecycle: string; StorageCapacity: number }[] }>(
      this.place.cloud,
      'fsx',
      'DescribeFileSystems',
      { FileSystemIds: [this.held.fileSystemId] },
    );
    return FileSystems[0]!;
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

const volumesOf = ({ slots }: Estate): string[] => slots.flatMap(({ volumes }) => volumes);

function pickKeys<T>(all: Record<string, T>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
}
