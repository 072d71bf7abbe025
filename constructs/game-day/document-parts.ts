/** A tier as the document has to know it. */
export interface DocumentTier {
  readonly name: string;
  readonly slots: number;
  /** Value of the tag `cdk-sas-grid:tier`. */
  readonly tag: string;
  /** Name of the Auto Scaling group. */
  readonly group: string;
}

/** What the document is made of. */
export interface DocumentParts {
  readonly tiers: DocumentTier[];
  readonly table: string;
  readonly roleArn: string;
  readonly topicArn: string;
  readonly approvers?: string[];
  readonly minimumApprovals: number;
  readonly approvalSeconds: number;
  readonly recoverySeconds: number;
  /** Text of measure.py. */
  readonly script: string;
  /** Text of steady.py. */
  readonly steadyScript: string;
  readonly hangDocument: string;
  readonly clients?: DocumentClients;
}

/** The hosts that are checked, and with what. */
export interface DocumentClients {
  readonly checkDocument: string;
  readonly tagKey: string;
  readonly tagValue: string;
}
