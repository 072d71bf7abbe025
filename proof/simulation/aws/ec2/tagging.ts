import type { SimulatedEc2 } from './ec2';
import { instanceOf, volumeOf } from './found';
import { instanceView } from './views';

/** CreateTags on volumes and instances; all or none. */
export function tagAll(ec2: SimulatedEc2, ids: readonly string[], tags: { [key: string]: string }): void {
  const instances = ids.filter((id) => id.startsWith('i-')).map((id) => instanceOf(ec2, id));
  const volumes = ids.filter((id) => !id.startsWith('i-')).map((id) => volumeOf(ec2, id));
  for (const volume of volumes) {
    volume.tags = { ...volume.tags, ...tags };
    ec2.noteVolume(volume);
  }
  for (const instance of instances) {
    instance.tags = { ...instance.tags, ...tags };
    // What has ended loses its tags, or has lost them.
    if (instance.state !== 'terminated') ec2.instanceViews.note(instance.id, instanceView(instance));
  }
}
