/** One place in the source and what stands there instead. */
export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A deliberate bug in the code under test. */
export interface Mutation {
  readonly name: string;
  /** What a developer might have thought. */
  readonly bug: string;
  readonly edits: readonly Edit[];
}

const reconciler = (file: string) => `lambda/volume-reconciler/${file}.ts`;

const prober = (file: string) => `lambda/health-prober/${file}.ts`;

const nodeHealth = (file: string) => `lambda/node-health/${file}.ts`;

/** The simulation has to catch each of these; one that it does not catch means that it is too kind. */
export const MUTATIONS: readonly Mutation[] = [
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
    edits: [{ file: reconciler('domain'), find: '    ...keep(doomed, view),\n', replace: '' }],
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
    name: 'unconditional-claim',
    bug: 'a claim does not ask whether the slot has got an owner since it was read',
    edits: [
      {
        file: reconciler('aws-map'),
        find: "'attribute_not_exists(#owner) AND epoch = :epoch AND servedEpoch <= :epoch AND released = :no'",
        replace: "'(epoch = :epoch OR epoch <> :epoch) AND released = :no'",
      },
    ],
  },
  {
    name: 'claim-without-epoch',
    bug: 'a claim asks for an owner only, so that a late worker sets the epoch back',
    edits: [
      {
        file: reconciler('aws-map'),
        find: "'attribute_not_exists(#owner) AND epoch = :epoch AND servedEpoch <= :epoch AND released = :no'",
        replace: "'attribute_not_exists(#owner) AND (epoch = :epoch OR epoch <> :epoch) AND released = :no'",
      },
    ],
  },
  {
    name: 'claim-twice',
    bug: 'two workers can give one instance two slots',
    edits: [
      {
        file: reconciler('aws-map'),
        find: "          ConditionExpression: 'attribute_not_exists(tier)',\n",
        replace: '',
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
          "return { ...waitOrGiveUp('serving', answer.reason, answer.moving), actions: member.lifecycle === 'Pending:Wait' ? [letIn(row, settings)] : [] };",
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
    name: 'row-before-tag',
    bug: 'a slot is noted as served before its volumes carry the tag',
    edits: [
      {
        file: reconciler('apply'),
        find: [
          '      if (untagged.length > 0) {',
          '        const tagged = answered(await compute.markFormatted(untagged, claim.slot));',
          '        if (!tagged.done) return tagged;',
          '      }',
          '      return written(await map.markServed(claim, commandId, note.timeline, servings));',
        ].join('\n'),
        replace: [
          '      const served = written(await map.markServed(claim, commandId, note.timeline, servings));',
          '      if (untagged.length > 0) await compute.markFormatted(untagged, claim.slot);',
          '      return served;',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'offer-not-recorded',
    bug: 'a host is told that it may format before the map knows',
    edits: [
      {
        file: reconciler('aws-map'),
        find: "', formatOffered = :yes'",
        replace: "', formatTold = :yes'",
      },
    ],
  },
  {
    name: 'late-offer',
    bug: 'a worker that is late offers to format what was formatted since it looked',
    edits: [
      {
        file: reconciler('aws-map'),
        find: "' AND released = :no AND formatted = :no'",
        replace: "' AND released = :no'",
      },
      {
        file: reconciler('aws-map'),
        find: 'AND servedEpoch <> :epoch',
        replace: 'AND epoch = :epoch',
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
        find: 'if (instanceIds.length > 0 && view.now - view.beatAt >= BEAT_MS) {',
        replace: 'if (instanceIds.length > 10_000) {',
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
    name: 'turn-by-arrival',
    bug: "the latest of CloudFormation's requests is taken to be the one whose function began last",
    edits: [
      {
        file: 'lambda/volume-map-resource/turn.ts',
        find: 'own.sentAt ?? timer.now()',
        replace: 'timer.now()',
      },
    ],
  },
  {
    name: 'refusal-undone-refused',
    bug: 'a change of the map is told by the properties before, which are the refused ones when it is undone',
    edits: [
      {
        file: 'lambda/volume-map-resource/handler.ts',
        find: 'refuseAnotherMap(address.PhysicalResourceId, ',
        replace: "refuseAnotherMap('', ",
      },
    ],
  },
  {
    name: 'map-read-late',
    bug: 'the map is read eventually consistent',
    edits: [
      { file: 'lambda/shared/read-tier.ts', find: 'ConsistentRead: true', replace: 'ConsistentRead: false' },
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
    name: 'common-cause-ignored',
    bug: 'a server is replaced although all of them fail at once',
    edits: [
      { file: prober('judge'), find: 'if (missing + left > most)', replace: 'if (missing > most + asked)' },
    ],
  },
  {
    name: 'lost-path-counts',
    bug: 'a server that cannot be reached counts as one that does not serve',
    edits: [
      {
        file: prober('judge'),
        find: "return answer.is === 'fails' || (answer.is === 'silent' && spoke.length > 0);",
        replace: "return answer.is !== 'serves' && spoke.length >= 0;",
      },
    ],
  },
  {
    name: 'lost-path-ignored',
    bug: 'a server is replaced although most of the others cannot be reached',
    edits: [
      {
        file: prober('judge'),
        find: 'if (unknown > asked * UNKNOWN_SHARE)',
        replace: 'if (unknown > asked + UNKNOWN_SHARE)',
      },
    ],
  },
  {
    name: 'replaced-during-deployment',
    bug: 'a server is replaced whatever the stack is at',
    edits: [
      {
        file: prober('guards'),
        find: "if (stackStatus.endsWith('_IN_PROGRESS'))",
        replace: "if (stackStatus.endsWith('_IN_PROGRESS_'))",
      },
    ],
  },
  {
    name: 'replaced-during-repair',
    bug: 'a server is replaced while another slot has no server that serves',
    edits: [
      {
        file: prober('guards'),
        find: 'if (unserved) return',
        replace: 'if (unserved && slots.length === 0) return',
      },
    ],
  },
  {
    name: 'one-miss-counts',
    bug: 'a server is replaced after the first round that it missed',
    edits: [
      {
        file: prober('judge'),
        find: 'count.record.misses >= settings.misses',
        replace: 'count.record.misses >= Math.min(1, settings.misses)',
      },
    ],
  },
  {
    name: 'forgotten-slot-unknown',
    bug: 'a host that knows no slot any more, since its root volume was replaced, counts as one of which nothing is known',
    edits: [{ file: prober('judge'), find: 'answer.slot === NO_SLOT', replace: 'answer.slot === row.owner' }],
  },
  {
    name: 'way-ignored',
    bug: "a server's own word that its answers leave by another interface counts as one of which nothing is known",
    edits: [
      {
        file: prober('aws-hosts'),
        find: "if (verdict === 'fails' && plugin?.ResponseCode === EXIT_FAILS) {",
        replace:
          "if (verdict === 'fails' && plugin?.ResponseCode === EXIT_FAILS && !/answers from|has the address/.test(said)) {",
      },
    ],
  },
  {
    name: 'cut-off-unsaid',
    bug: 'what servers of a grid say for another reason hides that they cannot reach a file server',
    edits: [
      {
        file: nodeHealth('judge'),
        find: 'if (lost.length > 0) cutOff.push(told);',
        replace: 'if (lost.length > 1000) cutOff.push(told);',
      },
    ],
  },
  {
    name: 'network-replaces',
    bug: 'a server that the servers of a grid cannot reach is terminated',
    edits: [
      {
        file: nodeHealth('handler'),
        find: '  await ports.health.ask([...running.keys()]);\n',
        replace:
          '  await ports.health.ask([...running.keys()]);\n' +
          "  for (const { why } of judgement.cutOff) await (ports.servers as import('./aws').Ec2Servers).replace(why);\n",
      },
      {
        file: nodeHealth('aws'),
        find: "import { type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';",
        replace:
          'import { DescribeNetworkInterfacesCommand, type EC2Client, paginateDescribeInstances, TerminateInstancesCommand } ' +
          "from '@aws-sdk/client-ec2';",
      },
      {
        file: nodeHealth('aws'),
        find: '  async running(',
        replace: [
          '  async replace(why: string): Promise<void> {',
          '    const Values = [...why.matchAll(/([0-9.]+)@tcp/g)].map(([, address]) => address!);',
          "    const Filters = [{ Name: 'addresses.private-ip-address', Values }];",
          '    const { NetworkInterfaces = [] } = await this.client.send(new DescribeNetworkInterfacesCommand({ Filters }));',
          '    const InstanceIds = NetworkInterfaces.flatMap(({ Attachment }) => Attachment?.InstanceId ?? []);',
          '    await this.client.send(new TerminateInstancesCommand({ InstanceIds }));',
          '  }',
          '',
          '  async running(',
        ].join('\n'),
      },
    ],
  },
  {
    name: 'no-pause',
    bug: 'a second server is replaced as soon as it has missed its rounds',
    edits: [
      {
        file: prober('guards'),
        find: 'if (last && !(now - Date.parse(last.at) > PAUSE_MS)) {',
        replace: 'if (last && !(now - Date.parse(last.at) > PAUSE_MS / 1000)) {',
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
  {
    name: 'permitted-at-once',
    bug: 'the roles of a deployment are taken to count everywhere as soon as it has made them',
    edits: [
      {
        file: 'lambda/shared/permitted.ts',
        find: 'const PATIENCE_MS = 60_000;',
        replace: 'const PATIENCE_MS = 0;',
      },
    ],
  },
];

/** The mutation of a name; an error names all there are. */
export function mutationOf(name: string): Mutation {
  const mutation = MUTATIONS.find((each) => each.name === name);
  if (mutation) return mutation;
  throw new Error(`unknown mutation ${name}; there are ${MUTATIONS.map((each) => each.name).join(', ')}`);
}

/** The source with the bug in it; an error when the place is not there any more, or not the only one. */
export function mutate(source: string, edit: Edit): string {
  const parts = source.split(edit.find);
  if (parts.length === 2) return parts.join(edit.replace);
  throw new Error(`${edit.file} holds ${parts.length - 1} times what a mutation replaces: ${edit.find}`);
}
