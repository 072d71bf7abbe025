import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { isAtRest } from '../../proof/simulation/served';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

test('a spare that took a slot whose update was undone is replaced, and its successor is a spare again', async () => {
  const world = await deployedWorld({
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 1,
    seed: 1,
    faults: NO_FAULTS,
  });
  await world.run(10 * MINUTE);
  const row = () =>
    world.map.items.get('slot#oss-02') as { owner?: string; formatOffered?: boolean } | undefined;
  const undone = world.stack.grow();
  while (row()?.owner === undefined) await world.run(50);
  expect(row()).toMatchObject({ formatOffered: false });
  const spare = row()!.owner!;
  expect(world.stack.rollBack()).toBe(true);
  await world.finish(undone);

  await world.run(40 * MINUTE);
  expect(row()?.owner).toBeUndefined();
  expect(world.ec2.instances.get(spare)?.state ?? 'gone').not.toBe('running');
  const owners = [...world.map.items.keys()].filter((key) => key.startsWith('owner#'));
  expect(owners).toHaveLength(2);
  const idle = [...world.group.members.values()].filter(
    ({ instanceId }) => !owners.includes(`owner#${instanceId}`),
  );
  expect(idle).toMatchObject([{ lifecycle: 'InService' }]);
  expect(isAtRest(world)).toBe(true);
});
