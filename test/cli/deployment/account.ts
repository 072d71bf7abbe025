import type { DeploymentAws, Failure, ResourceLook, StackLook } from '../../../cli/deployment/port';

/** A stack of an account that is made up. */
export interface MadeStack extends Partial<StackLook> {
  readonly name: string;
  readonly resources?: readonly ResourceLook[];
  readonly failures?: readonly Failure[];
}

/** CloudFormation with these stacks; `refuse` is thrown by the calls of these names. */
export function accountWith(
  stacks: readonly MadeStack[],
  refuse: { [call in keyof DeploymentAws]?: Error } = {},
): DeploymentAws {
  const of = (call: keyof DeploymentAws, name: string) => {
    if (refuse[call]) throw refuse[call];
    return stacks.find((one) => one.name === name || one.id === name);
  };
  return {
    stack: async (name) => {
      const found = of('stack', name);
      return found && { id: found.name, status: 'CREATE_COMPLETE', outputs: {}, tags: {}, ...found };
    },
    resources: async (id) => [...(of('resources', id)?.resources ?? [])],
    failures: async (id) => [...(of('failures', id)?.failures ?? [])],
    deployments: async () => {
      of('deployments', '');
      return [...new Set(stacks.map(({ name }) => name.replace(/-(network|storage|grid|benchmark)$/, '')))];
    },
  };
}

export const resource = (
  logicalId: string,
  type: string,
  physicalId?: string,
  status = 'CREATE_COMPLETE',
): ResourceLook => ({ logicalId, type, physicalId, status });
