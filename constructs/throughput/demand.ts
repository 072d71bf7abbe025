import { Annotations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { invalid, isConcrete } from '../private/validation';
import type { StorageDescription } from '../shared-file-system';
import { compareWithDemand, knownStorage, type Verdict } from '../sizing';
import type { Hosts } from './prediction';

/** What is wanted of a storage, by which property. */
export interface Wanted {
  /** `sharedThroughput` or `temporaryThroughput`: how the warning is called. */
  readonly property: string;
  /** How the wish is called in messages. Left out: as the property. */
  readonly wish?: string;
  /** What the storage is, for the message. */
  readonly what: string;
  readonly mbpsPerCore: number;
}

/**
 * Compares a storage with what is wanted of it. What is known only at deployment is not compared; what nobody knows is
 * warned of, since a wish that is not checked must not look like one that is met.
 *
 * @param fail whether a storage that is too slow is an error
 * @throws when it is too slow, and that is an error
 */
export function checkDemand(
  scope: IConstruct,
  { property, wish = property, what, mbpsPerCore }: Wanted,
  storage: StorageDescription | undefined,
  hosts: Hosts,
  fail: boolean,
): void {
  if (!isConcrete(mbpsPerCore)) return;
  const unchecked = (why: string): void => {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:throughputNotKnown',
      `${wish}: ${mbpsPerCore} MB/s for each core cannot be compared with what there is: ${why} Measure it ` +
        'after deployment.',
    );
  };
  if (!hosts.cores) {
    unchecked('how many cores the nodes have is not in the table of this library.');
  } else if (!storage) {
    unchecked(`what the ${what} is made of is not known.`);
  } else {
    const load = { hosts: hosts.count, hostType: hosts.type };
    const verdict = compareWithDemand(knownStorage(storage), load, { cores: hosts.cores, mbpsPerCore });
    if (verdict.mbpsPerCore === undefined) unchecked(verdict.text);
    else if (!verdict.enough) report(scope, { property, wish, what, mbpsPerCore }, verdict, fail);
    else if (verdict.prediction.unknown.length) unchecked(verdict.prediction.unknown.join(' '));
  }
}

function report(
  scope: IConstruct,
  { property, wish, what, mbpsPerCore }: Wanted,
  { text, limit, mbpsPerCore: given }: Verdict,
  fail: boolean,
): void {
  // The limit is in the text already where more servers would not help.
  const all = text.includes(limit!.text) ? text : `${text} Now: ${limit!.text}.`;
  if (fail) {
    throw invalid(
      scope,
      `${wish} in MB/s for each core`,
      mbpsPerCore,
      `up to ${Math.floor(given! * 10) / 10}, which is what the ${what} gives`,
      `${all} Change the storage, the nodes or the wish; without failOnShortfall this is a warning.`,
    );
  }
  Annotations.of(scope).addWarningV2(`cdk-sas-grid:${property}`, `The ${what} is too slow. ${all}`);
}
