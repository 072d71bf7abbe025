import type { Instance } from '@aws-sdk/client-auto-scaling';

/** A member of an Auto Scaling group. */
export interface Member {
  readonly instanceId: string;
  /** Pending:Wait, InService, Terminating:Wait and so on. */
  readonly lifecycle: string;
  readonly healthy: boolean;
}

export const memberOf = ({ InstanceId, LifecycleState, HealthStatus }: Instance): Member => ({
  instanceId: InstanceId ?? '',
  lifecycle: LifecycleState ?? 'unknown',
  healthy: HealthStatus?.toLowerCase() === 'healthy',
});

/** States in which an instance refresh has ended (Auto Scaling API reference, "InstanceRefresh"). No other is one. */
const ENDED_REFRESH: readonly string[] = [
  'Successful',
  'Failed',
  'Cancelled',
  'RollbackFailed',
  'RollbackSuccessful',
];

/** Whether an instance refresh goes on, or waits. */
export const refreshGoesOn = ({ Status = '' }: { readonly Status?: string }): boolean =>
  !ENDED_REFRESH.includes(Status);
