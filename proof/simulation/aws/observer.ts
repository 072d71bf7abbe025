import type { Call } from './call';
import type { Content, HostTruth, LifecycleAction, MapItem } from './state';
import type { World } from './world';

/** Who did something that EC2 shows: a call, EC2 on its own, or somebody by hand. */
export type Doer = Call | 'ec2' | 'hand';

/** Told synchronously when something happens, in the order in which it happens. All members may be left out. */
export interface Observer {
  /** After each entry of the scheduler and the reactions that it had. */
  onStep?(world: World): void;
  /** When a call was done or was not: `ok`, the error's name, `timeout-before` and so on. */
  onCall?(call: Call, outcome: string): void;
  /** Stop or start of the deployment has ended. */
  onOperationEnd?(operation: string, outcome: string): void;
  /** A host begins to format. `before` is what lies on the volume. */
  onFormat?(
    volumeId: string,
    instanceId: string,
    what: {
      readonly mayFormat: boolean;
      readonly slot: string;
      readonly epoch: number;
      readonly before: Content;
    },
  ): void;
  /** A host finds damage that e2fsck -p leaves to a person. */
  onDamage?(volumeId: string, instanceId: string): void;
  /** A host begins a repair that -p does not do. */
  onRepair?(
    volumeId: string,
    instanceId: string,
    what: {
      readonly slot: string;
      readonly epoch: number;
      readonly volumes: readonly string[];
      readonly snapshotIds: readonly string[];
    },
  ): void;
  onMount?(volumeId: string, instanceId: string): void;
  /** A volume or interface begins to be attached. */
  onAttach?(id: string, instanceId: string, by: Doer): void;
  /** A volume or interface is free again. */
  onDetach?(id: string, instanceId: string, by: Doer): void;
  onInstance?(instanceId: string, state: string): void;
  /** The group has an instance terminated that has not ended by itself. */
  onGroupTerminates?(instanceId: string): void;
  onMapWrite?(item: string, before: MapItem | undefined, after: MapItem | undefined, by: Call | 'hand'): void;
  onLifecycleEnd?(action: LifecycleAction): void;
  /** A pass of the reconciler has come to its end: it looked, took its steps and answers. */
  onPass?(worker: string): void;
  /** A host serves its slot from now on. */
  onServe?(host: HostTruth): void;
  /** An execution of the workflow has begun or ended. */
  onExecution?(name: string, status: string): void;
  /** CloudFormation was answered, or gave up. */
  onAnswer?(request: string, status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT', reason: string): void;
}
