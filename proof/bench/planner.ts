import { AVAILABILITY, DURABILITY, plan, predict, type Wish } from '../../constructs/sizing/plan';
import { type Measurement, median } from './measurement';

const PLANS = 2000;
// 1,000 full plans a second.
const MOST_MICROSECONDS = 1000;

/**
 * How long the planner takes for a wish, all designs, in processor time: other programs on the machine do not count.
 */
export function measurePlanner(repetitions: number): Measurement[] {
  const wishes = Array.from({ length: PLANS }, (_, i) => wishOf(i));
  const plans = () => {
    for (const wish of wishes) plan(wish);
  };
  const storage = {
    kind: 'lustre',
    servers: 3,
    serverType: 'm6in.8xlarge',
    devices: [{ count: 8, type: 'gp3', sizeGiB: 750 }],
  };
  const predictions = () => {
    for (let i = 0; i < PLANS; i++) predict(storage, { hosts: 1 + (i % 16), hostType: 'i4i.8xlarge' });
  };
  const note = `processor time, mean of ${PLANS} different ones, median of ${repetitions}`;
  return [
    {
      name: 'A full plan (15 designs)',
      value: microsecondsOfOne(plans, repetitions),
      unit: 'µs',
      goal: MOST_MICROSECONDS,
      note,
    },
    { name: 'A prediction', value: microsecondsOfOne(predictions, repetitions), unit: 'µs', note },
  ];
}

function microsecondsOfOne(work: () => void, repetitions: number): number {
  work(); // warms up
  const once = () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / PLANS;
  };
  return median(Array.from({ length: repetitions }, once));
}

// All designs are feasible for some of them, and each takes another way through the tables.
function wishOf(i: number): Wish {
  return {
    nodes: 1 + (i % 16),
    nodeType: i % 2 ? 'i4i.8xlarge' : 'r5b.12xlarge',
    temporaryMBpsPerCore: 100,
    sharedMBpsPerCore: 5 + (i % 120),
    capacityTB: 1 + (i % 90),
    readShare: (i % 10) / 10,
    durability: DURABILITY[i % 2]!,
    availability: AVAILABILITY[i % 2]!,
    region: i % 3 ? 'us-east-1' : 'eu-west-1',
  };
}
