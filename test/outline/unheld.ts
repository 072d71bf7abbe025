import type { Alteration } from './alterations';

/** What outlines leave out on purpose, and why nobody has to see it. */
export interface Unheld {
  readonly what: string;
  readonly reason: string;
  readonly is: (alteration: Alteration, type: string) => boolean;
}

export const UNHELD: readonly Unheld[] = [
  {
    what: 'hashes of assets',
    reason:
      'They change with every edit of a function, and with the Node release that packs the host software.',
    is: ({ how }) => how === 'another asset',
  },
  {
    what: 'tags called Name',
    reason: 'The console shows them. No permission and no program looks at them.',
    is: ({ path }) => /Tags\.\*\(Name\)/.test(path),
  },
  {
    what: 'descriptions that an update changes in place',
    reason: 'They are words for people in the console. Nothing reads them.',
    is: ({ path }, type) => type.startsWith('AWS::') && /^\.Properties\.(Alarm)?Description\b/.test(path),
  },
  {
    what: 'descriptions of rules of security groups',
    reason: 'They are words for people in the console. What a rule lets through does not depend on them.',
    is: ({ path }, type) =>
      type === 'AWS::EC2::SecurityGroup' &&
      /^\.Properties\.SecurityGroup(In|E)gress\.\*\.Description$/.test(path),
  },
];
