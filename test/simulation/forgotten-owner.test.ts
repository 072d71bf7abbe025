import { World } from '../../simulation/aws/world';
import { deployment } from './deployment';

const MINUTE = 60_000;

test('a row that is seeded again for an owner that EC2 has forgotten gets another one', async () => {
  const deployed = deployment();
  const world = new World({ deployment: deployed, slots: 1, volumesPerSlot: 1, seed: 1 });
  await world.finish(world.stack.deploy());
  const owner = String(world.map.items.get('slot#oss-00')?.owner);
  // Somebody deletes the row; its server is lost, and replaced, while there is none; the deployment comes the next day.
  world.map.deleteRow('slot#oss-00');
  world.ec2.terminate(owner);
  await world.run(120 * MINUTE);
  expect(world.ec2.instanceViews.seen(0).map((each) => each.InstanceId)).not.toContain(owner);
  void world.stack.redeploy();
  await world.run(40 * MINUTE, () => world.isServed());
  expect(world.isServed()).toBe(true);
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ formatted: true, epoch: 2 });
});
