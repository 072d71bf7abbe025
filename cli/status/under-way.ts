import { type FoundDeployment, isUnderWay } from '../deployment';
import { count } from '../terminal';
import type { BackupLook, ExecutionLook, Item, RefreshLook, SnapshotLook } from './port';
import type { SlotReport, UnderWay } from './report';

/** What was seen that runs. */
export interface Running {
  readonly lock?: Item;
  readonly benchmarks: readonly ExecutionLook[];
  /** Of the workflow of each tier. */
  readonly recoveries: { readonly [tier: string]: readonly ExecutionLook[] };
  readonly refreshes: { readonly [group: string]: readonly RefreshLook[] };
  readonly snapshots: readonly SnapshotLook[];
  readonly backups: readonly BackupLook[];
}

/** What goes on, the largest first. */
export function underWayOf(
  { stacks }: FoundDeployment,
  running: Running,
  slots: readonly SlotReport[],
): UnderWay[] {
  const deployments = stacks
    .filter(({ status }) => isUnderWay(status))
    .map(({ name, status, since }) => ({ what: 'deployment', text: `${name} is ${status}`, since }) as const);
  const benchmarks = running.benchmarks.map(
    ({ name, since }) =>
      ({ what: 'benchmark', text: `the benchmark measures (execution ${name})`, since }) as const,
  );
  const rolls = Object.entries(running.refreshes).flatMap(([group, refreshes]) =>
    refreshes.map(({ status, percent, since }) => {
      const text = `servers of ${group} are replaced one after the other: ${status}, ${percent ?? 0} %`;
      return { what: 'roll', text, since } as const;
    }),
  );
  return [
    ...operationOf(running.lock),
    ...deployments,
    ...recoveriesOf(running.recoveries, slots),
    ...rolls,
    ...backupOf(running.snapshots),
    ...running.backups.map(ofFsx),
    ...benchmarks,
  ].map(({ what, text, since }) => ({ what, text, since: since ?? null }));
}

type Told = Pick<UnderWay, 'what' | 'text'> & { readonly since?: string };

function operationOf(lock: Item | undefined): Told[] {
  if (!lock) return [];
  const { operation, step, message, since } = lock;
  const details = [step, message].filter((one) => typeof one === 'string' && one !== '');
  const text = [`${operation ?? 'an operation'} runs`, ...details].join(': ');
  return [{ what: 'operation', text, since: typeof since === 'string' ? since : undefined }];
}

/** The workflow of a tier also runs every few minutes to look: only with a slot that is not served it repairs. */
function recoveriesOf(recoveries: Running['recoveries'], slots: readonly SlotReport[]): Told[] {
  return Object.entries(recoveries).flatMap(([tier, executions]) => {
    const open = slots.filter((one) => one.tier === tier && !one.served && one.phase !== 'asleep');
    if (executions.length === 0 || open.length === 0) return [];
    const which = open.map(({ slot, phase }) => `${slot} is ${phase}`).join(', ');
    const since = open.flatMap((one) => one.since ?? []).sort()[0];
    return [
      {
        what: 'recovery',
        text: `tier ${tier} is being repaired: ${which}`,
        since: since ?? executions[0]!.since,
      },
    ];
  });
}

const ofFsx = ({ fileSystem, percent, since }: BackupLook): Told => ({
  what: 'backup',
  text: `FSx makes a backup of ${fileSystem}, ${percent} % done`,
  since,
});

function backupOf(snapshots: readonly SnapshotLook[]): Told[] {
  if (snapshots.length === 0) return [];
  const parts = snapshots.map(({ progress }) => Number.parseInt(progress, 10) || 0);
  const least = Math.min(...parts);
  const text = `${count(snapshots.length, 'snapshot')} of volumes being made, ${least} % or more done`;
  return [{ what: 'backup', text, since: snapshots.flatMap(({ since }) => since ?? []).sort()[0] }];
}
