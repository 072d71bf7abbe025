import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

test('a slot whose row was gone while EC2 forgot its server is served again after a deployment', async () => {
  const world = await deployedWorld({ slots: 2, volumesPerSlot: 1, seed: 1, faults: NO_FAULTS });
  await world.run(10 * MINUTE);
  const owner = String(world.map.items.get('slot#oss-01')?.owner);
  // Somebody deletes the row, and the server is lost before anybody deploys: EC2 shows it for an hour.
  world.map.deleteRow('slot#oss-01');
  world.ec2.terminate(owner);
  await world.run(90 * MINUTE);
  expect(world.map.items.has(`owner#${owner}`)).toBe(true);

  await world.finish(world.stack.redeploy());
  await world.run(40 * MINUTE, () => world.isServed());
  expect(world.map.items.get('slot#oss-01')).toMatchObject({ phase: 'served', formatted: true });
  expect(world.isServed()).toBe(true);
  expect(world.map.items.has(`owner#${owner}`)).toBe(false);
});
