import { slotNames } from '../../../lambda/shared/slot-names';
import type { SimulatedAutoScaling } from './autoscaling/group';
import { type Context, Durations } from './context';
import {
  CustomResources,
  type SlotResources,
  type Step,
  type Template,
  type Verdict,
} from './custom-resources';
import type { TierDeployment } from './deployment';
import type { SimulatedEc2 } from './ec2/ec2';
import type { SimulatedEventBridge } from './events';
import type { SimulatedLambda } from './lambda';

/** How often CloudFormation looks whether a group is empty, an interface free, or an update cancelled. */
const LOOK_MS = 5_000;
const LONGEST_DELETION_MS = 3_600_000;

/** Where new resources of a slot come from. */
export type MakeSlot = (name: string, index: number) => SlotResources;

/**
 * CloudFormation with the tier's resources, in the order of their dependencies: the custom resource that seeds the map,
 * the group, the custom resource that waits for the tier to be served. Requests to custom resources go to their
 * function asynchronously and at least once, and are answered at an address (CloudFormation user guide, "Custom
 * resource reference"); an answer that does not come in `ServiceTimeout` is a failure. A failed update is undone by
 * another update; volumes are retained.
 */
export class SimulatedStack {
  /** Operations that have ended. */
  readonly verdicts: Verdict[] = [];
  /** Slots of the stack as it is deployed or being deployed. */
  resources: SlotResources[] = [];
  /** Whether an operation is under way. */
  busy = false;
  private template: Template;
  private before: Template;
  /** What a rollback that failed was to undo, until somebody continues it. */
  private unfinished: { readonly from: Template; readonly to: Template } | undefined;
  private cancelled = false;
  private readonly durations: Durations;
  private readonly customResources: CustomResources;

  constructor(
    private readonly context: Context,
    private readonly deployment: TierDeployment,
    private readonly ec2: SimulatedEc2,
    private readonly group: SimulatedAutoScaling,
    lambda: SimulatedLambda,
    private readonly events: SimulatedEventBridge,
    private readonly makeSlot: MakeSlot,
    slots: number,
    private readonly spareServers: number,
  ) {
    this.durations = new Durations(context, 'cloudformation');
    this.customResources = new CustomResources(context, deployment, lambda, () => this.resources);
    const { timeoutSeconds, tableName } = deployment;
    this.template = { slots, timeoutSeconds, tableName };
    this.before = this.template;
  }

  /** Names of the slots that the stack has now; also the reconciler's, from its environment. */
  get slots(): string[] {
    if (this.names.length !== this.template.slots)
      this.names = slotNames(this.deployment.tier, this.template.slots);
    return this.names;
  }

  /** Ids of the requests to custom resources, in the order in which they were made. */
  get requests(): string[] {
    return this.customResources.requests;
  }

  private names: string[] = [];

  /** Members that the group was last told to have. */
  private size = 0;

  /** As DescribeStacks says it, as far as anybody asks: whether something is under way. */
  get status(): string {
    if (this.verdicts.length === 0) return this.busy ? 'CREATE_IN_PROGRESS' : 'REVIEW_IN_PROGRESS';
    if (this.busy) return 'UPDATE_IN_PROGRESS';
    return this.rollbackFailed ? 'UPDATE_ROLLBACK_FAILED' : 'UPDATE_COMPLETE';
  }

  /** Whether the stack can only be deleted, or its rollback continued. */
  get rollbackFailed(): boolean {
    return this.unfinished !== undefined;
  }

  /** Creates the stack; a failure deletes it again, but for the volumes and the map. */
  deploy(): Promise<Verdict> {
    return this.operation(async () => {
      this.makeSlots();
      const verdict = await this.create();
      if (!verdict.ok) await this.remove();
      return verdict;
    });
  }

  /** Updates the stack; a failure, and `rollBack`, undo it. After a rollback that failed there is none. */
  update(change: Partial<Template>): Promise<Verdict> {
    if (this.rollbackFailed) return Promise.resolve({ ok: false, reason: 'UPDATE_ROLLBACK_FAILED' });
    return this.operation(async () => {
      this.before = this.template;
      this.template = { ...this.template, ...change };
      this.cancelled = false;
      this.makeSlots();
      const tier = await this.apply(this.template, this.before);
      const verdict = tier.ok ? await this.rest(tier) : tier;
      if (verdict.ok) return verdict;
      const back = await this.undo({ from: this.template, to: this.before });
      return {
        ok: false,
        reason: back.ok ? verdict.reason : `${verdict.reason}; not undone: ${back.reason}`,
      };
    });
  }

  /** ContinueUpdateRollback. */
  continueRollback(): Promise<Verdict> {
    const { unfinished } = this;
    if (unfinished === undefined) return Promise.resolve({ ok: false, reason: 'no rollback has failed' });
    return this.operation(() => this.undo(unfinished));
  }

  /**
   * ContinueUpdateRollback without the custom resources that refuse it (ResourcesToSkip). What the update made is
   * retained, and taken in again (an import) by the next update that has the slots.
   */
  continueRollbackWithout(): Promise<Verdict> {
    const { unfinished } = this;
    if (unfinished === undefined) return Promise.resolve({ ok: false, reason: 'no rollback has failed' });
    return this.operation(async () => {
      this.template = unfinished.to;
      this.unfinished = undefined;
      this.resize(unfinished.to.slots + this.spareServers);
      return { ok: true, reason: 'UPDATE_ROLLBACK_COMPLETE' };
    });
  }

