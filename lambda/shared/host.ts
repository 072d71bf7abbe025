/** A host of a deployment, as EC2 and the volume map know it. */
export interface Host {
  readonly instanceId: string;
  /** `running`, `stopped` and others. */
  readonly state: string;
  /** Its tag Name. */
  readonly name?: string;
  /** The slot that it serves, or is to serve. */
  readonly slot?: string;
}
