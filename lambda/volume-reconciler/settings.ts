/** What one tier's reconciler knows from its deployment. */
export interface Settings {
  readonly tier: string;
  /** Value of the tag cdk-sas-grid:tier. */
  readonly tierTag: string;
  readonly groupName: string;
  readonly launchHook: string;
  readonly terminateHook: string;
  /** The slots the tier has. */
  readonly slots: string[];
  /** How many servers the group has beyond its slots, ready to take one. */
  readonly spareServers: number;
  /** The type of the tier's servers; known where there are others. */
  readonly serverType?: string;
  /** Types that servers are of when EC2 had no capacity for their own in the placement group. */
  readonly fallbackTypes?: readonly string[];
  /** How long a launched server may take until it serves, in seconds. */
  readonly recoveryTimeoutSeconds: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** How long the right to loop lasts without being renewed: longer than one call of the Lambda can take. */
export const LEASE_MS = 120 * SECOND;

/**
 * An owner that EC2 does not mention is taken for gone only this long after it was claimed. New instances can be
 * missing from describes for seconds or minutes (EC2's eventual consistency), while a terminated one is listed for
 * about an hour.
 */
export const MISSING_OWNER_GONE_MS = 15 * MINUTE;

/**
 * EC2 detaches what a terminated instance held; only if that has not happened this long after the next claim we ask for
 * it.
 */
export const LINGERING_ATTACHMENT_MS = 2 * MINUTE;

/** A command whose sending was begun but not recorded is sent again after this long. */
export const UNRECORDED_COMMAND_MS = 10 * SECOND;

/** How long Systems Manager may not know a command that it has just accepted. */
export const UNKNOWN_COMMAND_MS = 60 * SECOND;

/** Pause before a host that said "not yet" is told again. */
export const NOT_YET_PAUSE_MS = 5 * SECOND;

/** How often a host may fail to serve for good before its launch is abandoned. */
export const MAX_FAILURES = 3;

/**
 * After so many launches in a row that ended without serving, the next one that does not serve is kept instead of being
 * given up: another server would meet the same.
 */
export const MAX_FAILED_LAUNCHES = 3;

/**
 * A spare that has long been in service and still cannot be reached, or is still being installed, is given up so long
 * after it got its slot: that of a launch (`recoveryTimeout`) is made for a boot.
 */
export const SILENT_SPARE_MS = 10 * MINUTE;

/** What sas-grid-serve says with `EXIT_NOT_YET` while its software is not there. */
export const STILL_INSTALLING = 'still being installed';

/**
 * What sas-grid-serve says with `EXIT_NOT_YET` while e2fsck repairs a file system of the slot, or a mount of one waits
 * for multiple-mount protection, which takes up to 12 minutes.
 */
export const STILL_BRINGING_UP = ['still being repaired', 'still being mounted'];

/**
 * A host counts as one that repairs for so long at least after it said so: the next command may take all of its time,
 * and get no answer when its agent or Systems Manager stumbles.
 */
export const REPAIR_WORD_MS = 20 * MINUTE;

/**
 * How long a host may repair until it is late after all. e2fsck that waits for a dead disk never ends, and a lifecycle
 * hook ends by itself after 100 of its heartbeat time-outs (Amazon EC2 Auto Scaling user guide, "Add lifecycle hooks"),
 * 25 hours.
 */
export const REPAIR_MS = 24 * 60 * MINUTE;

/**
 * A slot that came to be served so often within `UNSTABLE_MS` is unstable: servers serve it and fail again, one after
 * the other.
 */
export const UNSTABLE_SERVINGS = 4;
export const UNSTABLE_MS = 180 * MINUTE;

/** Pause before a host that refused, or that failed although it is in service, is told again. */
export const BLOCKED_RETRY_MS = 5 * MINUTE;

/** Time the host's program may take, and the document allows it. */
export const COMMAND_TIMEOUT_SECONDS = 600;

/** After this long a command without an end is taken for lost: its own time-outs have passed. */
export const LOST_COMMAND_MS = (COMMAND_TIMEOUT_SECONDS + 300) * SECOND;

/** How often launches that wait are kept alive: well within the hook's heartbeat time-out. */
export const BEAT_MS = MINUTE;

/** A launch that no slot waits for is let through after this long. */
export const SPARE_GRACE_MS = MINUTE;

/**
 * A workflow execution may hold 25,000 events and a pass costs at most 11: an execution ends after this many passes and
 * the schedule starts the next.
 */
export const MAX_PASSES = 2000;

/** Exit codes of sas-grid-serve on the host (constructs/host/documents/serve.sh). */
export const EXIT_NOT_YET = 75;
export const EXIT_OLD_EPOCH = 3;
export const EXIT_WRONG_DATA = 4;
/** Of the document's program: damage that may be repaired after a snapshot of each volume. */
export const EXIT_AFTER_SNAPSHOT = 5;
