import { portsOn as probePortsOn } from '../../../lambda/health-prober/aws';
import { run as probeAll } from '../../../lambda/health-prober/handler';
import { PATIENCE as PROBER_PATIENCE } from '../../../lambda/health-prober/settings';
import { ANSWER_MS, HttpAnswers } from '../../../lambda/shared/answer';
import type { Log } from '../../../lambda/shared/log';
import { PATIENCE as SEED_PATIENCE, portsOn as seedPortsOn } from '../../../lambda/volume-map-resource/aws';
import { handle } from '../../../lambda/volume-map-resource/handler';
import { PATIENCE, portsOn } from '../../../lambda/volume-reconciler/aws';
import { reconcile } from '../../../lambda/volume-reconciler/handler';
import type { Settings } from '../../../lambda/volume-reconciler/settings';
import { ServiceError } from './errors';
import { SLEEP_ARN } from './sleeper';
import type { Clients, PatienceOf } from './transport/transport';
import type { Worker } from './transport/worker';
import type { World } from './world';

/** The functions of the account: the real code of each, on the simulated services. */
export class Functions {
  constructor(
    private readonly world: World,
    private readonly log: Log,
  ) {}

  /** By their ARNs. */
  get all() {
    const { deployment } = this.world.options;
    const { reconcilerTimeoutSeconds, seedTimeoutSeconds } = deployment;
    return {
      [deployment.reconcilerArn]: {
        name: 'reconciler',
        timeoutSeconds: reconcilerTimeoutSeconds,
        run: (event: unknown, worker: Worker) => this.pass(event, worker),
      },
      [deployment.seedArn]: {
        name: 'seed',
        timeoutSeconds: seedTimeoutSeconds,
        run: (event: unknown, worker: Worker) => handle(event, this.seedPorts(worker)),
      },
      [deployment.prober.arn]: {
        name: 'prober',
        timeoutSeconds: deployment.prober.timeoutSeconds,
        run: (_event: unknown, worker: Worker) => this.probe(worker),
      },
      [deployment.nodeHealth.arn]: this.world.grid.function,
      [SLEEP_ARN]: this.world.sleeper.function,
    };
  }

  private async pass(event: unknown, worker: Worker): Promise<unknown> {
    const { deployment, wrapPorts, observer } = this.world.options;
    const settings = this.settings();
    const timer = this.timerOf(worker);
    const { tableName, documentName } = deployment;
    const ports = portsOn(this.clients(worker, PATIENCE), settings, tableName, documentName, timer, this.log);
    const pass = this.world.options.reconcile ?? reconcile;
    const result = await pass(event, wrapPorts?.(ports, worker.name) ?? ports, settings);
    if (worker.alive) observer?.onPass?.(worker.name);
    return result;
  }

  private probe(worker: Worker): Promise<unknown> {
    const { environment } = this.world.options.deployment.prober;
    const settings = { ...environment.settings, slotCount: this.world.stack.slots.length };
    const cloudFormation = this.world.transport.cloudFormation(worker, PROBER_PATIENCE);
    const clients = { ...this.world.transport.clients(worker, { usual: PROBER_PATIENCE }), cloudFormation };
    const log = this.world.cloudWatch.logOf('prober', this.log);
    const ports = probePortsOn(clients, { ...environment, settings }, this.timerOf(worker), log);
    return probeAll(ports, settings);
  }

  /** The clock of a function's process, which may be wrong. */
  timerOf(worker: Worker): { now(): number; sleep(ms: number): Promise<void> } {
    const error = this.world.options.faults?.clockError?.(worker.name, this.world.now()) ?? 0;
    return { now: () => this.world.now() + error, sleep: (ms) => this.world.scheduler.sleep(ms) };
  }

  private settings(): Settings {
    const { deployment } = this.world.options;
    const { tier, tierTag, groupName, hooks, recoveryTimeoutSeconds } = deployment;
    const hook = (transition: string) => hooks.find((each) => each.transition.endsWith(transition))!.name;
    const settings: Settings = {
      tier,
      tierTag,
      groupName,
      launchHook: hook('LAUNCHING'),
      terminateHook: hook('TERMINATING'),
      slots: this.world.stack.slots,
      spareServers: this.world.options.spareServers ?? 0,
      serverType: deployment.serverType,
      fallbackTypes: deployment.fallbackTypes,
      recoveryTimeoutSeconds,
    };
    return this.world.options.settings?.(settings) ?? settings;
  }

  private seedPorts(worker: Worker) {
    const put = async (url: unknown, request?: { body?: unknown }): Promise<Response> => {
      const body = new TextDecoder().decode(request?.body as Uint8Array);
      try {
        await this.world.transport.once(worker, ANSWER_MS, 'cloudformation', 'PutAnswer', { url, body });
        return { ok: true, status: 200 } as Response;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.$metadata.httpStatusCode === undefined) throw error;
        return { ok: false, status: error.$metadata.httpStatusCode } as Response;
      }
    };
    const timer = this.timerOf(worker);
    const answers = new HttpAnswers(put as typeof fetch, timer.sleep);
    return seedPortsOn(this.clients(worker, SEED_PATIENCE), answers, this.log, timer);
  }

  clients(worker: Worker, patience: PatienceOf): Clients {
    const clients = this.world.transport.clients(worker, patience);
    return this.world.options.wrapClients?.(clients, worker.name) ?? clients;
  }
}
