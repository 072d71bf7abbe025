import { PROBE_ITEM } from '../../lambda/shared/map';
import type { Call } from './aws/call';
import type { ProbeTruth } from './aws/probes';
import { type Context, type Invariant, wasDone } from './invariants/invariant';

const PROBER = 'prober/';

/**
 * The server that a call of the health prober declares unhealthy; undefined when it is another call, or was not done.
 */
export function declared(call: Call, outcome: string): string | undefined {
  if (call.operation !== 'SetInstanceHealth' || !call.worker.startsWith(PROBER) || !wasDone(outcome))
    return undefined;
  return (call.input as { InstanceId: string }).InstanceId;
}

/** The rounds of probes that invocations of the prober read. */
export function roundRead(world: Context['world']): {
  readonly onMapWrite: NonNullable<Invariant['onMapWrite']>;
  /** What became of the round before that time. */
  readonly before: (time: number) => ProbeTruth[];
} {
  /** Oldest first. */
  const rounds: { readonly at: number; readonly commands: readonly string[] }[] = [];
  return {
    onMapWrite(item, _before, after) {
      if (item !== PROBE_ITEM || !Array.isArray(after?.commands)) return;
      rounds.push({ at: world().scheduler.now(), commands: after.commands.map(String) });
    },
    before(time) {
      const last = rounds.filter(({ at }) => at < time).pop();
      return (last?.commands ?? []).flatMap((command) => world().ssm.probes.all.get(command) ?? []);
    },
  };
}
