import { run } from '../../../lambda/health-prober/handler';
import { FakeTier } from './fake-tier';
import { fails, settings } from './tier';

const SLEEP = { since: '2026-01-01T20:00:00Z', by: 'arn:execution' };

test('a tier that goes to sleep is not asked, and none of its servers is declared unhealthy', async () => {
  const world = new FakeTier(3);
  for (const slot of ['oss-00', 'oss-01', 'oss-02']) world.condition.set(slot, fails(slot));
  const { rows } = world.state;
  world.state = { ...world.state, rows: { ...rows, sleep: SLEEP } };
  for (let round = 0; round < 10; round++) {
    await expect(run(world.ports(), settings(3))).resolves.toMatchObject({ outcome: 'idle', asked: 0 });
    world.tick();
  }
  expect(world.unhealthy).toEqual([]);
  expect(world.counts).toBe(0);
  // Its alarms are quiet.
  expect(world.metrics.at(-1)).toEqual({
    UnprobedServers: 0,
    MissingServices: 0,
    ServersDeclaredUnhealthy: 0,
    ReplacementsWithheld: 0,
  });
});

test('once awake it is asked again: a server that stayed without its service is replaced', async () => {
  const world = new FakeTier(3);
  world.condition.set('oss-01', fails('oss-01'));
  const { rows } = world.state;
  world.state = { ...world.state, rows: { ...rows, sleep: SLEEP } };
  await run(world.ports(), settings(3));
  world.state = { ...world.state, rows: { ...world.state.rows, sleep: undefined } };
  for (let round = 0; round < 4; round++) {
    world.tick();
    await run(world.ports(), settings(3));
  }
  expect(world.unhealthy).toEqual(['i-oss-01']);
});
