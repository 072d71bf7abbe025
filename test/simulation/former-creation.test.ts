import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { isAtRest } from '../../proof/simulation/served';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

test('what CloudFormation deletes of a creation that failed leaves the one after it to be repaired', async () => {
  const world = await deployedWorld({
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 0,
    seed: 7,
    faults: NO_FAULTS,
  });
  for (const step of ['seed', 'serve'] as const)
    expect(await world.finish(world.stack.deleteFormer(step))).toMatchObject({ ok: true });

  const { owner } = world.map.items.get('slot#oss-00') as { owner: string };
  world.ec2.terminate(owner);
  await world.run(20 * MINUTE);
  const row = world.map.items.get('slot#oss-00') as { owner: string; released: boolean };
  expect(row).toMatchObject({ released: false });
  expect(row.owner).not.toBe(owner);
  expect(isAtRest(world)).toBe(true);
});

test('the stack itself is deleted as ever', async () => {
  const world = await deployedWorld({
    slots: 1,
    volumesPerSlot: 1,
    spareServers: 0,
    seed: 7,
    faults: NO_FAULTS,
  });
  await world.finish(world.stack.delete());
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ released: true });
});
