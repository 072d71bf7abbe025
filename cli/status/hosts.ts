import type { HealthLook, InstanceLook } from './port';
import type { HostReport } from './report';
import { serverOf } from './slots';
import { parseSpace } from './space';

/** Reasons of the health program that are about what is mounted, or its way there. */
const ABOUT_MOUNTS = /^(mount|unreachable|lustre|evicted)$/;

/** A server gets ready in this time, as the function has it that asks for their health. */
const STARTING_MS = 20 * 60_000;

/** Servers that mount the file system, or share it as a cluster, by name. */
export function hostsOf(
  ids: readonly string[],
  instances: ReadonlyMap<string, InstanceLook>,
  health: { readonly [instanceId: string]: HealthLook },
  printed: { readonly [instanceId: string]: string },
  now: number,
): HostReport[] {
  return ids
    .map((id) => hostOf(id, instances, health[id], printed[id] ?? '', now))
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

function hostOf(
  id: string,
  instances: ReadonlyMap<string, InstanceLook>,
  health: HealthLook | undefined,
  printed: string,
  now: number,
): HostReport {
  const found = instances.get(id);
  // One that is stopped, or was replaced since, has said nothing of what is now.
  const told = found?.state === 'running' && isOfThisRun(health, found) ? health : undefined;
  return {
    name: told?.name ?? found?.name ?? id,
    ...serverOf(id, instances),
    address: found?.address ?? null,
    health:
      told?.is === 'silent' && now - Date.parse(found?.launched ?? '') < STARTING_MS
        ? 'unsure'
        : (told?.is ?? null),
    mounts: mountsOf(told),
    scratchUsedPercent: told?.usedPercent ?? null,
    reasons: (told?.reasons ?? []).map(({ code, text }) => (code === 'note' ? text : `${code}: ${text}`)),
    askedAt: told?.at ?? null,
    space: parseSpace(printed) ?? null,
  };
}

const isOfThisRun = (health: HealthLook | undefined, { launched = '' }: InstanceLook): boolean =>
  health !== undefined && Date.parse(health.at) >= (Date.parse(launched) || 0);

function mountsOf(health: HealthLook | undefined): HostReport['mounts'] {
  if (health === undefined || health.is === 'silent') return null;
  if (health.reasons.some(({ code }) => ABOUT_MOUNTS.test(code))) return 'missing';
  // One that has not even its name did not look.
  return health.name === undefined ? null : 'ok';
}
