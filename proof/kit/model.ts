/** What the demo knows about a deployment: the volume map and the real state of EC2, read side by side. */

/** One tier of servers, as the storage stack's output names it. */
export interface Tier {
  readonly tier: string;
  /** Name of the Auto Scaling group. */
  readonly group: string;
  readonly workflowArn: string;
  readonly slots: number;
}

/** A slot's row of the volume map. */
export interface MapSlot {
  readonly tier: string;
  readonly slot: string;
  readonly networkInterfaceId: string;
  readonly address: string;
  /** Volume ids in serving order. */
  readonly volumes: string[];
  /** Instance id; undefined while nobody owns the slot. */
  readonly owner?: string;
  readonly epoch: number;
  readonly servedEpoch: number;
  readonly formatted: boolean;
  readonly phase: string;
  readonly reason?: string;
  /** When the steps of the last repair were taken, ISO 8601. */
  readonly timeline?: Record<string, string>;
}

/** The row that an instance holds exactly while it owns a slot. */
export interface MapOwner {
  readonly tier: string;
  readonly instanceId: string;
  readonly slot: string;
  readonly epoch: number;
}

export interface Instance {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly privateAddress: string;
}

export interface Attachment {
  readonly instanceId: string;
  readonly state: string;
}

export interface Volume {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly sizeGiB: number;
  readonly attachments: Attachment[];
}

export interface NetworkInterface {
  readonly id: string;
  readonly address: string;
  readonly attachment?: Attachment;
}

export interface GroupMember {
  readonly instanceId: string;
  readonly lifecycleState: string;
  readonly health: string;
}

/** Everything at one moment. */
export interface Estate {
  readonly tiers: Tier[];
  readonly slots: MapSlot[];
  readonly owners: MapOwner[];
  readonly instances: Instance[];
  readonly volumes: Volume[];
  readonly interfaces: NetworkInterface[];
  /** Group name to its members. */
  readonly groups: Record<string, GroupMember[]>;
}

/** One thing that must hold, and whether it does. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly passed: boolean;
  /** What was found: a count when all is well, the offenders when not. */
  readonly detail: string;
}
