import type { Mutation } from './mutation';

const reconciler = (file: string) => `lambda/volume-reconciler/${file}.ts`;

/** Bugs in what the reconciler decides. */
export const DECISION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'no-fencing-wait',
    bug: 'a slot is taken from its owner as soon as the owner is shutting down',
    edits: [
      {
        file: reconciler('owned-slot'),
        find: "if (state === 'terminated') return true;",
        replace: "if (state === 'terminated' || state === 'shutting-down') return true;",
      },
    ],
  },
  {
    name: 'ends-with-what-it-has',
    bug: 'a termination goes on although EC2 would delete volumes with the server',
    edits: [
      {
        file: reconciler('domain'),
        find: 'endsSomething(action, doomed, view, settings)',
        replace: 'endsSomething(action, [], view, settings)',
      },
    ],
  },
  {
    name: 'keeps-nothing',
    bug: 'nobody takes it back that volumes are to be deleted with their server',
    edits: [{ file: reconciler('domain'), find: '    ...keepDoomed(doomed, view),\n', replace: '' }],
  },
  {
    name: 'begun-is-completed',
    bug: 'damage is repaired as soon as the snapshots before it have begun',
    edits: [
      {
        file: reconciler('after-snapshot'),
        find: "snapshot?.state === 'completed'",
        replace: 'snapshot !== undefined',
      },
    ],
  },
  {
    name: 'unseen-is-gone',
    bug: 'an owner that a describe does not show is taken for gone at once',
    edits: [
      {
        file: reconciler('owned-slot'),
        find: 'view.now - claimedAt > MISSING_OWNER_GONE_MS',
        replace: 'view.now - claimedAt >= 0',
      },
    ],
  },
  {
    name: 'owner-is-candidate',
    bug: 'a server that owns a slot is taken for free',
    edits: [
      {
        file: reconciler('vacant-slot'),
        find: '.filter((member) => !taken.has(member.instanceId))',
        replace: '.filter((member) => taken.size >= 0 || member)',
      },
      {
        file: reconciler('aws-map'),
        find: "          ConditionExpression: 'attribute_not_exists(tier)',\n",
        replace: '',
      },
    ],
  },
  {
    name: 'complete-before-serving',
    bug: 'a launch is completed when its host was told, not when it serves',
    edits: [
      {
        file: reconciler('serving'),
        find: "return waitOrGiveUp('serving', answer.reason, answer.moving);",
        replace:
          "return { ...waitOrGiveUp('serving', answer.reason, answer.moving), " +
          "actions: member.lifecycle === 'Pending:Wait' ? [letIn(row, settings)] : [] };",
      },
    ],
  },
  {
    name: 'repair-is-late',
    bug: 'a host that repairs a file system is replaced when a launch would be late',
    edits: [
      {
        file: reconciler('give-up'),
        find: 'if (heardAt !== undefined && view.now - since < REPAIR_MS)',
        replace: 'if (heardAt !== undefined && view.now - since < 0)',
      },
    ],
  },
  {
    name: 'format-again',
    bug: 'formatting is offered whatever the row and the tag say',
    edits: [
      {
        file: reconciler('serving'),
        find: '!row.formatted && volumes.every((volume) => volume && !volume.formatted && !volume.fromSnapshot)',
        replace: '!row.formatted || volumes.length > 0',
      },
    ],
  },
  {
    name: 'detach-from-the-living',
    bug: 'a volume is detached from an instance that may still write',
    edits: [
      {
        file: reconciler('view'),
        find: "return { at: 'foreign', instanceId, why };",
        replace: "return { at: 'dead', instanceId, attachmentId: attachment.id };",
      },
    ],
  },
  {
    name: 'left-on-the-dead',
    bug: 'what EC2 leaves on a terminated instance is waited for',
    edits: [
      {
        file: reconciler('owned-slot'),
        find: "if (place.at === 'dead' && lingers) {",
        replace: "if (place.at === 'dead' && lingers && row.volumes.length > 1000) {",
      },
      {
        file: reconciler('owned-slot'),
        find: "if (place.at === 'dead' && lingers && place.attachmentId !== undefined) {",
        replace:
          "if (place.at === 'dead' && lingers && row.volumes.length > 1000 && place.attachmentId !== undefined) {",
      },
    ],
  },
  {
    name: 'no-heartbeat',
    bug: 'launches that wait are not kept alive',
    edits: [
      {
        file: reconciler('domain'),
        find: 'return [...actions, ...heartbeats(known, view, settings.launchHook)];',
        replace: 'return actions;',
      },
    ],
  },
  {
    name: 'dead-launch-kept',
    bug: 'launches that wait are kept alive whatever has become of their instance',
    edits: [
      {
        file: reconciler('domain'),
        find: 'if (state !== undefined && ENDED.includes(state))',
        replace: "if (state !== undefined && ENDED.includes(state) && state === 'running')",
      },
    ],
  },
  {
    name: 'termination-not-completed',
    bug: 'terminations are left to their own time-out',
    edits: [
      {
        file: reconciler('domain'),
        find: ".filter((member) => member.lifecycle === 'Terminating:Wait')",
        replace: ".filter((member) => member.lifecycle === 'Terminating:Wait' && !member.instanceId)",
      },
    ],
  },
  {
    name: 'loss-not-noticed',
    bug: 'a slot stays served in the map when something of it was detached',
    edits: [
      {
        file: reconciler('owned-slot'),
        find: 'if (since !== undefined) {',
        replace: 'if (since !== undefined && row.volumes.length > 1000) {',
      },
    ],
  },
  {
    name: 'interface-loss-not-noticed',
    bug: 'a slot stays served in the map when its interface was detached',
    edits: [
      {
        file: reconciler('owned-slot'),
        find: "if (places.every((place) => place.at === 'owner'))",
        replace:
          "if (places.slice(0, row.servedEpoch === row.epoch ? -1 : undefined).every((place) => place.at === 'owner'))",
      },
    ],
  },
  {
    name: 'fallback-never-taken',
    bug: 'a server of another type than the tier is given no slot',
    edits: [
      {
        file: reconciler('vacant-slot'),
        find: "view.instanceOf(member.instanceId)?.state === 'running')",
        replace:
          "view.instanceOf(member.instanceId)?.state === 'running' && " +
          "view.instanceOf(member.instanceId)?.type === 'm6in.2xlarge')",
      },
    ],
  },
  {
    name: 'served-when-told',
    bug: 'a host that does not answer yet counts as serving',
    edits: [
      {
        file: reconciler('serving'),
        find: "if (status.state === 'success') return",
        replace: "if (['success', 'pending'].includes(status.state)) return",
      },
    ],
  },
];
