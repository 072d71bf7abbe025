import type { Estate } from './model';
import type { FailureReport, MachineReport, Report, ServerReport } from './report';

/** The report as text, times rounded to what they are good for. */
export function reportJson(report: Report): string {
  const round = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 100) / 100 : value;
  return `${JSON.stringify(report, round, 2)}\n`;
}

/** The servers of an estate, tier by tier in the order of the tiers. */
export function serversOf(estate: Estate): ServerReport[] {
  return estate.tiers.flatMap(({ tier }) =>
    estate.slots
      .filter((slot) => slot.tier === tier)
      .sort((a, b) => a.slot.localeCompare(b.slot, 'en', { numeric: true }))
      .map((slot) => ({
        tier,
        slot: slot.slot,
        instance: slot.owner ?? '',
        instanceType: estate.instances.find(({ id }) => id === slot.owner)?.type ?? '',
        address: slot.address,
        volumes: slot.volumes.map((id) => {
          const volume = estate.volumes.find((candidate) => candidate.id === id);
          return { id, type: volume?.type ?? '', sizeGiB: volume?.sizeGiB ?? 0 };
        }),
      })),
  );
}

/** The running machines that own no slot. */
export function machinesOf(estate: Estate): MachineReport[] {
  const owners = new Set(estate.slots.map(({ owner }) => owner));
  return estate.instances
    .filter(({ id, state }) => state === 'running' && !owners.has(id))
    .map(({ id, name, type, privateAddress }) => ({
      name,
      instance: id,
      instanceType: type,
      address: privateAddress,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Volumes in a few words: '8 x 750 GiB gp2', or several such groups. */
export function describeVolumes(volumes: ServerReport['volumes']): string {
  const kinds = new Map<string, number>();
  for (const { type, sizeGiB } of volumes) {
    const kind = `${sizeGiB} GiB ${type}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} x ${kind}`).join(', ');
}

/** Whether another instance took over. */
export const isReplaced = ({ oldInstance, newInstance }: FailureReport) => oldInstance !== newInstance;

/** One sentence about a failure for people. */
export function describeFailure(failure: FailureReport): string {
  if (!isReplaced(failure) && failure.harm !== undefined)
    return `${failure.slot}: ${failure.oldInstance} ${failure.harm}, and goes on serving`;
  if (failure.fencedBy !== undefined) {
    const { slot, oldInstance, newInstance, fencedBy, address } = failure;
    return `${slot}: ${fencedBy} fenced ${oldInstance}, ${newInstance} joined at ${address}`;
  }
  const count = failure.volumes.length;
  if (count === 0)
    return `${failure.slot}: ${failure.newInstance} came back with new scratch and the file system`;
  const volumes = count === 1 ? 'its volume' : `its ${count} volumes`;
  return `${failure.slot}: ${failure.newInstance} took over ${volumes} and ${failure.address}`;
}
