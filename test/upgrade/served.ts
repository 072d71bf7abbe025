import { readFileSync } from 'node:fs';
import type { Clients } from '../../proof/kit/clients';
import { readCluster } from '../../proof/kit/cluster';
import { readOutputs } from '../../proof/kit/deploy';
import * as inventory from '../../proof/kit/inventory';
import { serviceFaults } from '../../proof/kit/verify';

/**
 * What the storage servers of a deployment do not serve. A managed file system has none, and one on instance store has
 * no slot.
 *
 * @param file the outputs of its stacks, as the cdk command writes them
 */
export async function unserved(clients: Clients, deployment: string, file: string): Promise<string[]> {
  const outputs = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>;
  const { VolumeMapTable, Nodes } = outputs[`${deployment}-storage`] ?? {};
  if (!VolumeMapTable && !Nodes) return [];
  const { table, tiers, cluster } = readOutputs(outputs, deployment);
  const estate = await (cluster
    ? readCluster(clients, cluster)
    : inventory.readEstate(clients, table, tiers));
  return estate.slots.flatMap((slot) => serviceFaults(slot, estate));
}
