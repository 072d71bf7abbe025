import { AutoScalingClient, DescribeScalingActivitiesCommand } from '@aws-sdk/client-auto-scaling';
import { AutoScalingTier } from '../../../lambda/volume-reconciler/aws-group';
import { decide } from '../../../lambda/volume-reconciler/domain';
import { observe } from '../../../lambda/volume-reconciler/observe';
import type { LastLaunch, Observation } from '../../../lambda/volume-reconciler/ports';
import { resultOf } from '../../../lambda/volume-reconciler/result';
import { changed, drive } from './drive';
import { row, SETTINGS } from './settings';
import { Tier } from './tier';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const AT = '2026-01-01T02:03:04.000Z';
const WHY =
  'We currently do not have sufficient m6in.8xlarge capacity in the Availability Zone you requested (us-east-1a).';
const FAILED: LastLaunch = { failed: { at: AT, why: WHY } };
const WITH_FALLBACK = { ...SETTINGS, serverType: 'm6in.8xlarge', fallbackTypes: ['m6idn.8xlarge'] };

describe('a slot without a server', () => {
  const seen = (lastLaunch: LastLaunch | undefined, reason?: string, phase = 'vacant'): Observation => ({
    now: Date.parse('2026-01-01T02:10:00Z'),
    beatAt: 0,
    rows: {
      slots: [
        {
          ...row('oss-00', 'eni-0', [{ volumeId: 'vol-0', device: '/dev/sdf' }]),
          reason,
          phase: phase as never,
        },
      ],
      owners: [],
      broken: [],
    },
    members: [],
    instances: [],
    volumes: [
      { id: 'vol-0', state: 'available', zone: 'a', attachments: [], formatted: true, fromSnapshot: false },
    ],
    interfaces: [{ id: 'eni-0', status: 'available', zone: 'a' }],
    commands: {},
    lastLaunch,
  });
  const settings = { ...WITH_FALLBACK, slots: ['oss-00'] };
  const noted = (observation: Observation, given = settings) => decide(observation, given).slots[0]!;

  test('says in its row and in the pass what Auto Scaling says, and which types are allowed', () => {
    const { reason, actions } = noted(seen(FAILED));
    expect(reason).toContain('no server');
    expect(reason).toContain(AT);
    expect(reason).toContain('m6in.8xlarge, then m6idn.8xlarge');
    expect(reason).toContain(WHY);
    expect(actions).toMatchObject([{ kind: 'annotate', note: { phase: 'vacant', reason } }]);
    const [slot] = resultOf('pending', 1, 5, [noted(seen(FAILED))], []).slots;
    expect(slot!.reason).toContain('us-east-1a');
  });

  test('of a tier of one type says what Auto Scaling says', () => {
    const { reason } = noted(seen(FAILED), { ...SETTINGS, slots: ['oss-00'] } as never);
    expect(reason).toContain(WHY);
    expect(reason).not.toContain('undefined');
  });

  test('says it once, and no more when a server comes', () => {
    const { reason } = noted(seen(FAILED));
    expect(noted(seen(FAILED, reason)).actions).toEqual([]);
    expect(noted(seen({}, reason))).toMatchObject({ reason: undefined, actions: [{ kind: 'annotate' }] });
    // Nobody could look: what was so counts.
    expect(noted(seen(undefined, reason))).toMatchObject({ reason, actions: [] });
  });

  test('keeps another reason', () => {
    expect(noted(seen({}, 'something else')).reason).toBe('something else');
  });
});

describe('the last launch', () => {
  const port = (Activities: object[]) => {
    const asked: unknown[] = [];
    const client = Object.assign(new AutoScalingClient(OFFLINE), {
      send: async (command: unknown) => {
        asked.push(command);
        return { Activities };
      },
    });
    return { group: new AutoScalingTier(client, 'group'), asked };
  };
  const activity = (at: string, StatusCode: string, Description: string, StatusMessage?: string) => ({
    StartTime: new Date(at),
    StatusCode,
    Description,
    StatusMessage,
  });
  const LAUNCHING = 'Launching a new EC2 instance';

  test('is the one that began last, whatever was terminated since', async () => {
    const { group, asked } = port([
      activity('2026-01-01T02:05:00Z', 'InProgress', 'Terminating EC2 instance: i-1'),
      activity('2026-01-01T01:00:00Z', 'Successful', `${LAUNCHING}: i-1`),
      activity(AT, 'Failed', `${LAUNCHING}.  Status Reason: ${WHY}`, WHY),
    ]);
    expect(await group.lastLaunch()).toEqual(FAILED);
    expect(asked).toMatchObject([{ input: { AutoScalingGroupName: 'group' } }]);
    expect(asked[0]).toBeInstanceOf(DescribeScalingActivitiesCommand);
  });

  test.each([
    [
      'succeeded',
      [
        activity(AT, 'Successful', `${LAUNCHING}: i-2`),
        activity('2026-01-01T01:00:00Z', 'Failed', LAUNCHING),
      ],
    ],
    ['goes on', [activity(AT, 'MidLifecycleAction', `${LAUNCHING}: i-2`)]],
    ['was given up', [activity(AT, 'Cancelled', `${LAUNCHING}: i-2`)]],
    ['is not known', []],
  ])('has not failed when it %s', async (_what, activities) => {
    expect(await port(activities).group.lastLaunch()).toEqual({});
  });
});

describe('Auto Scaling is asked', () => {
  async function looked(lose: boolean, lastLaunch: () => Promise<LastLaunch>) {
    const tier = await Tier.launched();
    await drive(tier, undefined, 'deployment');
    if (lose) {
      tier.world.ec2.noCapacity(3_600_000);
      await tier.lose('oss-00');
      await tier.advance(60);
      await drive(tier, undefined, 'loss', SETTINGS, 60);
      expect(tier.ownerOf('oss-00')).toBeUndefined();
    }
    const ports = tier.ports();
    const group = changed(ports.group, { lastLaunch });
    return tier.finish(observe({ wakeups: 0, beatAt: 0 }, { ...ports, group }));
  }

  test('of a tier that lacks a server only', async () => {
    const asked = jest.fn(async () => FAILED);
    expect((await looked(false, asked)).lastLaunch).toBeUndefined();
    expect(asked).not.toHaveBeenCalled();
  });

  test('and a refusal stops no pass', async () => {
    const refuse = jest.fn(async () => {
      throw Object.assign(new Error('no'), { name: 'AccessDenied' });
    });
    const { lastLaunch, rows } = await looked(true, refuse);
    expect(refuse).toHaveBeenCalled();
    expect([lastLaunch, rows.slots.length]).toEqual([undefined, 2]);
  });
});
