import { PATIENCE } from '../../../lambda/volume-reconciler/aws';
import type { StateMachine } from '../../../proof/simulation/aws/stepfunctions/definition';
import { Worker } from '../../../proof/simulation/aws/transport/worker';
import { World } from '../../../proof/simulation/aws/world';
import { deployment } from '../deployment';
import type { Side } from './side';

const LONGEST_MS = 3_600_000;

/** The simulated side: time passes only while something is waited for. */
export function simulated(stateMachine: StateMachine, stateMachineArn: string): Side {
  const tier = { ...deployment(), stateMachine, stateMachineArn };
  const world = new World({ deployment: tier, slots: 1, volumesPerSlot: 1, seed: 1 });
  let serial = 0;
  const perform = <T>(call: Promise<T>): Promise<T> => world.finish(call, LONGEST_MS);
  return {
    clients: world.transport.clients(new Worker('cross-check'), PATIENCE),
    groupName: tier.groupName,
    tableName: tier.tableName,
    documentName: tier.documentName,
    stateMachineArn,
    perform,
    async until(what, isSo) {
      for (const end = world.now() + LONGEST_MS; !(await isSo()); await world.run(1000)) {
        if (world.now() > end) throw new Error(`waited for ${what}`);
      }
    },
    newVolume: async (zone) => world.ec2.createVolume('oss-00', zone, {}).id,
    newInterface: async () => {
      serial += 1;
      return world.ec2.createInterface('oss-00', 'us-east-1a', `10.0.0.${serial}`, {}).id;
    },
    async newInstance() {
      const instance = world.ec2.launch('us-east-1a', {})!;
      await world.run(LONGEST_MS, () => instance.state === 'running');
      return instance.id;
    },
    change: async (what, instanceId) => {
      world.ec2[what](instanceId);
    },
    newGroup: async (desired) => world.group.resize(desired),
  };
}
