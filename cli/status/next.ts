/** Where the docs say what to do. Tests hold that the sections are there. */
export const OPERATIONS = 'docs/operations';
export const FAILOVER = 'docs/operations/failover.md';

/** Which section is about an alarm, by a word that its name has. */
const OF_ALARMS: readonly (readonly [RegExp, string])[] = [
  [/Unserved|WorkflowFailed/, `${FAILOVER}#a-slot-is-not-served`],
  [/WorkflowTimedOut|ReconcilerErrors/, `${FAILOVER}#nobody-looks`],
  [/DeadLetters/, `${FAILOVER}#an-event-was-not-delivered`],
  [/NodesUnhealthy|NodesSilent|NodesCutOff|ScratchFilling/, `${FAILOVER}#a-server-of-a-grid-is-not-well`],
  [/AttachmentNotKept/, `${FAILOVER}#what-would-be-deleted-with-a-server`],
  [/SlotUnstable/, `${FAILOVER}#a-slot-keeps-failing`],
  [
    /UnreachableLaunchKept|FailingLaunchKept|LaunchEnded|ServerDeclaredUnhealthy|ServiceMissing|ServerUnprobed/,
    `${FAILOVER}#health-of-services-and-launches-that-are-kept`,
  ],
  [/SpareMissing/, `${FAILOVER}#spare-servers-and-recovery-time`],
  [/FallbackServer/, `${FAILOVER}#no-capacity-in-the-placement-group`],
  [/KeeperErrors/, `${OPERATIONS}/gfs2.md`],
];

export const nextOfAlarm = (name: string): string =>
  OF_ALARMS.find(([words]) => words.test(name))?.[1] ?? `${FAILOVER}#which-alarm`;

/** Which section is about a reason in a row of the map, by how people find it there. */
const OF_REASONS: readonly (readonly [RegExp, string])[] = [
  [/kept for inspection/, `${OPERATIONS}/reasons.md#a-launch-is-kept`],
  [/^no server: /, `${OPERATIONS}/reasons.md#no-server-comes`],
  [/cannot be read|edited by hand|has no row/, `${OPERATIONS}/map.md`],
  [/refuses to serve|failed to serve|cannot serve yet/, `${OPERATIONS}/what-hosts-say.md`],
];

export const nextOfReason = (reason: string): string =>
  OF_REASONS.find(([words]) => words.test(reason))?.[1] ??
  `${OPERATIONS}/reasons.md#what-to-do-about-a-reason`;

export function nextOfStack(status: string, deployment: string): string {
  if (/ROLLBACK_FAILED/.test(status)) return `see ${OPERATIONS}/failed-deployment.md#a-rollback-that-failed`;
  if (status === 'DELETE_FAILED') return `see ${OPERATIONS}/delete.md`;
  return (
    `mend the cause, then make deploy DEPLOYMENT=${deployment}; never cdk rollback ` +
    `(${OPERATIONS}/failed-deployment.md)`
  );
}
