import { NO_FAULTS } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import { Injector } from '../../proof/simulation/faults/injector';
import type { Fault } from '../../proof/simulation/faults/kinds';
import { Striker } from '../../proof/simulation/faults/strike';
import { Checker } from '../../proof/simulation/invariants/checker';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;
const HALF_AN_HOUR = 30 * MINUTE;

const target = { owner: 0 } as const;

/** A served tier in which one fault is about to strike, and the server that it is meant for. */
async function facing(fault: Fault): Promise<{ world: World; striker: Striker; id: string }> {
  const checker = new Checker(() => 0);
  const world = await deployedWorld(
    { slots: 2, volumesPerSlot: 1, seed: 5, observer: checker.observer, faults: NO_FAULTS },
    (made) => checker.watch(made),
  );
  await world.run(10 * MINUTE);
  const striker = new Striker(world, new Injector([fault], 5), checker);
  striker.arm([fault]);
  const id = String(world.map.items.get('slot#oss-00')?.owner);
  return { world, striker, id };
}

const stateOf = (world: World, id: string) => world.ec2.instances.get(id)?.state;

describe.each([
  ['terminated and hangs', { kind: 'hang', at: 0, ms: HALF_AN_HOUR, target }, 'shutting-down', 'terminated'],
  ['stopped and hangs', { kind: 'stop', at: 0, target, hangMs: HALF_AN_HOUR }, 'stopping', 'terminated'],
  [
    'replaced for a failed status check and hangs',
    { kind: 'status-check', at: 0, target, hangMs: HALF_AN_HOUR },
    'shutting-down',
    'terminated',
  ],
] as const)('a server that is %s', (_, fault, meanwhile, then) => {
  test('writes for half an hour, in which nobody else gets its slot', async () => {
    const { world, striker, id } = await facing(fault);
    await world.run(20 * MINUTE, () => stateOf(world, id) === meanwhile);
    expect(stateOf(world, id)).toBe(meanwhile);
    expect(striker.struck).toMatchObject([{ fault, whom: id }]);
    await world.run(29 * MINUTE);
    expect(['stopping', 'shutting-down']).toContain(stateOf(world, id));
    const [volume] = [...world.ec2.volumes.values()].filter(({ slot }) => slot === 'oss-00');
    expect(world.hosts.writersOf(volume!.id)).toEqual([id]);
    expect(world.map.items.get('slot#oss-00')?.owner).toBe(id);
    await world.run(20 * MINUTE, () => world.isServed() && stateOf(world, id) === then);
    expect(stateOf(world, id)).toBe(then);
    expect(world.map.items.get('slot#oss-00')?.owner).not.toBe(id);
    expect(world.isServed()).toBe(true);
  });
});

test('what strikes nobody is not counted', async () => {
  const { world, striker } = await facing({ kind: 'hang', at: MINUTE, ms: MINUTE, target });
  world.map.editRow('slot#oss-00', (row) => {
    delete row.owner;
  });
  await world.run(2 * MINUTE);
  expect(striker.struck).toEqual([]);
});
