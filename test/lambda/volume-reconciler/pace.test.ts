import { EC2Client } from '@aws-sdk/client-ec2';
import { Ec2Compute } from '../../../lambda/volume-reconciler/aws-compute';
import { Pace } from '../../../lambda/volume-reconciler/pace';

/** A clock that sleeping moves, whoever sleeps. */
function virtualTime() {
  let now = 0;
  const waiting: { until: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => waiting.push({ until: now + ms, wake })),
    async run(): Promise<void> {
      for (;;) {
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        waiting.sort((a, b) => a.until - b.until);
        const next = waiting.shift();
        if (!next) return;
        now = Math.max(now, next.until);
        next.wake();
      }
    },
  };
}

/** How many of EC2's buckets of 50 that fill by five a second would refuse, were it half full at the start. */
function refused(times: number[]): number {
  let tokens = 25;
  let last = 0;
  return times.filter((time) => {
    tokens = Math.min(50, tokens + ((time - last) / 1000) * 5);
    last = time;
    if (tokens < 1 - 1e-9) return true;
    tokens -= 1;
    return false;
  }).length;
}

test('a thousand calls are spread as EC2 takes them, and one server’s are made at once', async () => {
  const time = virtualTime();
  const pace = new Pace(time);
  const at: number[] = [];
  const calls = Array.from({ length: 1000 }, async () => {
    await pace.turn('AttachVolume');
    at.push(time.now());
  });
  await time.run();
  await Promise.all(calls);
  expect(at.slice(0, 25)).toEqual(Array(25).fill(0));
  expect(refused(at)).toBe(0);
  // What the refill alone allows, and nothing lost.
  expect(time.now()).toBe((1000 - 25) * 200);
});

test('each action has its own bucket, and one that is left alone fills no further than the burst', async () => {
  const time = virtualTime();
  const pace = new Pace(time, () => ({ burst: 2, perSecond: 1 }));
  const at: string[] = [];
  const call = async (action: string) => {
    await pace.turn(action);
    at.push(`${action} ${time.now()}`);
  };
  const first = [call('a'), call('a'), call('b')];
  await time.run();
  const rest = [time.sleep(60_000).then(() => Promise.all([call('a'), call('a'), call('a')]))];
  await time.run();
  await Promise.all([...first, ...rest]);
  expect(at).toEqual(['a 0', 'a 0', 'b 0', 'a 60000', 'a 60000', 'a 61000']);
});

test('what changes something at EC2 waits for its turn, what looks does not', async () => {
  const turns: string[] = [];
  const client = Object.assign(new EC2Client({ region: 'us-east-1' }), { send: async () => ({}) });
  const pace = { turn: async (action: string) => void turns.push(action) } as unknown as Pace;
  const compute = new Ec2Compute(client as never, 'stack/Oss', pace);
  await compute.volumes();
  await compute.attachVolume('vol-1', 'i-1', '/dev/sdf');
  await compute.detachVolume('vol-1', 'i-1');
  await compute.attachInterface('eni-1', 'i-1');
  await compute.detachInterface('attach-1');
  expect(turns).toEqual(['AttachVolume', 'DetachVolume', 'AttachNetworkInterface', 'DetachNetworkInterface']);
});
