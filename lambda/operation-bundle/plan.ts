import type { Host } from './ports';

/** Something that the function collects by itself. */
export type Part = { readonly file: string; readonly from: string } & (
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'stack'; readonly stack: string }
  | { readonly kind: 'alarms' }
  | { readonly kind: 'log'; readonly group: string }
);

/** What a bundle is to have. */
export interface Plan {
  readonly format: 1;
  readonly deployment: string;
  readonly id: string;
  /** When it was asked for, and from when on logs are taken, ISO 8601. */
  readonly at: string;
  readonly since: string;
  readonly parts: readonly Part[];
  readonly hosts: readonly Host[];
  /** What could not even be looked for, a sentence each. */
  readonly unread: readonly string[];
}

/** The question to a host: the id of its command, or why there is none. */
export type Asked = { readonly instanceId: string; readonly file: string; readonly from: string } & (
  | { readonly command: string }
  | { readonly why: string }
);

/** A line of what is in a bundle: a file with its size, or why it is missing. */
export interface Entry {
  readonly file: string;
  readonly from: string;
  readonly bytes?: number;
  /** Why it is missing, or not complete. */
  readonly remark?: string;
}

/** What is in a bundle. */
export interface Contents {
  readonly format: 1;
  readonly deployment: string;
  readonly id: string;
  readonly at: string;
  readonly since: string;
  readonly files: readonly Entry[];
  readonly missing: readonly Entry[];
}

/** A host as people know it: its slot, or its name, and its id. */
export function hostName({ instanceId, slot, name }: Host): string {
  const known = slot ?? name;
  return known && known !== instanceId ? `${known} (${instanceId})` : instanceId;
}

/** The file of a host's part. */
export function hostFile({ instanceId, slot, name }: Host): string {
  const known = slot ?? name;
  const word = known && known !== instanceId ? `${known.replace(/[^A-Za-z0-9._-]/g, '-')}_` : '';
  return `hosts/${word}${instanceId}.tar.gz`;
}

/**
 * A log as people know it: the path of what writes it, as its logical id has it without its hash. Log groups of
 * functions end with Logs.
 */
export function sourceOf(logicalId: string): string {
  const words = logicalId.replace(/[0-9A-F]{8}$/, '').replace(/(Logs|LogGroup)+$/, '') || logicalId;
  return words
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** The list for people. */
export function contentsText(contents: Contents): string {
  const { deployment, id, at, since, files, missing } = contents;
  const line = ({ file, from, bytes, remark }: Entry) =>
    [file, bytes === undefined ? '-' : `${bytes} bytes`, `from ${from}`, remark].filter(Boolean).join('; ');
  return [
    `Support bundle ${id} of ${deployment}, made ${at}; logs and journals since ${since}.`,
    'Passwords, keys, tokens and signed addresses are taken out. Look through it before you hand it on.',
    '',
    `In it (${files.length}):`,
    ...files.map(line),
    '',
    `Missing (${missing.length}):`,
    ...missing.map(line),
    '',
  ].join('\n');
}
