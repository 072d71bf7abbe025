import { reconcile } from '../../../lambda/volume-reconciler/handler';
import type { Ports } from '../../../lambda/volume-reconciler/ports';
import type { PassResult } from '../../../lambda/volume-reconciler/result';
import type { Settings } from '../../../lambda/volume-reconciler/settings';
import { SETTINGS } from './settings';
import type { Tier } from './tier';

class Crash extends Error {}

/** The calls that a process has made, by number. */
export const callsOf = ({ calls }: Process): number[] =>
  Array.from({ length: calls }, (_, index) => index + 1);

/** A port of which some methods do something else. */
export const changed = <T extends object>(port: T, others: Partial<T>): T =>
  Object.assign(Object.create(port), others);

/** Wraps the ports so that the process dies before or after one call, and stays dead for the rest of the pass. */
export class Process {
  calls = 0;
  crashed = false;
  readonly names: string[] = [];

  constructor(
    /** What it reaches, where that is not what the tier gives. */
    private readonly change: (ports: Ports) => Partial<Ports> = () => ({}),
    private readonly crashAt = 0,
    private readonly when: 'before' | 'after' = 'before',
  ) {}

  alive(given: Ports): Ports {
    let dead = false;
    const wrap = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const method = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return async (...args: unknown[]) => {
            if (dead) throw new Crash('dead');
            this.calls += 1;
            this.names.push(String(name));
            const hit = this.calls === this.crashAt;
            if (hit && this.when === 'before') {
              dead = true;
              this.crashed = true;
              throw new Crash('before');
            }
            const answer = await method.apply(target, args);
            if (dead) throw new Crash('dead');
            if (hit) {
              dead = true;
              this.crashed = true;
              throw new Crash('after');
            }
            return answer;
          };
        },
      });
    const { clock, log, map, compute, group, hosts } = { ...given, ...this.change(given) };
    return { clock, log, map: wrap(map), compute: wrap(compute), group: wrap(group), hosts: wrap(hosts) };
  }
}

/**
 * Does what the workflow does: passes with waits in between, again after a crash, until the pass says it is over.
 *
 * @param idleSeconds how much time passes at least after a pass that did nothing: here calls take no time, and one that
 * did nothing would see the same again. With more of it there are fewer passes alike, where each call of each is to be
 * looked at.
 */
export async function drive(
  tier: Tier,
  process = new Process(),
  execution = 'run',
  settings: Settings = SETTINGS,
  deadlineSeconds = 3600,
  idleSeconds = 1,
): Promise<PassResult> {
  const startedAt = new Date(tier.now).toISOString();
  let previous: unknown = {};
  for (let pass = 0; pass < 2000; pass++) {
    let result: PassResult | undefined;
    const wasCrashed = process.crashed;
    try {
      const event = { action: 'reconcile', execution, startedAt, deadlineSeconds, cause: 'test', previous };
      result = await tier.finish(reconcile(event, process.alive(tier.ports(execution)), settings));
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    // What a dead process would have answered, nobody heard.
    if (result === undefined || process.crashed !== wasCrashed) {
      await tier.advance(2);
      continue;
    }
    tier.passed(execution);
    if (!['pending', 'busy', 'unseeded'].includes(result.outcome)) return result;
    if (result.outcome === 'unseeded') return result;
    previous = result;
    await tier.advance(Math.max(result.waitSeconds, result.actions.length === 0 ? idleSeconds : 0));
  }
  throw new Error('the workflow never ended');
}

/** As `drive`, for tests that break it at each single call: as many passes as it takes, and not more. */
export const driveSlowly = (tier: Tier, process: Process, settings?: Settings): Promise<PassResult> =>
  drive(tier, process, 'run', settings, 3600, 5);
