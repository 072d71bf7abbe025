import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Difference, differences, EFFECTS } from './differences';
import type { Templates } from './stored';

/**
 * A difference that is meant. Its decision says why it has to be and what it does to those who have the stacks
 * deployed.
 */
export interface Announcement {
  readonly effect: string;
  /** The resource's type. */
  readonly type: string;
  /** The properties that change; without them the whole resource. */
  readonly properties?: readonly string[];
  /** The number of the decision in docs/adr, four digits. */
  readonly adr: string;
  readonly why: string;
}

/** What an upgrade does in one template. */
export interface Upgrade {
  /** The template's file name. */
  readonly file: string;
  readonly difference: Difference;
}

const FILE = join(__dirname, 'announced.yaml');

/** What is never replaced, deleted or let go of, announced or not: the data, and what it is reached and read by. */
export const PROTECTED: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::EC2::NetworkInterface',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::VPC',
  'AWS::EC2::Volume',
  'AWS::AutoScaling::AutoScalingGroup',
  'AWS::FSx::FileSystem',
  'AWS::KMS::Key',
  'AWS::Route53::HostedZone',
  'AWS::S3::Bucket',
  'AWS::EC2::Instance',
];

/** The announcements of this repository. */
export const announcements = (): Announcement[] =>
  (parse(readFileSync(FILE, 'utf8')) as Announcement[] | null) ?? [];

/** What is wrong with the announcements themselves; [] when nothing is. */
export function malformed(all: readonly Announcement[]): string[] {
  return all.flatMap((each) => {
    const { effect, type, adr, why } = each;
    const name = `${effect} ${type}`;
    if (!EFFECTS.some((known) => known === effect))
      return [`${name}: effect has to be one of ${EFFECTS.join(', ')}`];
    if (PROTECTED.includes(type) && effect !== 'restarts')
      return [
        `${name}: nothing that holds data, or by which it is reached, may be replaced: undo the change`,
      ];
    if (!why) return [`${name}: say why`];
    return decisionExists(adr) ? [] : [`${name}: adr is '${adr}', which docs/adr/README.md does not list`];
  });
}

const decisionExists = (adr: string): boolean => {
  const index = join(__dirname, '..', '..', 'docs', 'adr', 'README.md');
  return existsSync(index) && readFileSync(index, 'utf8').includes(`[${adr}](${adr}-`);
};

/** What an upgrade does, of all templates of a deployment. A template that is gone is deleted with all that it has. */
export function upgrades(before: Templates, after: Templates): Upgrade[] {
  return Object.entries(before).flatMap(([file, template]) =>
    differences(template, after[file] ?? { Resources: {} }).map((difference) => ({ file, difference })),
  );
}

/** Whether the difference was announced. */
export function isAnnounced({ difference }: Upgrade, { effect, type, properties }: Announcement): boolean {
  return (
    difference.effect === effect &&
    difference.type === type &&
    (properties === undefined || difference.properties.every((name) => properties.includes(name)))
  );
}

/** A difference as a line for people. */
export const describeUpgrade = ({ file, difference }: Upgrade): string => {
  const { effect, id, type, properties } = difference;
  const what = properties.length > 0 ? ` (${properties.join(', ')})` : '';
  return `${file}: an update ${effect} ${id} ${type}${what}`;
};
