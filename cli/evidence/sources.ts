import { sourceOf } from '../../lambda/operation-bundle/plan';
import { type FoundDeployment, resourcesOfType } from '../deployment';

/** A log, and what people call it. */
export interface LogSource {
  readonly group: string;
  /** `storage/nfs-server-reconciler`. */
  readonly name: string;
}

/** The log groups of a deployment. */
export function logSources(deployment: FoundDeployment): LogSource[] {
  const parts = deployment.stacks.map(({ part }) => part);
  return parts.flatMap((part) =>
    resourcesOfType(deployment, 'AWS::Logs::LogGroup', part).map(({ physicalId, logicalId }) => ({
      group: physicalId,
      name: `${part}/${sourceOf(logicalId)}`,
    })),
  );
}
