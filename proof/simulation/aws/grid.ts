import { Ec2Servers, SsmCleanUp, SsmHealth } from '../../../lambda/node-health/aws';
import { run as askNodes } from '../../../lambda/node-health/handler';
import { PATIENCE } from '../../../lambda/node-health/settings';
import type { Log } from '../../../lambda/shared/log';
import type { NodeHealthDeployment } from './deployment';
import type { SimulatedEc2 } from './ec2/ec2';
import type { SimulatedFunction } from './lambda';
import type { Clients, PatienceOf } from './transport/transport';
import type { Worker } from './transport/worker';

/** What the function of a grid is given. */
interface Surroundings {
  readonly clients: (worker: Worker, patience: PatienceOf) => Clients;
  readonly now: (worker: Worker) => () => number;
  readonly log: Log;
}

/** Name of the function in calls and faults. */
export const NODE_HEALTH = 'node-health';

/**
 * The servers of a grid, which are clients of the tier, and the function that asks them: the real one. Their scratch is
 * not cleaned up.
 */
export class SimulatedGrid {
  readonly instanceIds: readonly string[];

  constructor(
    ec2: SimulatedEc2,
    zone: string,
    nodes: number,
    private readonly deployment: NodeHealthDeployment,
    private readonly at: Surroundings,
  ) {
    this.instanceIds = Array.from({ length: nodes }, () => ec2.launch(zone, {})!.id);
  }

  get function(): SimulatedFunction {
    const { timeoutSeconds } = this.deployment;
    return { name: NODE_HEALTH, timeoutSeconds, run: (_event, worker) => this.ask(worker) };
  }

  private ask(worker: Worker): Promise<unknown> {
    const { settings, document, cleanUpDocument } = this.deployment.environment;
    const { ec2, ssm } = this.at.clients(worker, { usual: PATIENCE });
    const ports = {
      log: this.at.log,
      now: this.at.now(worker),
      servers: new Ec2Servers(ec2),
      health: new SsmHealth(ssm, document),
      cleanUp: new SsmCleanUp(ssm, cleanUpDocument),
    };
    const servers = { ...settings.servers, values: this.instanceIds };
    return askNodes(ports, { ...settings, servers });
  }
}
