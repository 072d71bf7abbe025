import type { Log } from '../../../lambda/shared/log';
import type { reconcile } from '../../../lambda/volume-reconciler/handler';
import type { Ports } from '../../../lambda/volume-reconciler/ports';
import type { Settings } from '../../../lambda/volume-reconciler/settings';
import type { Faults } from './call';
import type { TierDeployment } from './deployment';
import type { Observer } from './observer';
import type { Timings } from './timings';
import type { Clients } from './transport/transport';

/** One account with one tier, and what goes wrong in it. */
export interface WorldOptions {
  /** What `synthesizeTier` read from the template; plain data, shared by all worlds of a process. */
  readonly deployment: TierDeployment;
  readonly slots: number;
  /** At most 11. */
  readonly volumesPerSlot: number;
  /** Determines the run, together with the faults. */
  readonly seed: number;
  /** @default - nothing goes wrong */
  readonly faults?: Faults;
  /** @default - those of `TIMINGS` */
  readonly timings?: Partial<Timings>;
  /** @default - nobody is told */
  readonly observer?: Observer;
  /** @default - silent */
  readonly log?: Log;
  /** Milliseconds since 1970. @default - the first of 2026 */
  readonly start?: number;
  /** What each pass runs. @default - the reconciler's handler */
  readonly reconcile?: typeof reconcile;
  /** @default - as they are */
  readonly wrapPorts?: (ports: Ports, worker: string) => Ports;
  /** @default - as they are */
  readonly wrapClients?: (clients: Clients, worker: string) => Clients;
  /** Servers beyond the slots. @default 0 */
  readonly spareServers?: number;
  /** Servers of a grid, which are clients of the tier. @default 0 */
  readonly gridNodes?: number;
  /** @default - as the construct sets them */
  readonly settings?: (settings: Settings) => Settings;
}
