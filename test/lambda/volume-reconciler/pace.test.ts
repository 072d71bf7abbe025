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
  const pace = {
    turn: async (action: string) => void turns.push(action),
    seen: () => undefined,
  } as unknown as Pace;
  const compute = new Ec2Compute(client as never, 'stack/Oss', pace);
  await compute.volumes();
  await compute.attachVolume('vol-1', 'i-1', '/dev/sdf');
  await compute.detachVolume('vol-1', 'i-1');
  await compute.attachInterface('eni-1', 'i-1');
  await compute.detachInterface('attach-1');
  expect(turns).toEqual(['AttachVolume', 'DetachVolume', 'AttachNetworkInterface', 'DetachNetworkInterface']);
});

test('what the passes before have taken is no part of the burst', async () => {
  const time = virtualTime();
  const [start, interval] = [100_000, 200];
  await Promise.all([time.sleep(start), time.run()]);
  const turnsAtOnce = async (times: number[]): Promise<number> => {
    const pace = new Pace(time);
    pace.seen('AttachVolume', times);
    const at: number[] = [];
    const before = time.now();
    const calls = Array.from({ length: 30 }, async () => {
      await pace.turn('AttachVolume');
      at.push(time.now());
    });
    await time.run();
    await Promise.all(calls);
    return at.filter((each) => each === before).length;
  };
  const ago = (count: number, ms: number) => Array.from({ length: count }, () => time.now() - ms);
  expect(await turnsAtOnce([])).toBe(25);
  expect(await turnsAtOnce(ago(10, 0))).toBe(15);
  // Five come back each second.
  expect(await turnsAtOnce(ago(25, 2000))).toBe(10);
  expect(await turnsAtOnce(ago(1000, 3_600_000))).toBe(25);
  // A row of calls at the rate of the refill leaves the bucket as it was before.
  const row = Array.from({ length: 100 }, (_, index) => time.now() - index * interval);
  expect(await turnsAtOnce([...row, ...ago(25, 100 * interval)])).toBe(0);
  expect(await turnsAtOnce(ago(80, 0))).toBe(0);
});

test('what EC2 shows of attachments tells what was taken', async () => {
  const seen: { [action: string]: number[] } = {};
  const AttachTime = new Date('2026-01-01T00:00:00Z');
  const client = Object.assign(new EC2Client({ region: 'us-east-1' }), {
    send: async () => ({
      Volumes: [
        { VolumeId: 'vol-1', Attachments: [{ InstanceId: 'i-1', AttachTime }] },
        { VolumeId: 'vol-2' },
      ],
      NetworkInterfaces: [{ NetworkInterfaceId: 'eni-1', Attachment: { AttachmentId: 'a', AttachTime } }],
    }),
  });
  const pace = { seen: (action: string, times: number[]) => Object.assign(seen, { [action]: times }) };
  const compute = new Ec2Compute(client as never, 'stack/Oss', pace as unknown as Pace);
  await compute.volumes();
  await compute.interfaces();
  const times = [AttachTime.getTime()];
  expect(seen).toEqual({ AttachVolume: times, AttachNetworkInterface: times });
});
