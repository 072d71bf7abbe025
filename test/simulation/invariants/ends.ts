import type { World } from '../../../proof/simulation/aws/world';
import type { Fault } from '../../../proof/simulation/faults/kinds';
import { ownerOf } from '../checked-tier';

/** Something that happens in a run beside the faults of its plan, which would be put right. */
export interface EndStory {
  readonly invariant: string;
  readonly title: string;
  readonly faults?: readonly Fault[];
  /** When the run begins. */
  readonly onBegin?: (world: World) => void;
  /** When all is served for the first time. */
  readonly onServed?: (world: World) => void;
  /**
   * When the faults are over and nothing is to happen any more: from now on the run looks whether all stays as it is.
   */
  readonly onStays?: (world: World) => void;
  readonly complaint?: string;
}

const MINUTE = 60_000;
const FOR_GOOD = 100 * 60 * MINUTE;
const LOST: readonly Fault[] = [{ kind: 'terminate', at: 0, targets: [{ owner: 0 }] }];

/** Exit code of a host that has to be called again. */
const NOT_YET = 75;

const servedInTime: readonly Omit<EndStory, 'invariant'>[] = [
  {
    title: 'a server is lost, and there is never room for another one',
    faults: LOST,
    onServed: (world) => world.ec2.noCapacity(FOR_GOOD),
    complaint: 'minutes after the last fault not all is served: oss-00: it has no owner',
  },
  {
    title: 'a server is lost, and there is room after twenty minutes',
    faults: LOST,
    onServed: (world) => world.ec2.noCapacity(20 * MINUTE),
  },
  {
    title: 'nothing goes wrong, and the first server never gets ready',
    onBegin: (world) => world.hosts.fail(undefined, NOT_YET, 10_000),
    complaint: '40 minutes after a deployment without faults not all is served: oss-00: its row says',
  },
  {
    title: 'a server is lost when nothing is to happen any more, and there is no room for another one',
    onStays: (world) => {
      world.ec2.noCapacity(FOR_GOOD);
      world.ec2.terminate(ownerOf(world));
    },
    complaint: '6 minutes after nothing happened any more not all is served: oss-00: it has no owner',
  },
];

const staysServed: readonly Omit<EndStory, 'invariant'>[] = [
  {
    title: 'its group replaces a server when nothing is to happen any more',
    onStays: (world) => void world.group.lieAboutHealth(ownerOf(world), 'Unhealthy'),
    complaint: 'nothing happened, and i-',
  },
  {
    title: 'the health probe has one replaced then',
    onStays: (world) => void world.hosts.all.get(ownerOf(world))!.fallIll('dead'),
    complaint: 'nothing happened, and i-',
  },
  {
    title: 'a server starts anew then, and serves again',
    onStays: (world) => void world.hosts.reboot(ownerOf(world)),
  },
  { title: 'nothing happens' },
];

export const ENDS: readonly EndStory[] = [
  ...servedInTime.map((story) => ({ ...story, invariant: 'served-in-time' })),
  ...staysServed.map((story) => ({ ...story, invariant: 'stays-served' })),
];
