import type { World } from '../aws/world';
import type { Target } from './kinds';

/** What strikes somebody; false when it could do nothing. */
export type StrikeOn = (id: string) => unknown;

/** Whom faults strike. Each answers whom it struck, for people; undefined when there was nobody. */
export class Targets {
  constructor(private readonly world: World) {}

  instance(target: Target, strike: StrikeOn): string | undefined {
    return this.instances([target], strike);
  }

  instances(targets: readonly Target[], strike: StrikeOn): string | undefined {
    const ids = new Set(targets.map((target) => this.find(target)).filter((id) => id !== undefined));
    // What says that it could do nothing has struck nobody.
    const struck = [...ids].filter((id) => strike(id) !== false);
    return struck.length > 0 ? struck.join(', ') : undefined;
  }

  volume({ slot, volume }: { slot: number; volume: number }, strike: StrikeOn): string | undefined {
    const volumes = [...this.world.ec2.volumes.values()].filter((each) => each.slot === this.slot(slot));
    const found = volumes[volume % volumes.length];
    return found !== undefined && strike(found.id) !== false ? found.id : undefined;
  }

  interface(slot: number, strike: StrikeOn): string | undefined {
    for (const { id, slot: of } of this.world.ec2.interfaces.values())
      if (of === this.slot(slot)) return strike(id) !== false ? id : undefined;
    return undefined;
  }

  /** The name of a slot. */
  slot(index: number): string {
    return `${this.world.options.deployment.tier}-${String(index).padStart(2, '0')}`;
  }

  private find(target: Target): string | undefined {
    const { ec2, group, map } = this.world;
    const lives = (id: string) =>
      !['terminated', 'shutting-down'].includes(ec2.instances.get(id)?.state ?? 'terminated');
    if ('owner' in target) {
      const owner = map.items.get(`slot#${this.slot(target.owner)}`)?.owner;
      return typeof owner === 'string' && lives(owner) ? owner : undefined;
    }
    const members = [...group.members.keys()].filter(lives);
    return members[target.member % members.length];
  }
}
