import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { World } from '../../proof/simulation/aws/world';
import { deployment } from './deployment';

test.each([
  ['first', 0],
  ['after the first event of the group, whose execution holds the lease to the end', 60_000],
])('a deployment that is not served says why, if its request comes %s', async (_, delayMs) => {
  let requests = 0;
  const world = new World({
    deployment: deployment(),
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 0,
    seed: 1,
    faults: {
      ...NO_FAULTS,
      onEvent: ({ kind }) => {
        if (kind === 'cloudformation') requests += 1;
        return kind === 'cloudformation' && requests === 2 ? { delayMs } : undefined;
      },
    },
  });
  world.hosts.fail(undefined, 75, 5000);
  const { ok, reason } = await world.finish(world.stack.deploy());
  expect(ok).toBe(false);
  expect(reason).toMatch(
    /Not served: oss-00: host i-\w+ cannot serve yet: .*; oss-01: host i-\w+ cannot serve yet: /,
  );
});
