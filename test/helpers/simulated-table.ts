import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { SimulatedDynamoDb } from '../../proof/simulation/aws/dynamodb/table';
import { TIMINGS } from '../../proof/simulation/aws/timings';
import { Random } from '../../proof/simulation/core/random';
import { Scheduler } from '../../proof/simulation/core/scheduler';

/** The volume map `map` of the tier `oss` by itself, without the rest of a simulated AWS. */
export function simulatedTable() {
  const random = (name: string) => new Random(1).fork(name);
  const context = { scheduler: new Scheduler(0), timings: TIMINGS, faults: NO_FAULTS, observer: {}, random };
  const simulated = new SimulatedDynamoDb(context, 'map', 'oss');
  const call = { index: 0, worker: 'test', service: 'dynamodb', input: {}, at: 0, attempt: 1 } as const;
  const handle = (operation: string, input: object) =>
    simulated.handle(operation, input, { ...call, operation });
  return { simulated, handle };
}
