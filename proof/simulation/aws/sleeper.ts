import { portsOn } from '../../../lambda/operation-sleep/aws';
import { takeSleepStep } from '../../../lambda/operation-sleep/handler';
import type { Night, NightPort, Ports } from '../../../lambda/operation-sleep/ports';
import { PATIENCE, type Settings } from '../../../lambda/operation-sleep/settings';
import type { Log } from '../../../lambda/shared/log';
import { type Held, type LockPort, type Progress, STEP_MS } from '../../../lambda/shared/operation/lock';
import type { StepResult } from '../../../lambda/shared/operation/step';
import { SLEEP_DOCUMENT } from './ssm';
import { StateError } from './stepfunctions/paths';
import type { Clients } from './transport/transport';
import type { Worker } from './transport/worker';
import type { World } from './world';

/** The function behind the operations stop and start. */
export const SLEEP_ARN = 'operation-sleep';

const TIMEOUT_SECONDS = 120;
const RETRY_MS = 5_000;

/**
 * An administrator who stops the deployment, and starts it again: the real steps of both operations, as their workflow
 * calls them. Whoever starts it does not wait for a stop that goes on: that execution is stopped.
 */
export class Sleeper {
  readonly function = {
    name: 'sleep',
    timeoutSeconds: TIMEOUT_SECONDS,
    run: (event: unknown, worker: Worker) => this.step(event, worker),
  };
  private readonly table = new OwnTable();
  private executions = 0;

  constructor(
    private readonly world: World,
    private readonly clients: (worker: Worker) => Clients,
    private readonly log: Log,
    /** Told what an operation ended with. */
    private readonly onEnd: (operation: string, outcome: StepResult['outcome']) => void = () => undefined,
  ) {}

  /** Stops it, and starts it again so much later, whatever became of the stop. */
  sleep(ms: number): void {
    const { scheduler } = this.world;
    const operate = (operation: 'stop' | 'start'): void => {
      this.operate(operation).catch((error) => scheduler.fail(error as Error));
    };
    operate('stop');
    scheduler.after(ms, () => operate('start'), 'start of the deployment');
  }

  private async operate(operation: 'stop' | 'start'): Promise<void> {
    const { scheduler, lambda } = this.world;
    const execution = `${operation}-${++this.executions}`;
    this.table.running = execution;
    const startedAt = new Date(this.world.now()).toISOString();
    const event = { operation, execution, startedAt, input: { force: true } };
    while (this.table.running === execution) {
      let waitMs = RETRY_MS;
      try {
        const result = (await lambda.invoke(SLEEP_ARN, event, execution)) as StepResult;
        if (result.outcome !== 'again') {
          if (this.table.running !== execution) return;
          this.table.running = undefined;
          this.onEnd(operation, result.outcome);
          return;
        }
        waitMs = result.waitSeconds * 1000;
      } catch (error) {
        // As the workflow does: it calls again.
        if (!(error instanceof StateError)) throw error;
      }
      await scheduler.sleep(waitMs);
    }
  }

  private step(event: unknown, worker: Worker): Promise<StepResult> {
    const cloudFormation = this.world.transport.cloudFormation(worker, PATIENCE);
    const own = { log: this.log, now: () => this.world.now(), lock: this.table, night: this.table.night };
    const document = SLEEP_DOCUMENT.name;
    const ports: Ports = portsOn({ ...this.clients(worker), cloudFormation }, { document }, own);
    return takeSleepStep(event, ports, this.settings());
  }

  private settings(): Settings {
    const { deployment, spareServers = 0 } = this.world.options;
    const { tier, tableName, groupName } = deployment;
    const slots = this.world.stack.slots.length;
    return {
      deployment: 'simulated',
      tiers: [{ tier, table: tableName, group: groupName, slots, spares: spareServers }],
      stopOrder: [tier],
      clusterGroups: [],
      hostsHaveUsers: false,
      stacks: ['storage'],
      deadlineSeconds: 3 * 3600,
    };
  }
}

/** The deployment's own table, which nothing disturbs: what counts is in the map. */
class OwnTable implements LockPort {
  /** The execution that runs; one before it was stopped. */
  running: string | undefined;
  private held: Held | undefined;
  /** When its last step began. */
  private at = 0;
  private found: Night | undefined;

  readonly night: NightPort = {
    read: async () => this.found,
    begin: async (_since, by) => {
      this.found = { nodes: [], unmounted: this.found?.unmounted ?? [], by, dawns: false };
    },
    remember: async () => undefined,
    unmounting: async (groups) => {
      if (this.found) this.found = { ...this.found, unmounted: [...groups] };
    },
    letGo: async () => {
      if (this.found) this.found = { ...this.found, unmounted: [] };
    },
    dawn: async () => {
      if (this.found) this.found = { ...this.found, dawns: true };
    },
    end: async () => {
      this.found = undefined;
    },
  };

  async take(operation: string, execution: string, since: string): Promise<Held> {
    const { held } = this;
    const isOwn = held?.execution === execution;
    if (held !== undefined && !isOwn) {
      if (held.execution === this.running) return held;
      if (Date.parse(since) - this.at <= STEP_MS) return { ...held, ending: true };
    }
    this.at = Date.parse(since);
    this.held = isOwn ? held : { operation, execution, since, progress: {} };
    return this.held;
  }

  async note(execution: string, _message: string, progress: Progress): Promise<void> {
    if (this.held?.execution === execution) this.held = { ...this.held, progress };
  }

  async free(execution: string): Promise<void> {
    if (this.held?.execution === execution) this.held = undefined;
  }
}
