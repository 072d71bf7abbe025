import type { Quota } from '../../../constructs/facts/quotas';

/** How much of a quota a deployment needs, and how much others use. */
export interface Demand {
  readonly quota: Quota;
  readonly needed: number;
  /** By others than the deployment, which has what it needs already or not. */
  readonly used: number;
  readonly unit: string;
  /** What it is counted for, where that is not the region. */
  readonly of?: string;
  /** What is not counted in it, since nobody knows how much it is. */
  readonly unknown?: string;
}
