import type { Environment } from '../../../lambda/health-prober/environment';
import type { Environment as NodeEnvironment } from '../../../lambda/node-health/environment';
import type { Transition } from './state';
import type { StateMachine } from './stepfunctions/definition';

/** A lifecycle hook, as the group's own definition has it. */
export interface HookSpecification {
  readonly name: string;
  readonly transition: Transition;
  readonly defaultResult: 'CONTINUE' | 'ABANDON';
  readonly heartbeatSeconds: number;
}

/** What a launch of the group tries: it begins with the first each time. */
export interface LaunchChoice {
  readonly instanceType: string;
  readonly inPlacementGroup: boolean;
}

/** The document that tells a host what to serve. */
export interface ServeDocument {
  readonly parameters: {
    readonly [name: string]: { readonly allowedPattern: string; readonly default?: string };
  };
}

/** A rule of EventBridge and what it hands to the workflow. */
export interface EventRule {
  /** detail-types of the group's events; empty for the schedule. */
  readonly detailTypes: readonly string[];
  /** Seconds between two events of the schedule. */
  readonly everySeconds?: number;
  /** Input transformer: paths into the event by placeholder, and the template. */
  readonly paths: { readonly [placeholder: string]: string };
  readonly template: string;
}

/** A document that asks hosts how they are. */
export interface ProbeDocument {
  readonly name: string;
  /** What the program prints before its verdict. */
  readonly says?: string;
  /** How long the program may run. */
  readonly timeoutSeconds: number;
}

/** The function that asks hosts whether they serve, and its schedule. */
export interface ProberDeployment {
  readonly arn: string;
  readonly timeoutSeconds: number;
  readonly everySeconds: number;
  readonly environment: Environment;
  readonly document: ProbeDocument;
}

/** An alarm of a metric's greatest value in each period, which rings from a threshold on. */
export interface AlarmSpecification {
  readonly metric: string;
  readonly threshold: number;
  readonly periods: number;
  readonly periodSeconds: number;
  readonly missingRings: boolean;
}

/** The function that asks the servers of a grid what they reach, its schedule, and its alarm of what they do not. */
export interface NodeHealthDeployment {
  readonly arn: string;
  readonly timeoutSeconds: number;
  readonly everySeconds: number;
  readonly environment: NodeEnvironment;
  readonly document: ProbeDocument;
  readonly cutOff: AlarmSpecification;
}

/** What a synthesized tier says of itself, as plain data: the construct's own, nothing of it written twice. */
export interface TierDeployment {
  readonly tier: string;
  readonly tierTag: string;
  readonly groupName: string;
  readonly tableName: string;
  readonly documentName: string;
  readonly stateMachineArn: string;
  readonly stateMachine: StateMachine;
  readonly reconcilerArn: string;
  readonly seedArn: string;
  readonly reconcilerTimeoutSeconds: number;
  readonly seedTimeoutSeconds: number;
  /** How long Lambda keeps an event for the function of the custom resources. */
  readonly seedEventAgeSeconds: number;
  readonly hooks: readonly HookSpecification[];
  readonly launches: readonly LaunchChoice[];
  /** What the reconciler is told of these types. */
  readonly serverType?: string;
  readonly fallbackTypes?: readonly string[];
  readonly document: ServeDocument;
  readonly rules: readonly EventRule[];
  readonly prober: ProberDeployment;
  readonly nodeHealth: NodeHealthDeployment;
  /** How long CloudFormation waits for the two custom resources. */
  readonly seedServiceTimeoutSeconds: number;
  readonly serveServiceTimeoutSeconds: number;
  /** TimeoutSeconds of the custom resources. */
  readonly timeoutSeconds: number;
  readonly seededFor: string;
  readonly recoveryTimeoutSeconds: number;
}
