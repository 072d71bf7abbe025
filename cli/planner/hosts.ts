import { instanceTypeFacts } from '../../constructs/sizing/instance-types';
import type { DeploymentConfig } from '../../lib/config-types';

/** Who reads and writes the storage of a deployment. */
export interface Hosts {
  /** Grid nodes, without the control server. Undefined: the deployment has none. */
  readonly nodes?: number;
  readonly nodeType?: string;
  /** Physical cores of the nodes. Undefined: there are no nodes, or their type is not in the tables. */
  readonly cores?: number;
  readonly controlType?: string;
}

/** Where io2 names no type (Io2BlockExpressGfs2). */
const IO2_TYPE = 'r5b.12xlarge';

/** The hosts of a deployment; the hosts of io2 are the grid. */
export function hostsOf({ grid, io2 }: DeploymentConfig): Hosts {
  if (io2) return hosts(io2.nodes ?? 1, io2.instanceType ?? IO2_TYPE);
  if (!grid) return {};
  const { nodes, instanceType, controlServerInstanceType = instanceType } = grid;
  return { ...hosts(nodes, instanceType), controlType: controlServerInstanceType };
}

function hosts(nodes: number, nodeType: string): Hosts {
  const cores = instanceTypeFacts(nodeType)?.cores;
  return { nodes, nodeType, cores: cores && nodes * cores };
}
