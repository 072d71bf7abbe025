import type { Mutation } from './mutation';

const reconciler = (file: string) => `lambda/volume-reconciler/${file}.ts`;

/** Bugs in how the map is read, seeded and written, and in what comes before a write. */
export const MAP_MUTATIONS: readonly Mutation[] = [
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