  /**
   * What else is in the stack takes its time when the tier is served already, and the update may be cancelled until
   * then.
   */
  private async rest(tier: Verdict): Promise<Verdict> {
    const { scheduler } = this.context;
    const end = scheduler.now() + this.durations.of(({ restOfStack }) => restOfStack);
    while (scheduler.now() < end && !this.cancelled) await scheduler.sleep(LOOK_MS);
    return this.cancelled ? { ok: false, reason: 'Resource update cancelled' } : tier;
  }

  /**
   * The functions get their old environment at once: custom resources come after those that serve them. What the update
   * made is cleaned up only after a rollback that came to its end.
   */
  private async undo(change: { readonly from: Template; readonly to: Template }): Promise<Verdict> {
    await this.context.scheduler.sleep(this.durations.of(({ undoing }) => undoing));
    this.template = change.to;
    this.cancelled = false;
    const back = await this.apply(change.to, change.from);
    this.unfinished = back.ok ? undefined : change;
    if (back.ok) this.dropSlots();
    return back;
  }

  /** An update that changes nothing of the slots. */
  redeploy(): Promise<Verdict> {
    const { timeoutSeconds } = this.template;
    return this.update({ timeoutSeconds: timeoutSeconds > 60 ? timeoutSeconds - 1 : timeoutSeconds + 1 });
  }

  /** One slot more. */
  grow(): Promise<Verdict> {
    return this.update({ slots: this.template.slots + 1 });
  }

  /** The tier gets another map by mistake: the new one is made, and deleted again by the rollback. */
  useAnotherMap(): Promise<Verdict> {
    return this.update({ tableName: `another-${this.deployment.tableName}` });
  }

  /** Whether the stack is, or is being, deployed with the map that the tier was created with. */
  get hasItsMap(): boolean {
    return this.template.tableName === this.deployment.tableName;
  }

  /**
   * Cancels the update that is under way: CloudFormation waits for nothing any more and goes back. False when there is
   * none.
   */
  rollBack(): boolean {
    if (!this.busy || this.template === this.before) return false;
    this.cancelled = true;
    this.customResources.giveUp('Resource update cancelled');
    return true;
  }

  /**
   * Deletes what is left of a creation that had failed, after the deployment that created another: with the option to
   * keep what was provisioned ("Choose how to handle failures when provisioning resources" in the user guide, which
   * does not say in which order).
   */
  deleteFormer(step: Step): Promise<Verdict> {
    return this.customResources.deleteFormer(step, this.template);
  }

  /** Deletes the stack. */
  delete(): Promise<Verdict> {
    return this.operation(() => this.remove());
  }

  /** A function puts its answer to the address of a request. One that nobody waits for is taken and means nothing. */
  answer(url: string, body: string): void {
    const { Status, Reason, PhysicalResourceId } = JSON.parse(body) as { [name: string]: string };
    this.customResources.answer(url, { ok: Status === 'SUCCESS', reason: Reason!, id: PhysicalResourceId! });
  }

  private async operation(what: () => Promise<Verdict>): Promise<Verdict> {
    if (this.busy) return { ok: false, reason: 'the stack is being changed' };
    this.busy = true;
    const verdict = await what();
    this.busy = false;
    this.before = this.template;
    this.verdicts.push(verdict);
    return verdict;
  }

  private async create(): Promise<Verdict> {
    const seeded = await this.customResources.request('Create', 'seed', this.template);
    if (!seeded.ok) return seeded;
    this.resize(this.template.slots + this.spareServers);
    return this.customResources.request('Create', 'serve', this.template);
  }

  private async apply(to: Template, from: Template): Promise<Verdict> {
    const seeded = await this.customResources.request('Update', 'seed', to, from);
    if (!seeded.ok || this.cancelled) return { ...seeded, ok: false };
    // Against what the group was last given: an update that ended before it, and its rollback too, left it as it was.
    const size = to.slots + this.spareServers;
    if (size !== this.size) this.resize(size);
    return this.customResources.request('Update', 'serve', to, from);
  }

  private async remove(): Promise<Verdict> {
    await this.customResources.request('Delete', 'serve', this.template);
    this.resize(0);
    const end = this.context.scheduler.now() + LONGEST_DELETION_MS;
    while (!this.group.delete()) {
      if (this.context.scheduler.now() >= end) return { ok: false, reason: 'the group is not empty' };
      await this.context.scheduler.sleep(LOOK_MS);
    }
    const verdict = await this.customResources.request('Delete', 'seed', this.template);
    this.template = { ...this.template, slots: 0 };
    this.dropSlots();
    this.events.deleteRules();
    return verdict;
  }

  private resize(size: number): void {
    this.size = size;
    this.group.resize(size, Math.max(0, size - this.spareServers));
  }

  private makeSlots(): void {
    for (let index = this.resources.length; index < this.template.slots; index++) {
      this.resources.push(this.makeSlot(slotNames(this.deployment.tier, index + 1)[index]!, index));
    }
  }

  /** Interfaces of slots that are gone are deleted as soon as no server holds them; volumes stay. */
  private dropSlots(): void {
    for (const { networkInterfaceId } of this.resources.splice(this.template.slots)) {
      const look = (): void => {
        if (!this.ec2.deleteInterface(networkInterfaceId))
          this.context.scheduler.after(LOOK_MS, look, 'delete');
      };
      if (this.ec2.interfaces.has(networkInterfaceId)) look();
    }
  }
}
