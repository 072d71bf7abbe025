import { type Context, Ids } from './context';
import type { TierDeployment } from './deployment';
import type { SimulatedLambda } from './lambda';

/** What a slot has in the stack. */
export interface SlotResources {
  readonly name: string;
  readonly networkInterfaceId: string;
  readonly address: string;
  readonly volumeIds: readonly string[];
}

/** How an operation on the stack ended. */
export interface Verdict {
  readonly ok: boolean;
  readonly reason: string;
}

/** What a tier has in its template. */
export interface Template {
  readonly slots: number;
  readonly timeoutSeconds: number;
  readonly tableName: string;
}

type RequestType = 'Create' | 'Update' | 'Delete';
/** What is asked of the function behind the map. */
export type Step = 'seed' | 'serve';

/** Names under which the construct attaches the volumes of a slot. */
const DEVICES = [...'fghijklmnop'].map((letter) => `/dev/sd${letter}`);

/**
 * Requests to custom resources: they go to their function asynchronously and at least once, and are answered at an
 * address (CloudFormation user guide, "Custom resource reference"); an answer that does not come in `ServiceTimeout`
 * is a failure.
 */
export class CustomResources {
  /** Ids of the requests, in the order in which they were made. */
  readonly requests: string[] = [];
  private readonly waiting = new Map<
    string,
    (answer: { ok: boolean; reason: string; id?: string }) => void
  >();
  /** What the custom resources are called, by what answers to their requests said. */
  private readonly physicalIds = new Map<Step, string>();
  private readonly ids = new Ids();
  private readonly stackId = 'arn:aws:cloudformation:us-east-1:111122223333:stack/simulated/1';

  constructor(
    private readonly context: Context,
    private readonly deployment: TierDeployment,
    private readonly lambda: SimulatedLambda,
    /** The slots of the stack. */
    private readonly resources: () => readonly SlotResources[],
  ) {}

  request(type: RequestType, step: Step, template: Template, before?: Template): Promise<Verdict> {
    const RequestId = this.ids.uuid();
    this.requests.push(RequestId);
    const url = `https://cloudformation.test/${RequestId}?X-Amz-Date=${this.signingTime()}`;
    const event = {
      RequestType: type,
      ResponseURL: url,
      StackId: this.stackId,
      RequestId,
      LogicalResourceId: step === 'seed' ? 'Map' : 'Served',
      PhysicalResourceId: type === 'Create' ? undefined : this.physicalIds.get(step),
      ResourceProperties: this.propertiesOf(template, step),
      OldResourceProperties: before && this.propertiesOf(before, step),
    };
    return new Promise((resolve) => {
      const { seedServiceTimeoutSeconds, serveServiceTimeoutSeconds } = this.deployment;
      const seconds = step === 'seed' ? seedServiceTimeoutSeconds : serveServiceTimeoutSeconds;
      const end = (verdict: Verdict, status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT'): void => {
        cancel();
        this.waiting.delete(url);
        this.context.observer.onAnswer?.(`${type} ${step}`, status, verdict.reason);
        resolve(verdict);
      };
      const late = {
        ok: false,
        reason: 'CloudFormation did not receive a response from your Custom Resource',
      };
      const cancel = this.context.scheduler.after(
        seconds * 1000,
        () => end(late, 'TIMED_OUT'),
        'custom resource',
      );
      // One that is never answered gets a name of CloudFormation's own.
      if (type === 'Create') this.physicalIds.set(step, `simulated-${step}-${RequestId}`);
      this.waiting.set(url, ({ id, ...verdict }) => {
        if (id !== undefined && type !== 'Delete') this.physicalIds.set(step, id);
        end(verdict, verdict.ok ? 'SUCCESS' : 'FAILED');
      });
      this.deliver(event);
    });
  }

  /** An answer to a request. One that nobody waits for means nothing. */
  answer(url: string, answer: { ok: boolean; reason: string; id?: string }): void {
    this.waiting.get(url)?.(answer);
  }

  /** No answer is waited for any more. */
  giveUp(reason: string): void {
    for (const answer of [...this.waiting.values()]) answer({ ok: false, reason });
  }

  /** As if the resource had been made by a creation that failed. */
  deleteFormer(step: Step, template: Template): Promise<Verdict> {
    const id = this.physicalIds.get(step)!;
    this.physicalIds.set(step, id.replace(/\/[^/]*/, '/former'));
    const verdict = this.request('Delete', step, template);
    this.physicalIds.set(step, id);
    return verdict;
  }

  /** As in the signature of S3's addresses: in whole seconds. */
  private signingTime(): string {
    return new Date(this.context.scheduler.now()).toISOString().replace(/[-:]|\.\d+/g, '');
  }

  private deliver(event: { RequestId: string; RequestType: string }): void {
    const { RequestId: id, RequestType: detailType } = event;
    const at = this.context.scheduler.now();
    const fault = this.context.faults.onEvent({ kind: 'cloudformation', detailType, id, at });
    if (fault?.drop) return;
    const until = at + this.deployment.seedEventAgeSeconds * 1000;
    for (let copy = 0; copy < (fault?.copies ?? 1); copy++) {
      this.context.scheduler.after(
        (fault?.delayMs ?? 0) + copy * 1000,
        () => this.lambda.invokeLater(this.deployment.seedArn, event, id, until),
        'custom resource',
      );
    }
  }

  private propertiesOf(template: Template, Step: Step): object {
    const { tier, stateMachineArn, seedArn, seededFor } = this.deployment;
    return {
      ServiceToken: seedArn,
      Tier: tier,
      Table: template.tableName,
      StateMachineArn: stateMachineArn,
      TimeoutSeconds: String(template.timeoutSeconds),
      SeededFor: seededFor,
      Step,
      Slots: this.resources()
        .slice(0, template.slots)
        .map((slot) => ({
          slot: slot.name,
          networkInterfaceId: slot.networkInterfaceId,
          address: slot.address,
          adopted: 'false',
          volumes: slot.volumeIds.map((volumeId, position) => ({ volumeId, device: DEVICES[position]! })),
        })),
    };
  }
}
