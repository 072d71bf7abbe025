import { Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { APPROVAL_DAYS, APPROVAL_TOPIC_PREFIX } from '../facts/services';
import { invalid, isConcrete, requireInteger, requireKnownList, requireMinutes } from '../private/validation';
import type { GameDayProps } from './props';

/** Systems Manager asks for it. */
const TOPIC_PREFIX = APPROVAL_TOPIC_PREFIX.value;

/** Longest that aws:approve waits. */
const LONGEST_APPROVAL = Duration.days(APPROVAL_DAYS.value);

/** What goes into a command line between quotation marks. */
const PATH = /^(\/[A-Za-z0-9._-]+)+$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
const PRINCIPAL = /^arn:aws[a-z-]*:iam::\d{12}:(user|role)\/[\w+=,.@/-]+$/;

/** Rejects what is known at synthesis to be wrong. */
export function checkProps(scope: IConstruct, props: GameDayProps): void {
  checkTiers(scope, props);
  checkClients(scope, props);
  requireKnownList(scope, 'approvers', props.approvers);
  if (props.approvers?.length === 0) {
    throw invalid(
      scope,
      'approvers',
      [],
      'at least one ARN',
      'Name who may approve, or leave approvers out.',
    );
  }
  for (const approver of props.approvers ?? []) {
    if (!isConcrete(approver) || PRINCIPAL.test(approver)) continue;
    throw invalid(scope, 'An approver', approver, 'the ARN of an IAM user or role', 'Name who may approve.');
  }
  const { minimumApprovals } = props;
  requireInteger(scope, 'minimumApprovals', minimumApprovals, 1, 10, 'Say how many have to approve.');
  if (props.approvers && isConcrete(minimumApprovals) && minimumApprovals! > props.approvers.length) {
    const allowed = `at most ${props.approvers.length}, as many as there are approvers`;
    throw invalid(scope, 'minimumApprovals', minimumApprovals, allowed, 'Name more approvers.');
  }
  requireMinutes(scope, 'approvalTimeout', props.approvalTimeout, Duration.minutes(1), LONGEST_APPROVAL);
  requireMinutes(scope, 'recoveryTimeout', props.recoveryTimeout, Duration.minutes(5), Duration.hours(12));
  const topicName = props.topic?.topicName;
  if (isConcrete(topicName) && !topicName!.startsWith(TOPIC_PREFIX)) {
    const fix =
      'Systems Manager sends requests for approval to no other topic; leave topic out to get a new one.';
    throw invalid(scope, 'topic', topicName, `a name that begins with ${TOPIC_PREFIX}`, fix);
  }
}

function checkTiers(scope: IConstruct, { tiers }: GameDayProps): void {
  if (tiers.length === 0) {
    throw invalid(scope, 'tiers', [], 'at least one tier', 'Name the tiers whose servers may be chosen.');
  }
  const other = tiers.find((tier) => tier.volumeMap !== tiers[0]!.volumeMap);
  if (other) {
    const fix = 'Make a game day for each volume map.';
    throw invalid(scope, 'tiers', other.node.path, 'tiers that share one volume map', fix);
  }
}

function checkClients(scope: IConstruct, { clients }: GameDayProps): void {
  if (!clients) return;
  const { mountPoint, directory, user } = clients._props;
  for (const [what, path] of Object.entries({ mountPoint, directory })) {
    if (path === undefined || (!Token.isUnresolved(path) && PATH.test(path))) continue;
    const allowed = "an absolute path of letters, digits, '.', '_', '-' and '/', known at synthesis";
    throw invalid(scope, `clients: ${what}`, path, allowed, 'It becomes part of a command.');
  }
  const inside =
    directory === undefined || directory === mountPoint || directory.startsWith(`${mountPoint}/`);
  if (!inside) {
    const fix = 'Elsewhere the check would not touch the file system.';
    throw invalid(scope, 'clients: directory', directory, `${mountPoint} or a directory below it`, fix);
  }
  if (user !== undefined && (Token.isUnresolved(user) || !USER.test(user))) {
    throw invalid(scope, 'clients: user', user, 'the name of an account', 'Name one that may write there.');
  }
}
