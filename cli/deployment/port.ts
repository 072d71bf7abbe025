/** What is asked of CloudFormation to find a deployment. Each call ends within a bound, or throws `Unchecked`. */
export interface DeploymentAws {
  /** By its name or its id; undefined when there is no such stack. */
  stack(nameOrId: string): Promise<StackLook | undefined>;
  /** What it has by itself, without that of nested stacks. */
  resources(stackId: string): Promise<ResourceLook[]>;
  /** What failed in its last operation, the first failure first. */
  failures(stackId: string): Promise<Failure[]>;
  /** The deployments of the region, by the tag that every stack of one has. */
  deployments(): Promise<string[]>;
}

/** A stack, as CloudFormation tells it. */
export interface StackLook {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  /** None until the stack is complete for the first time. */
  readonly outputs: { readonly [key: string]: string };
  readonly tags: { readonly [key: string]: string };
  /** When its last operation began, or when it was made, ISO 8601. */
  readonly since?: string;
}

/** Something of a stack. */
export interface ResourceLook {
  readonly logicalId: string;
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  /** Undefined while it is not made yet. */
  readonly physicalId?: string;
}

/** Something that could not be made, changed or deleted. */
export interface Failure {
  readonly logicalId: string;
  readonly type: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
  /** Of a nested stack: its id. */
  readonly physicalId?: string;
}
