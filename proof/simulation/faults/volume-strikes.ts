import { doomByHand } from '../aws/ec2/doom';
import type { World } from '../aws/world';
import { protectionMs } from '../bound';
import type { HandEdits } from './hand-edits';
import type { Strikes } from './strikes';
import type { Targets } from './targets';

/** What happens to the volumes and interfaces of slots. */
export function volumeStrikes({ ec2 }: World, targets: Targets, edits: HandEdits) {
  /** What was never formatted holds no file system. */
  const change = (volumeId: string, changes: object): boolean => {
    const volume = ec2.volumes.get(volumeId);
    if (volume?.content !== 'target') return false;
    Object.assign(volume, changes);
    return true;
  };
  return {
    'stuck-interface': (fault) =>
      targets.interface(fault.slot, (id) => ec2.stickAttachment(id, fault.state, fault.ms)),
    'stuck-attachment': (fault) =>
      targets.volume(fault, (id) => ec2.stickAttachment(id, fault.state, fault.ms)),
    'detach-by-hand': (fault) => targets.volume(fault, (id) => edits.detach(id)),
    'interface-by-hand': (fault) => targets.interface(fault.slot, (id) => ec2.detachInterfaceByHand(id)),
    'moved-by-hand': (fault) =>
      targets.instance(fault.target, (instanceId) =>
        targets.volume(fault, (id) => edits.move(id, instanceId)),
      ),
    'not-kept': (fault) => {
      const slot = targets.slot(fault.slot);
      return doomByHand(ec2, slot, fault.what) ? slot : undefined;
    },
    'looks-blank': (fault) => targets.volume(fault, (id) => edits.wipe(id)),
    damaged: (fault) => targets.volume(fault, (id) => change(id, { repairMs: fault.repairMs })),
    orphans: (fault) =>
      targets.volume(fault, (id) =>
        change(id, { orphansMs: fault.repairMs, failingSnapshots: fault.failing }),
      ),
    'slow-volume': (fault) =>
      targets.volume(fault, (id) => change(id, { slowProtectionMs: protectionMs(fault.intervalSeconds) })),
  } satisfies Strikes;
}
