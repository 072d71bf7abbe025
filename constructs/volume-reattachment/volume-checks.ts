import type { IConstruct } from 'constructs';
import { invalid, isConcrete, requireKnownList, sizeInGiB } from '../private/validation';
import { ebsVolumeProblems } from '../sizing';
import type { VolumeReattachmentProps } from './props';
import { refuseTwice } from './refuse-twice';

/** Rejects volumes that EBS does not make. */
export function checkVolumes(scope: IConstruct, props: VolumeReattachmentProps): void {
  props.volumes.forEach((volume, position) => {
    const size = sizeInGiB(volume.size);
    if (size === undefined) {
      const allowed = 'Size.gibibytes() of a token, or a size known at synthesis';
      throw invalid(
        scope,
        `volumes[${position}]: size`,
        'a token in another unit',
        allowed,
        'Give it in GiB.',
      );
    }
    const [problem] = ebsVolumeProblems({
      type: volume.volumeType,
      sizeGiB: isConcrete(size) ? size : undefined,
      iops: isConcrete(volume.iops) ? volume.iops : undefined,
      throughputMiBps: isConcrete(volume.throughputMiBps) ? volume.throughputMiBps : undefined,
    });
    if (problem) {
      throw invalid(
        scope,
        `volumes[${position}]: ${problem.what}`,
        problem.value,
        problem.allowed,
        problem.fix,
      );
    }
  });
}

/** Rejects kept volumes that do not make whole slots. */
export function checkExistingVolumes(scope: IConstruct, props: VolumeReattachmentProps): void {
  const { existingVolumes, slotCount, volumes } = props;
  if (existingVolumes === undefined) return;
  // How many there are decides how many new volumes there will be.
  requireKnownList(scope, 'existingVolumes', existingVolumes);
  const perSlot = volumes.length;
  if (existingVolumes.length % perSlot !== 0 || existingVolumes.length > slotCount * perSlot) {
    throw invalid(
      scope,
      'the number of existingVolumes',
      existingVolumes.length,
      `a multiple of ${perSlot}, the volumes of one slot, up to ${slotCount * perSlot} for ${slotCount} slots`,
      'Name all volumes of slot 00 in serving order, then those of slot 01, and so on; the slots ' +
        'after them get new ones.',
    );
  }
  for (const id of existingVolumes) {
    if (isConcrete(id) && !/^vol-[0-9a-f]{8,17}$/.test(id)) {
      throw invalid(
        scope,
        'existingVolumes',
        id,
        'ids such as vol-0123456789abcdef0',
        'Look them up in the volume map.',
      );
    }
  }
  refuseTwice(scope, 'existingVolumes', existingVolumes, 'volume ids that differ');
}

/** Rejects a set of snapshots that does not make whole slots. */
export function checkRestoredSet(
  scope: IConstruct,
  props: Pick<VolumeReattachmentProps, 'restoreFrom' | 'existingVolumes' | 'slotCount'> & {
    readonly volumes: { readonly length: number };
  },
): void {
  const { restoreFrom, existingVolumes, slotCount, volumes } = props;
  if (restoreFrom === undefined) return;
  const { set, snapshots } = restoreFrom;
  if (existingVolumes !== undefined) {
    throw invalid(
      scope,
      'restoreFrom',
      set,
      'a set, or existingVolumes, not both',
      'Leave one of them out: a slot has its volumes from a set, or is given them.',
    );
  }
  requireKnownList(scope, 'restoreFrom.snapshots', snapshots);
  const perSlot = volumes.length;
  if (snapshots.length === 0 || snapshots.length % perSlot !== 0 || snapshots.length > slotCount * perSlot) {
    throw invalid(
      scope,
      'the number of restoreFrom.snapshots',
      snapshots.length,
      `a multiple of ${perSlot}, the volumes of one slot, up to ${slotCount * perSlot} for ${slotCount} slots`,
      'Take the tier as it was: cdk-sas-grid restore writes the configuration.',
    );
  }
  for (const id of snapshots) {
    if (isConcrete(id) && !/^snap-[0-9a-f]{8,17}$/.test(id)) {
      const allowed = 'ids such as snap-0123456789abcdef0';
      throw invalid(scope, 'restoreFrom.snapshots', id, allowed, 'cdk-sas-grid restore writes them.');
    }
  }
  refuseTwice(scope, 'restoreFrom.snapshots', snapshots, 'snapshot ids that differ');
  if (isConcrete(set) && !/^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/.test(set)) {
    const allowed = 'the name of a set, such as 20261128T010203Z';
    throw invalid(scope, 'restoreFrom.set', set, allowed, 'cdk-sas-grid backup --list shows them.');
  }
}
