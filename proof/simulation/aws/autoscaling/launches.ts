import type { LaunchChoice } from '../deployment';
import { noCapacityOf } from '../ec2/capacity';
import type { SimulatedEc2 } from '../ec2/ec2';
import type { InstanceTruth } from '../state';

/** A launch as DescribeScalingActivities shows it. */
interface LaunchActivity {
  readonly StartTime: Date;
  readonly Description: string;
  readonly StatusCode: 'Failed' | 'Successful';
  readonly StatusMessage?: string;
}

/** So many are shown at most. */
const MOST_ACTIVITIES = 100;

/** What a group launches, by its policy (EC2 Auto Scaling API reference, InstancesDistribution: `prioritized`). */
export class Launches {
  /** The last one first. */
  readonly activities: LaunchActivity[] = [];

  constructor(
    private readonly ec2: SimulatedEc2,
    private readonly choices: readonly LaunchChoice[],
    private readonly zone: string,
    private readonly tags: { readonly [key: string]: string },
  ) {}

  /** The first there is capacity for, each time in the order of the policy; undefined when there is none for any. */
  launch(): InstanceTruth | undefined {
    for (const [choice, { instanceType }] of this.choices.entries()) {
      const instance = this.ec2.launch(this.zone, this.tags, instanceType, choice);
      if (instance === undefined) continue;
      this.note('Successful', `Launching a new EC2 instance: ${instance.id}`);
      return instance;
    }
    const last = this.choices[this.choices.length - 1]!;
    this.note('Failed', 'Launching a new EC2 instance', noCapacityOf(last, this.zone));
    return undefined;
  }

  private note(StatusCode: LaunchActivity['StatusCode'], Description: string, StatusMessage?: string): void {
    this.activities.unshift({ StartTime: new Date(this.ec2.now()), Description, StatusCode, StatusMessage });
    this.activities.length = Math.min(this.activities.length, MOST_ACTIVITIES);
  }
}
