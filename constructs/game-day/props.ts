import type { Duration } from 'aws-cdk-lib';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { IVolumeReattachment } from '../volume-reattachment';
import type { GameDayClients } from './clients';

/** Properties of `GameDay`. */
export interface GameDayProps {
  /**
   * The tiers whose servers may be chosen, at least one. All of them have to be served before anything is done; they
   * share one volume map.
   */
  readonly tiers: IVolumeReattachment[];

  /**
   * The hosts that show whether clients get through the failure.
   *
   * @default - no client is checked; the result says so
   */
  readonly clients?: GameDayClients;

  /**
   * Who may approve: ARNs of IAM users and roles. Given here, they are part of the document, and whoever starts a game
   * day cannot name others.
   *
   * @default - whoever starts a game day names them, with the parameter `Approvers`
   */
  readonly approvers?: string[];

  /**
   * How many of the approvers have to approve, from 1 to 10.
   *
   * @default 1
   */
  readonly minimumApprovals?: number;

  /**
   * How long a game day waits for approval, in whole minutes up to 30 days. Then it ends without having done anything.
   *
   * @default Duration.hours(1)
   */
  readonly approvalTimeout?: Duration;

  /**
   * How long the slot may take until it is served again, in whole minutes from 5 to 720. Then the game day fails; the
   * tier goes on recovering by itself.
   *
   * @default Duration.hours(1)
   */
  readonly recoveryTimeout?: Duration;

  /**
   * Where requests for approval and results are sent. Systems Manager asks for a name that begins with `Automation`.
   *
   * @default - a new topic, encrypted with the key `alias/aws/sns` of the account
   */
  readonly topic?: sns.ITopic;
}
