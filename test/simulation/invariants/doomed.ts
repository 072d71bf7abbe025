import { doomByHand } from '../../../proof/simulation/aws/ec2/doom';
import { interfaceOf, volumeOf } from '../checked-tier';
import { RECONCILER, type Story, type Teller } from './story';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** EC2 is to delete what the first slot's server has, and a pass begins a second later. */
async function doomed(tier: Teller, what: 'volumes' | 'interface' | 'both' = 'volumes'): Promise<void> {
  doomByHand(tier.world.ec2, 'oss-00', what);
  await tier.wait(SECOND);
  tier.calls('Query');
}

/** The group ends a server whose termination somebody has let go on, or nobody in time. */
function letGo(tier: Teller, by: string | null = RECONCILER, instanceId = tier.owner): void {
  const at = tier.world.now();
  tier.world.group.actions.push({
    token: 'made up',
    instanceId,
    hook: 'let-go',
    transition: 'autoscaling:EC2_INSTANCE_TERMINATING',
    startedAt: at,
    expiresAt: at,
    lastsUntil: at,
    heartbeats: 0,
    ended: { at, how: by === null ? 'timed-out' : 'continue', by: by ?? undefined },
  });
  tier.told.onGroupTerminates(instanceId);
}

const nothingDeleted: readonly Omit<Story, 'invariant'>[] = [
  {
    title: 'a pass lets a termination go on with which volumes are deleted',
    complaint: 'vol-00000000000000002 is deleted with i-',
    options: { volumesPerSlot: 1 },
    happens: async (tier) => {
      await doomed(tier);
      letGo(tier);
    },
  },
  {
    title: 'one with which the address is deleted',
    complaint: 'eni-00000000000000001 is deleted with i-',
    happens: async (tier) => {
      await doomed(tier, 'interface');
      letGo(tier);
    },
  },
  {
    title: 'the pass began before, and could not know',
    happens: async (tier) => {
      tier.calls('Query');
      await tier.wait(SECOND);
      doomByHand(tier.world.ec2, 'oss-00', 'both');
      letGo(tier);
    },
  },
  {
    title: 'all was taken back before',
    happens: async (tier) => {
      await doomed(tier, 'both');
      for (const volume of tier.world.ec2.volumes.values())
        for (const held of volume.attachments) held.doomedSince = undefined;
      interfaceOf(tier.world).attachment!.doomedSince = undefined;
      letGo(tier);
    },
  },
  {
    title: 'it is another server that goes',
    happens: async (tier) => {
      await doomed(tier);
      letGo(tier, RECONCILER, tier.other);
    },
  },
  {
    title: 'nobody let it go on: its hook was left to its time-out',
    happens: async (tier) => {
      await doomed(tier);
      letGo(tier, null);
    },
  },
  {
    title: 'nobody takes it back',
    complaint: 'is to be deleted with i-',
    options: { volumesPerSlot: 1 },
    happens: async (tier) => {
      doomByHand(tier.world.ec2, 'oss-00', 'volumes');
      const held = volumeOf(tier.world).attachments[0]!;
      const { doomedSince } = held;
      // A pass does: as if none had.
      for (let ms = 0; ms < 10 * MINUTE && tier.checker.violations.length === 0; ms += SECOND) {
        await tier.wait(SECOND);
        held.doomedSince = doomedSince;
      }
    },
  },
  {
    title: 'a pass takes it back',
    happens: async (tier) => {
      doomByHand(tier.world.ec2, 'oss-00', 'both');
      await tier.wait(20 * MINUTE);
    },
  },
];

export const DOOMED: readonly Story[] = nothingDeleted.map((story) => ({
  ...story,
  invariant: 'nothing-deleted',
}));
